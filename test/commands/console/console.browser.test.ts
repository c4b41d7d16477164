// The console in a real browser, over a simulated cluster and a table that the real steps write.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TableSource } from '../../../lib/commands/console/source.ts';
import { createApiClient } from '../../../lib/local/cluster/client.ts';
import { describeFleet, populate } from '../../../lib/local/cluster/fleet.ts';
import { deviceStates, type Fleet } from '../../../lib/view/console/fleet.ts';
import { fleetPage } from '../../../lib/view/console/fleetPage.ts';
import { createGroupReader, groupings } from '../../../lib/view/console/groups.ts';
import { renderDocument } from '../../../lib/view/console/page.ts';
import { renderWidget } from '../../../lib/view/html.ts';
import { createRule, pass, playScene, type Scene as TableScene } from '../../view/scene.ts';
import { type ServedScene, serveConsole } from '../support/consoleScene.ts';
import { gpuRule, objectsOf, type Scene, startScene } from '../support/scene.ts';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder for screenshots to review by eye; none are taken if it is unset. */
const pictures = process.env.SLUICE_PICTURES;

/** The flags a browser needs in a container, and those that keep it off the network. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const rule = 'DeviceTaintRule/unhealthy-gpus';
const device = 'gpu.example.com/node-000/device-0';
const pages = {
  fleet: '/fleet',
  group: '/fleet?by=node&in=node-000',
  rules: '/rules',
  plan: `/plan/${rule}`,
  timeline: '/timeline',
  times: '/timeline?from=2026-11-01T00:00&until=2026-11-02T00:00',
  why: `/why/rule/${rule}`,
  pause: `/act/pause?kind=rule&name=${rule}`,
  rate: `/act/rate?kind=rule&name=${rule}&rate=2`,
  taint: `/act/taint?kind=device&name=${device}&taint=example.com/a:NoExecute`,
  missing: '/nothing',
} as const;

// Long timeouts: a machine that runs other tests at the same time is slow.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let browser: Browser;
let scene: Scene;
let played: TableScene;
let table: TableSource;
let server: ServedScene;

beforeAll(async () => {
  if (!existsSync(executablePath))
    throw new Error(
      `no browser at ${executablePath}: apt-get install -y --no-install-recommends chromium fonts-dejavu-core, or name another Chromium in CHROMIUM`,
    );
  scene = await startScene();
  scene.cluster.seed(gpuRule);
  scene.cluster.seed({
    ...gpuRule,
    metadata: {
      name: 'paused-rule',
      annotations: { 'pause.sluice.dev/audit': 'until Monday; by ada at 2026-01-01T12:00:00Z' },
    },
    spec: { deviceSelector: { driver: 'none.example.com' }, taint: { key: 'example.com/other', effect: 'NoExecute' } },
  });
  played = await playScene();
  table = { state: async () => ({ table: played.world.table, cluster: played.world.cluster }), progress: played.read };
  server = await serveConsole({ kubeconfig: scene.kubeconfig, table });
  await server.shows('/fleet', 'node-003');
  browser = await chromium.launch({ executablePath, args });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await scene?.stop();
});

type Look = Pick<BrowserContextOptions, 'colorScheme' | 'reducedMotion'> & { readonly width?: number };

interface Opened {
  readonly page: Page;
  readonly errors: string[];
}

async function open(at: string, { width = 1440, ...look }: Look = {}): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, ...look });
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/404 \(Not Found\)/.test(message.text())) errors.push(message.text());
  });
  page.on('dialog', async (dialog) => {
    errors.push(`dialog ${dialog.message()}`);
    await dialog.dismiss();
  });
  await page.goto(`${server.url.slice(0, -1)}${at}`);
  return { page, errors };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function violations(page: Page): Promise<readonly string[]> {
  // The Content-Security-Policy forbids scripts of the page, but not those that the browser is told to evaluate.
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run()');
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}

/** Each theme at one width: widths differ only in layout, not in colours or names. */
const audited = { light: 1440, dark: 390 } as const;

