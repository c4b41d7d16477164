// How high each page is on a phone beside 50 rules and 1,000 pods, before the reader asks for more.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pass, playScene, type Scene } from '../../view/scene.ts';
import { type ConsoleBrowser, openConsoleBrowser, takePicture } from '../support/consoleBrowser.ts';
import { type Crowd, startCrowd, tableOf } from '../support/crowdedScene.ts';

// Long timeouts: a machine that runs other tests at the same time is slow.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The rule of the played records, which has evicted hundreds of pods. */
const first = 'xid-79-quarantine';
const rule = `DeviceTaintRule/${first}`;
const device = 'gpu.example.com/node-000/device-0';
const pages = {
  fleet: '/fleet',
  drivers: '/fleet?by=driver',
  group: '/fleet?by=driver&in=gpu.example.com',
  rules: '/rules',
  held: '/rules?state=held',
  next: '/rules?page=2',
  opened: '/rules?open=DeviceTaintRule/rule-17-of-a-longer-name',
  plan: `/plan/${rule}`,
  timeline: '/timeline',
  times: '/timeline?from=2027-03-04T00:00&until=2027-03-05T00:00',
  why: '/why',
  whyRule: `/why/rule/${rule}`,
  whyDevice: `/why/device/${device}`,
  whyPod: '/why/pod/team-a/pod-00000',
  whyEvicted: '/why/pod/training/llm-pretrain-worker-0',
  pause: `/act/pause?kind=rule&name=${rule}`,
  pauseAll: '/act/pause?kind=everything',
  approve: `/act/approve?kind=rule&name=${rule}`,
  rate: `/act/rate?kind=rule&name=${rule}&rate=2`,
  taint: `/act/taint?kind=device&name=${device}&taint=example.com/a:NoExecute`,
} as const;

let crowd: Crowd;
let played: Scene;
let shown: ConsoleBrowser;

beforeAll(async () => {
  crowd = await startCrowd({ rules: 50, first });
  played = await playScene();
  const { world } = played;
  const table = tableOf(crowd, async () => ({ table: world.table, cluster: world.cluster }));
  shown = await openConsoleBrowser({ kubeconfigYaml: crowd.cluster.kubeconfigYaml, table });
  await shown.server.shows('/fleet', '60 nodes');
});

afterAll(async () => {
  await shown?.stop();
  await crowd?.cluster.close();
});

/** Pixels: two screens of a phone. */
const phonePage = 1600;

it.each(Object.entries(pages))(
  'the page %s is less than 1,600 px high on a phone and does not overflow beside 50 rules and 1,000 pods',
  async (name, at) => {
    const page = await shown.browser.newPage({ viewport: { width: 390, height: 900 } });
    page.setDefaultTimeout(60_000);
    const answer = await page.goto(`${shown.server.url.slice(0, -1)}${at}`);
    expect(answer?.status()).toBe(200);
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    await takePicture(page, `crowd-${name}`, [390, 820, 1440]);
    expect(height).toBeLessThan(phonePage);
    expect(width).toBe(390);
    await page.close();
  },
);

it('an opened record on the page Why stays open and the only one while newer records come', async () => {
  const page = await shown.browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`${shown.server.url}why/rule/${rule}`);
  const records = page.locator('details');
  const names = () => page.locator('summary').allInnerTexts();
  const before = await names();
  await records.nth(2).locator('summary').click();
  await pass(played.world, 2);
  await expect.poll(names, { timeout: 60_000 }).not.toEqual(before);
  const podOf = (text: string | undefined) => text?.split(': ')[0];
  const open = await page.locator('details[open] > summary').allInnerTexts();
  expect(open.map(podOf)).toEqual([podOf(before[2])]);
  await page.close();
});

it('the page Rules of 50 rules is less than six screens high at 1440 px and lists held rules before evicting and waiting ones', async () => {
  const page = await shown.browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`${shown.server.url}rules?page=1`);
  expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(5400);
  const badges = async () => page.locator('.rule .badge').allInnerTexts();
  const held = 'Held: ApprovalRequired';
  expect(await badges()).toEqual([...Array(10).fill(held), ...Array(10).fill('Evicting')]);
  await page.getByRole('link', { name: 'Next' }).click();
  expect(new Set(await badges())).toEqual(new Set(['Waiting', 'Completed', 'NoEffect']));
  await page.getByLabel('State').selectOption('waiting');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  expect(await badges()).toEqual(Array(10).fill('Waiting'));
  await page.getByRole('link', { name: 'Progress of DeviceTaintRule/rule-17-of-a-longer-name' }).click();
  expect(await page.locator('.card h2').allInnerTexts()).toEqual(['rule-17-of-a-longer-name']);
  await page.close();
});
