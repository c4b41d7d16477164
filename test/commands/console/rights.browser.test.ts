// The console of a caller who may only read, or lacks one right: no button leads to a refusal, and each page says what is missing.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { User } from '../../../lib/local/cluster/access.ts';
import { type Cluster, startCluster } from '../../../lib/local/cluster/cluster.ts';
import { describeFleet, populate } from '../../../lib/local/cluster/fleet.ts';
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import { rights, rightText } from '../../../lib/view/console/act.ts';
import { type ServedScene, serveConsole } from '../support/consoleScene.ts';
import { gpuRule, type Scene, startScene } from '../support/scene.ts';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Folder for screenshots to review by eye; none are taken if it is unset. */
const pictures = process.env.SLUICE_PICTURES;

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const reader: User = { name: 'reader', groups: [] };
const device = 'gpu.example.com/node-000/device-0';
const rule = 'DeviceTaintRule/unhealthy-gpus';
const pause = { 'pause.sluice.dev/audit': 'until Monday' };
const ruleObject = (kind: string, name: string, more: JsonMap): JsonMap => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind,
  metadata: { name },
  ...more,
});
const held = {
  conditions: [
    {
      type: 'sluice.dev/Held',
      status: 'True',
      reason: 'AwaitingApproval',
      message: 'Waits for sluice.dev/approve=0123456789ab.',
      lastTransitionTime: '2026-01-01T11:00:00Z',
    },
  ],
};

const stop = ruleObject('EvictionStop', 'incident', { spec: { reason: 'disks fail' } });

const objects: readonly JsonMap[] = [
  { ...gpuRule, status: held },
  { ...gpuRule, metadata: { name: 'paused', annotations: pause } },
  ruleObject('EvictionPolicy', 'slow', {
    metadata: { name: 'slow', annotations: pause },
    spec: { taints: { keys: ['example.com/unhealthy'] }, evictionsPerSecond: 2 },
  }),
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'team-a',
      annotations: pause,
    },
  },
];

let scene: Scene;
let cluster: Cluster;
let browser: Browser;
/** Rights that the reader lacks. */
let denied: ReadonlySet<string> = new Set();

beforeAll(async () => {
  if (!existsSync(executablePath))
    throw new Error(`no browser at ${executablePath}: name another Chromium in CHROMIUM`);
  scene = await startScene();
  cluster = await startCluster({
    users: new Map([['reader-token', reader]]),
    authorize: (user, { verb, resource }) =>
      user !== reader || !denied.has(rightText({ verb, group: resource.group, resource: resource.plural })),
  });
  const fleet = { nodes: 4, devicesPerNode: 3, pods: 8, drivers: ['gpu.example.com', 'nic.example.com'] };
  populate(describeFleet(fleet), (manifest) => cluster.seed(manifest));
  for (const one of objects) cluster.seed(one);
  await scene.run(['taint', 'device', device, 'example.com/x:NoSchedule', '--yes'], {
    env: { KUBECONFIG: scene.file('admin', cluster.kubeconfigYaml) },
  });
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
});

afterAll(async () => {
  await browser?.close();
  await cluster?.close();
  await scene?.stop();
});

/** The console as a reader without those rights sees it; each console asks for its rights once. */
async function without(
  lacking: readonly string[],
  work: (look: (at: string, width?: number, colorScheme?: 'light' | 'dark') => Promise<Page>) => Promise<void>,
) {
  denied = new Set(lacking);
  cluster.seed(stop);
  const kubeconfig = scene.file('reader', cluster.kubeconfigYaml.replace(cluster.token, 'reader-token'));
  const server: ServedScene = await serveConsole({ kubeconfig });
  try {
    await server.shows('/fleet', 'node-003');
    await work(async (at, width = 1440, colorScheme = 'light') => {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      page.setDefaultTimeout(60_000);
      await page.goto(`${server.url.slice(0, -1)}${at}`);
      return page;
    });
  } finally {
    await server.stop();
  }
}

/** A cluster that is stopped has no button that stops it. */
function endStop() {
  const resource = cluster.resource('evictionstops');
  for (const one of cluster.store.list(resource)) cluster.store.remove(resource, one);
}