describe.each(Object.entries(pages))('the page %s', (name, at) => {
  it.each(['light', 'dark'] as const)(
    'a page of the console is accessible and does not overflow at 1440, 820 and 390 px, in the %s theme',
    async (colorScheme) => {
      const { page, errors } = await open(at, { colorScheme });
      for (const width of [1440, 820, 390]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        if (width === audited[colorScheme]) expect(await violations(page)).toEqual([]);
        if (pictures === undefined) continue;
        mkdirSync(pictures, { recursive: true });
        await page.screenshot({ path: path.join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      expect(errors).toEqual([]);
      await page.close();
    },
    60_000,
  );
});

/** Pixels: two screens of a phone. */
const phonePage = 1600;

it.each(Object.entries(pages))('the page %s is less than 1,600 px high on a phone', async (_, at) => {
  const { page } = await open(at, { width: 390 });
  expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(phonePage);
  await page.close();
});

it('the list of evictions on a phone expands on request and stays expanded while the page changes', async () => {
  const { page, errors } = await open('/rules', { width: 390 });
  const rows = page.locator('.evictions tbody tr');
  const shown = () =>
    page.evaluate<number>(
      "[...document.querySelectorAll('.evictions tbody tr')].filter((one) => one.offsetHeight > 0).length",
    );
  expect(await shown()).toBe(2);
  await page.getByLabel('Show more evictions').check();
  expect(await shown()).toBe(12);
  const before = await rows.first().innerText();
  await pass(played.world, 2);
  await expect.poll(() => rows.first().innerText(), { timeout: 60_000 }).not.toBe(before);
  expect(await shown()).toBe(12);
  expect(errors).toEqual([]);
  await page.close();
});

describe('the page Rules in a browser', () => {
  it('the page Rules shows every rule with its state and progress', async () => {
    const { page, errors } = await open('/rules');
    const text = await page.innerText('main');
    for (const expected of [
      '3 of 5 pods evicted',
      'driver tpu.example.com, pool tpu-node-01',
      'example.com/unhealthy=xid-79:NoExecute',
      '18 kept',
    ])
      expect(text).toContain(expected);
    expect(await page.locator('.card .badge').allInnerTexts()).toEqual(['Evicting', 'Evicting', 'Waiting']);
    const badges = await page.locator('.rule .badge').allInnerTexts();
    const [paused, ofPods, others] = [
      ['Paused'],
      ['Evicting', 'Evicting', 'Waiting'],
      ['Stopped', 'Completed', 'No effect', '–'],
    ];
    expect(badges).toEqual([...paused, ...ofPods, ...others]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('the page Rules updates its progress without a reload', async () => {
    const { page } = await open('/rules');
    await page.evaluate("document.body.dataset.loaded = 'once'");
    const bar = page.getByRole('progressbar', { name: 'pods evicted by xid-79-quarantine' });
    const valueNow = async () => Number(await bar.getAttribute('aria-valuenow'));
    const before = await valueNow();
    await pass(played.world, 10);
    await expect.poll(valueNow, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + 40);
    expect(await page.getAttribute('body', 'data-loaded')).toBe('once');
    await page.close();
  });

  it('the page Rules shows hostile names as text', async () => {
    const { page, errors } = await open('/rules');
    const name = '<img src=x onerror=alert(1)>';
    const taint = { key: '"><script>alert(2)</script>', effect: 'NoExecute', timeAdded: played.world.now() };
    await createRule(played.world, name, { deviceSelector: { driver: '</td><b>' }, taint });
    await page.getByText(name).first().waitFor();
    const text = await page.innerText('body');
    expect(text).toContain('"><script>alert(2)</script>:NoExecute');
    expect(text).toContain('driver </td><b>');
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('live updates', () => {
  it('a change in the cluster appears in two browsers, which keep focus, typed text, selection and scroll position', async () => {
    const [one, two] = [await open('/fleet', { width: 390 }), await open('/fleet')];
    await one.page.getByLabel('Name contains').fill('node-00');
    await one.page.setViewportSize({ width: 390, height: 500 });
    await one.page.evaluate('scrollTo(0, 200)');
    const link = two.page.getByRole('link', { name: 'node-003' });
    await link.focus();
    await two.page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))");
    const untouched = await two.page.evaluateHandle("document.querySelector('.groups li:nth-child(4) a')");
    await scene.sluice('taint', 'device', 'nic.example.com/node-001/device-2', 'example.com/away:NoSchedule');
    for (const { page } of [one, two]) await page.getByText('3 tainted').first().waitFor();
    expect(await one.page.getByLabel('Name contains').inputValue()).toBe('node-00');
    expect(await one.page.evaluate('document.activeElement.name')).toBe('q');
    expect(await one.page.evaluate('scrollY')).toBe(200);
    expect(await two.page.evaluate('document.activeElement.textContent')).toBe('node-003');
    expect(await two.page.evaluate('String(getSelection())')).toBe('Fleet');
    expect(await untouched.evaluate((element) => (element as { isConnected: boolean }).isConnected)).toBe(true);
    await scene.sluice('untaint', 'device', 'nic.example.com/node-001/device-2');
    await two.page.getByText('2 tainted').first().waitFor();
    await one.page.close();
    await two.page.close();
  });

  it('the focus stays on the button of the same rule when rules and notices around it come and go', async () => {
    const names = [1, 2, 3, 4, 5].map((i) => `focus-${i}`);
    for (const name of names)
      scene.cluster.seed({
        ...gpuRule,
        metadata: { name, annotations: { 'sluice.dev/paused': 'true', 'sluice.dev/evictions-per-second': '1' } },
      });
    const { page } = await open('/rules');
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    const resource = scene.cluster.resource('devicetaintrules');
    const remove = (name: string) => {
      const rule = scene.cluster.store.get(resource, name);
      if (rule) scene.cluster.store.remove(resource, rule);
    };
    await page.getByRole('link', { name: 'Rate DeviceTaintRule/focus-4', exact: true }).last().focus();
    remove('focus-1');
    await page.getByText('Paused: DeviceTaintRule focus-1').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Rate DeviceTaintRule/focus-4');
    await page.getByRole('link', { name: 'Resume DeviceTaintRule focus-4' }).focus();
    remove('focus-2');
    await page.getByText('Paused: DeviceTaintRule focus-2').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Resume DeviceTaintRule focus-4');
    for (const name of ['focus-3', 'focus-4', 'focus-5']) remove(name);
    await page.close();
  });

  it('an open action page and a page of an error show a stop that someone else makes, and keep what was typed', async () => {
    const opened = [await open(pages.pause), await open(pages.missing)];
    const [pause, missing] = opened.map(({ page }) => page);
    await pause?.getByLabel('Reason').fill('typed');
    const html = await pause?.locator('main').innerHTML();
    const stop = { apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionStop', metadata: { name: 'of-another' } };
    scene.cluster.seed({ ...stop, spec: { reason: 'made elsewhere' } });
    for (const page of [pause, missing]) await page?.getByText('by EvictionStop of-another').first().waitFor();
    expect(await pause?.getByLabel('Reason').inputValue()).toBe('typed');
    expect(await pause?.evaluate('document.activeElement.name')).toBe('why');
    expect(await pause?.locator('main').innerHTML()).toBe(html);
    const resource = scene.cluster.resource('evictionstops');
    const made = scene.cluster.store.get(resource, 'of-another');
    if (made) scene.cluster.store.remove(resource, made);
    for (const page of [pause, missing])
      await page?.getByText('by EvictionStop of-another').first().waitFor({ state: 'detached' });
    for (const { page, errors } of opened) {
      expect(errors).toEqual([]);
      await page.close();
    }
  });

  it('an open action page shows how many pods it concerns now, and keeps what was typed', async () => {
    const { page, errors } = await open(pages.pause);
    await page.getByLabel('Reason').fill('typed');
    const { url, ca, token } = scene.cluster;
    const kubectl = createApiClient({ url, ca, token, userAgent: 'kubectl' });
    const label = (mode: string | null) =>
      kubectl.call('PATCH', '/api/v1/namespaces/team-a/pods/pod-00000', {
        body: { metadata: { labels: { 'sluice.dev/eviction-mode': mode } } },
        contentType: 'application/merge-patch+json',
      });
    await label('Skip');
    await page.getByText('3 pods are kept until').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('typed');
    expect(await page.evaluate('document.activeElement.name')).toBe('why');
    await label(null);
    await page.getByText('4 pods are kept until').waitFor();
    kubectl.close();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('a page reports a lost server, and shows the current state when the server is back', async () => {
    const { page } = await open('/fleet');
    const { port } = server;
    await server.stop();
    await page.getByRole('alert').waitFor({ state: 'visible' });
    expect(await page.getByRole('alert').innerText()).toContain('Connection lost');
    await scene.sluice('taint', 'device', 'nic.example.com/node-001/device-2', 'example.com/away:NoSchedule');
    server = await serveConsole({ kubeconfig: scene.kubeconfig, table, port });
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    await page.getByText('3 tainted').first().waitFor();
    await scene.sluice('untaint', 'device', 'nic.example.com/node-001/device-2');
    await page.close();
  }, 180_000);
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 250; presses++) {
    await page.keyboard.press('Tab');
    const text = await page.evaluate<string>('document.activeElement?.textContent?.trim() ?? ""');
    if (text === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

type Press = (page: Page, name: string) => Promise<void>;

const byMouse: Press = (page, name) =>
  page
    .getByRole('link', { name, exact: true })
    .or(page.getByRole('button', { name, exact: true }))
    .first()
    .click();
const byKeyboard: Press = async (page, name) => {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
};

const annotationsOf = (name: string) =>
  objectsOf(scene.cluster, 'devicetaintrules').find(({ metadata }) => metadata.name === name)?.metadata.annotations ??
  {};

describe.each([
  ['by mouse', byMouse],
  ['by keyboard', byKeyboard],
] as const)('actions %s', (_, press) => {
  const done = async (page: Page, button: string) => {
    await press(page, button);
    await page.getByText('Done', { exact: true }).waitFor();
  };
  const start = async (at: string, link: string) => {
    const opened = await open(at);
    await press(opened.page, link);
    await opened.page.getByRole('heading', { name: 'What it will do' }).waitFor();
    return opened;
  };

  it('pause and resume of a rule show their effect before they are done', async () => {
    const { page, errors } = await start('/rules', `Pause ${rule}`);
    await page.getByText('4 pods are kept').waitFor();
    await done(page, 'Pause');
    expect(Object.keys(annotationsOf('unhealthy-gpus'))).toContain('pause.sluice.dev/manual');
    await page.goto(`${server.url}timeline`);
    await page.getByText('Paused: DeviceTaintRule unhealthy-gpus').waitFor();
    await page.goto(`${server.url}rules`);
    await press(page, `Resume ${rule}`);
    await page.getByText('4 pods can be evicted again').waitFor();
    await done(page, 'Resume');
    expect(annotationsOf('unhealthy-gpus')).not.toHaveProperty(['pause.sluice.dev/manual']);
    expect(errors).toEqual([]);
    await page.close();
  }, 180_000);

  it('a new rate shows its effect before it is set', async () => {
    const { page } = await start('/rules', `Rate ${rule}`);
    await page.getByLabel('Evictions a second').fill('0.5');
    await press(page, 'Show what it will do');
    await page.getByText('At 0.5/s').waitFor();
    await done(page, 'Set the rate');
    expect(annotationsOf('unhealthy-gpus')['sluice.dev/evictions-per-second']).toBe('0.5');
    await page.close();
  }, 180_000);

  it('taint and untaint of a device show their effect before they are done', async () => {
    const { page } = await start('/fleet?by=driver&in=nic.example.com', 'Taint nic.example.com/node-001/device-0');
    await page.getByLabel('Taint: KEY=VALUE:EFFECT').fill('example.com/link-down:NoExecute');
    await press(page, 'Show what it will do');
    await page.getByText('1 pod in 1 namespace would be evicted').waitFor();
    await done(page, 'Taint');
    expect(objectsOf(scene.cluster, 'pacedtaintrules')).toHaveLength(1);
    await page.goto(`${server.url}fleet?by=driver&in=nic.example.com`);
    await page.getByText('Untaint nic.example.com/node-001/device-0').waitFor({ state: 'attached' });
    await press(page, 'Untaint nic.example.com/node-001/device-0');
    await page.getByRole('heading', { name: 'What it will do' }).waitFor();
    await done(page, 'Untaint');
    expect(objectsOf(scene.cluster, 'pacedtaintrules')).toHaveLength(0);
    await page.close();
  }, 180_000);

  it('approve shows the plan before it is done', async () => {
    const message = 'Waits for sluice.dev/approve=0123456789ab.';
    const lastTransitionTime = '2026-01-01T11:00:00Z';
    const held = { type: 'sluice.dev/Held', status: 'True', reason: 'ApprovalRequired', message, lastTransitionTime };
    const name = `asks-${_.replace(' ', '-')}`;
    scene.cluster.seed({ ...gpuRule, metadata: { name }, status: { conditions: [held] } });
    const { page } = await start('/rules', `Approve DeviceTaintRule/${name}`);
    await page.getByText('4 pods in 3 namespaces would be evicted').waitFor();
    await done(page, 'Approve');
    expect(annotationsOf(name)['sluice.dev/approve']).toBe('0123456789ab');
    await page.close();
  }, 180_000);
});

it('no element is animated for a reader who prefers reduced motion', async () => {
  const { page } = await open('/rules', { reducedMotion: 'reduce' });
  const moving =
    "[...document.querySelectorAll('*')].filter((one) => { const s = getComputedStyle(one); return s.transitionDuration !== '0s' || s.animationName !== 'none'; }).length";
  expect(await page.evaluate(moving)).toBe(0);
  await page.close();
});

/** Pixels of the dashboard's widget on a screen of 1920 by 1080: 15 of 24 columns, eight rows without the title. */
const widget = { width: 1180, height: 445 };

it.each(['light', 'dark'] as const)(
  'the dashboard widget shows without scrolling whether Sluice works, what is held and what is pending, in the %s theme',
  async (theme) => {
    const page = await browser.newPage({ viewport: widget });
    await page.setContent(renderWidget(await played.read(), theme));
    const bottomOf = (selector: string) =>
      page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().bottom`);
    expect(await page.innerText('.answers')).toMatch(/yes: .* evicted.*Is it held\?.*\d+ pods: xid-79-quarantine \d+/s);
    expect(await bottomOf('.tiles')).toBeLessThan(widget.height);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(widget.width);
    if (pictures !== undefined) await page.screenshot({ path: path.join(pictures, `widget-${theme}.png`) });
    await page.close();
  },
);

/** Five thousand nodes with eight devices each, in every state. */
const largeFleet: Fleet = Array.from({ length: 5000 }, (_, node) =>
  Array.from({ length: 8 }, (__, i) => ({
    driver: 'gpu.example.com',
    pool: `node-${node}`,
    device: `gpu-${i}`,
    state: deviceStates[(node + i) % deviceStates.length] ?? 'Free',
    node: `node-${node}`,
    team: `team-${node % 20}`,
    className: `class-${i % 4}`,
  })),
);
const nodesOfDocument =
  '(() => { const all = document.createTreeWalker(document, NodeFilter.SHOW_ALL); let n = 1; while (all.nextNode()) n++; return n; })()';

describe.each(groupings)('a fleet of 40,000 devices by %s', (by) => {
  it.each([
    ['of the whole fleet', undefined],
    ['of the largest group', 'largest'],
  ] as const)('the page Fleet %s is a document of at most 5,000 nodes', async (_, part) => {
    const groups = createGroupReader()(largeFleet, by);
    const [largest] = groups.toSorted((a, b) => b.devices.length - a.devices.length);
    const query = { by, search: '', page: 1, ...(part === undefined ? {} : { in: largest?.name ?? '' }) };
    const notices = Array.from({ length: 50 }, (__, i) => ({ kind: 'Held' as const, what: `rule ${i}`, why: 'held' }));
    const frame = { cluster: 'prod', at: 0, health: { isGood: true, text: 'cluster watched' }, notices, missing: [] };
    const page = await browser.newPage();
    await page.setContent(renderDocument(frame, fleetPage(groups, query, { may: () => true, made: new Set() })));
    expect(await page.evaluate<number>(nodesOfDocument)).toBeLessThanOrEqual(5000);
    await page.close();
  });
});

describe('a cluster of 60 nodes', () => {
  beforeAll(async () => {
    const fleet = describeFleet({ nodes: 60, devicesPerNode: 4, pods: 200, drivers: ['gpu.example.com'] });
    populate(fleet, (manifest) => scene.cluster.seed(manifest));
    await server.shows('/fleet', '60 nodes');
  });

  it.each(['/fleet', '/fleet?by=driver&in=gpu.example.com', '/rules', `/plan/${rule}`])(
    'the page %s of 60 nodes is less than 1,600 px high on a phone and does not overflow',
    async (at) => {
      const { page } = await open(at, { width: 390 });
      expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(phonePage);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      await page.close();
    },
  );
});
