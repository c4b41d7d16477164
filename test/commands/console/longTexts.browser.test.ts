// How long texts are shown: reasons that are one long word, a name of 253 letters, and pauses upon pauses.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { demoManifests, populateDemo } from '../../../lib/local/demo/demo.ts';
import { type Simulation, startSimulation } from '../../../lib/local/simulation.ts';
import { aLimiter, anEviction, aPicture } from '../../view/pictures.ts';
import { type ConsoleBrowser, openConsoleBrowser, standingTable, takePicture } from '../support/consoleBrowser.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Without a space at which a line could break. */
const link = `https://incidents.example.com/${'gpu-driver-rollout-'.repeat(14)}end`;
/** The longest name of a Kubernetes object. */
const longName = `${'a-very-long-name-'.repeat(14)}${'z'.repeat(15)}`;
const ref = `PacedTaintRule/${longName}`;
let simulation: Simulation;
let shown: ConsoleBrowser;

beforeAll(async () => {
  simulation = await startSimulation({ manifests: demoManifests });
  const { cluster } = simulation;
  populateDemo(simulation).stop();
  const annotations = { 'pause.sluice.dev/incident': link, 'pause.sluice.dev/on-call': 'ask the team on call first' };
  for (const [i, name] of [longName, 'xid-errors', 'old-firmware'].entries())
    cluster.seed({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'PacedTaintRule',
      metadata: { name, annotations },
      spec: {
        deviceSelector: { driver: 'gpu.example.com', pool: `gpu-0${i + 1}` },
        taints: [{ key: `example.com/${name.slice(0, 60)}`, effect: 'NoExecute', description: link }],
      },
    });
  for (const name of ['incident-42', 'maintenance'])
    cluster.seed({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionStop',
      metadata: { name },
      spec: { reason: link },
    });
  const heldBecause = `stopped by EvictionStop incident-42 (${link}), EvictionStop maintenance (${link})`;
  const limiters = [longName, 'xid-errors', 'old-firmware'].map((name) =>
    aLimiter({ limiter: `rule|${name}`, name, place: `PacedTaintRule ${name}`, state: 'Waiting', heldBecause }),
  );
  const last = Array.from({ length: 40 }, () => ({ ...anEviction(), source: `PacedTaintRule ${longName}` }));
  const progress = aPicture({ limiters, last });
  shown = await openConsoleBrowser({ kubeconfigYaml: cluster.kubeconfigYaml, table: standingTable(progress) });
  await shown.server.shows('/rules', 'EvictionStop maintenance');
});

afterAll(async () => {
  await shown?.stop();
  await simulation?.stop();
});

async function open(at: string, width: number): Promise<Page> {
  const page = await shown.browser.newPage({ viewport: { width, height: 900 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`${shown.server.url.slice(0, -1)}${at}`);
  expect(await page.locator('#notices').innerText()).toContain('EvictionStop incident-42');
  await takePicture(page, `long-${at.slice(1, 20).replaceAll(/\W/g, '-')}`, [width]);
  return page;
}

const sizeOf = async (page: Page) => ({
  width: await page.evaluate<number>('document.documentElement.scrollWidth'),
  height: await page.evaluate<number>('document.documentElement.scrollHeight'),
});

const pages = [
  '/rules',
  '/fleet',
  '/timeline',
  '/why',
  `/why/rule/${ref}`,
  '/why/rule/PacedTaintRule/xid-errors',
  `/plan/${ref}`,
  `/act/resume?kind=rule&name=${encodeURIComponent(ref)}&pause=incident`,
];

it.each(pages)(
  'the page %s has no sideways scrolling beside long texts, and is less than 1,600 px high on a phone',
  async (at) => {
    for (const width of [390, 820, 1440]) {
      const page = await open(at, width);
      const size = await sizeOf(page);
      expect(size.width).toBe(width);
      if (width === 390) expect(size.height).toBeLessThan(1600);
      await page.close();
    }
  },
);

it('a phone shows long texts in full once asked', async () => {
  const page = await open('/rules', 390);
  const why = page.locator('#notices .why').first();
  const isCut = () => why.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1);
  expect(await isCut()).toBe(true);
  await page.getByLabel('Show long texts in full').check();
  expect(await isCut()).toBe(false);
  expect((await sizeOf(page)).width).toBe(390);
  await page.close();
});

it('a phone offers long texts in full only while a text is cut', async () => {
  const calm = await startSimulation({ manifests: demoManifests });
  populateDemo(calm).stop();
  const { cluster } = calm;
  const progress = aPicture({ limiters: [], last: [] });
  const seen = await openConsoleBrowser({ kubeconfigYaml: cluster.kubeconfigYaml, table: standingTable(progress) });
  const page = await seen.browser.newPage({ viewport: { width: 390, height: 900 } });
  await page.goto(`${seen.server.url}fleet`);
  const control = page.getByLabel('Show long texts in full');
  expect(await control.isVisible()).toBe(false);
  cluster.seed({
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionStop',
    metadata: { name: 'incident-42' },
    spec: { reason: link },
  });
  await control.waitFor({ state: 'visible', timeout: 60_000 });
  await seen.stop();
  await calm.stop();
});