const all = rights.map(rightText);
const linksOf = (page: Page) =>
  page.evaluate<string[]>(
    "[...document.querySelectorAll('a[href^=\"/act/\"]')].map((one) => decodeURIComponent(one.getAttribute('href')))",
  );

const pages = {
  fleet: '/fleet',
  group: '/fleet?by=driver&in=gpu.example.com',
  rules: '/rules',
  plan: `/plan/${rule}`,
  timeline: '/timeline',
  why: `/why/rule/${rule}`,
} as const;

describe('a caller who may only read', () => {
  it.each(Object.entries(pages))('the page %s has no button, and names each missing right', (name, at) =>
    without(all, async (look) => {
      for (const [width, theme] of [
        [1440, 'light'],
        [820, 'dark'],
        [390, 'light'],
      ] as const) {
        const page = await look(at, width, theme);
        expect(await linksOf(page)).toEqual([]);
        expect(await page.locator('th', { hasText: 'Actions' }).count()).toBe(0);
        const text = (await page.locator('#rights').innerText()).replaceAll(/\s+/g, ' ');
        expect(text).toBe(`Some buttons are missing because you may not: ${all.join(', ')}.`);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
        if (pictures !== undefined) {
          mkdirSync(pictures, { recursive: true });
          await page.screenshot({ path: path.join(pictures, `reader-${name}-${width}-${theme}.png`), fullPage: true });
        }
        await page.close();
      }
    }),
  );
});

describe('a caller who lacks one right', () => {
  const cases = [
    ['pause everything', '/fleet', 'create evictionstops.sluice.dev', '/act/pause?kind=everything'],
    ['resume everything', '/fleet', 'delete evictionstops.sluice.dev', '/act/resume?kind=everything&pause=incident'],
    ['pause', '/rules', 'patch devicetaintrules.resource.k8s.io', `/act/pause?kind=rule&name=${rule}`],
    [
      'resume',
      '/rules',
      'patch devicetaintrules.resource.k8s.io',
      '/act/resume?kind=rule&name=DeviceTaintRule/paused&pause=audit',
    ],
    ['approve', '/rules', 'patch devicetaintrules.resource.k8s.io', `/act/approve?kind=rule&name=${rule}`],
    ['rate', '/rules', 'patch devicetaintrules.resource.k8s.io', `/act/rate?kind=rule&name=${rule}`],
    ['resume a policy', '/rules', 'patch evictionpolicies.sluice.dev', '/act/resume?kind=policy&name=slow&pause=audit'],
    ['resume a namespace', '/rules', 'patch namespaces', '/act/resume?kind=namespace&name=team-a&pause=audit'],
    ['taint', pages.group, 'create pacedtaintrules.sluice.dev', `/act/taint?kind=device&name=${device}`],
    ['untaint', pages.group, 'delete pacedtaintrules.sluice.dev', `/act/untaint?kind=device&name=${device}`],
  ] as const;

  it.each(cases)('a button to %s is not on %s without the right %s, and its address says so', (name, at, right, href) =>
    without([right], async (look) => {
      if (name === 'pause everything') endStop();
      const page = await look(at);
      const links = await linksOf(page);
      expect(links).not.toContain(href);
      expect(links.length).toBeGreaterThan(0);
      expect(await page.locator('#rights').innerText()).toBe(`Some buttons are missing because you may not: ${right}.`);
      await page.goto(new URL(href, page.url()).href);
      const text = await page.locator('main').innerText();
      expect(text).toContain('You may not ');
      expect(text).toContain(`Required right: ${right}.`);
      expect(await page.getByRole('button').count()).toBe(0);
      if (pictures !== undefined)
        await page.screenshot({
          path: path.join(pictures, `denied-${name.replaceAll(' ', '-')}.png`),
          fullPage: true,
        });
      await page.close();
    }),
  );

  it.each(cases)('a button to %s is on %s with the right %s alone', (name, at, right, href) =>
    without(
      all.filter((one) => one !== right),
      async (look) => {
        if (name === 'pause everything') endStop();
        const page = await look(at);
        await expect.poll(() => linksOf(page), { timeout: 20_000 }).toContain(href);
        await page.close();
      },
    ),
  );
});
