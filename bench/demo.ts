// `npm run bench:demo`: time until an action by kubectl, key or page is visible in the other two; the target is one second.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { parse } from 'yaml';
import { type ApiClient, createApiClient } from '../lib/local/cluster/client.ts';
import { type Session, startSession } from '../scripts/pictures/session.ts';
import { ensureGoPrograms } from '../test/cluster/binary.ts';
import { openBrowser } from './console/browser.ts';

const { values: given } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(given.rounds);
if (!(Number.isInteger(rounds) && rounds > 0)) {
  console.error('usage: npm run bench:demo -- [--rounds N]');
  process.exit(2);
}
const targetMs = 1000;
/** Milliseconds between two polls; the maximum error of a figure. */
const lookEvery = 25;
const patience = 30_000;
const folder = path.join(import.meta.dirname, '..');
const stops = '/apis/sluice.dev/v1alpha1/evictionstops';
const rules = '/apis/resource.k8s.io/v1/devicetaintrules';
const name = 'measured';

const began = Date.now();
const say = (text: string) =>
  console.error(`${String(Math.round((Date.now() - began) / 1000)).padStart(5)} s  ${text}`);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds by action and by the place where it became visible. */
const times = new Map<string, number[]>();

/** The three user interfaces: kubectl, terminal and page. */
interface Places {
  readonly session: Session;
  readonly page: Page;
  readonly api: ApiClient;
  /** Resolves when kubectl has ended; rejects if it failed. */
  kubectl(args: readonly string[], stdin?: string): Promise<void>;
}
/** Whether it is seen; `over`: it cannot be seen any more, because the rule was completed meanwhile. */
type Seen = boolean | 'over';
type Look = () => Seen | Promise<Seen>;

/** Measures each of `seen` from the moment at which `act` is performed. */
async function time(what: string, act: () => Promise<unknown> | unknown, seen: Readonly<Record<string, Look>>) {
  await act();
  const from = Date.now();
  await Promise.all(
    Object.entries(seen).map(async ([where, look]) => {
      let seenNow = await look();
      while (!seenNow) {
        if (Date.now() - from > patience) throw new Error(`${what}: not seen ${where} after ${patience / 1000} s`);
        await sleep(lookEvery);
        seenNow = await look();
      }
      if (seenNow === 'over') return;
      const key = `${what} → ${where}`;
      times.set(key, [...(times.get(key) ?? []), Date.now() - from]);
    }),
  );
}

const { SLUICE_CONTROL_PLANE: binary } = await ensureGoPrograms(say);
const load = loadavg()[0] ?? 0;
if (load > 1) say(`the machine is busy: its load is ${load.toFixed(1)}`);
const session = startSession({ columns: 160, rows: 60, folder, command: 'node bin/sluice.ts demo' });
let browser: Browser | undefined;
try {
  const { text } = await session.shows(/Act 1 of 3[\s\S]*KUBECONFIG=\S+/);
  const [, url = ''] = /page (http:\S+)/.exec(text) ?? [];
  const [, kubeconfig = ''] = /KUBECONFIG=(\S+)/.exec(text) ?? [];
  browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1440, height: 2000 } });
  const places: Places = { session, page, api: apiOf(kubeconfig), kubectl: kubectlOf(kubeconfig) };
  await page.goto(`${url}rules`);
  await page.locator('#r-cards').getByRole('link', { name: 'Pause' }).first().waitFor();
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`);
    await measureStops(places);
    await measureKeys(places, `${url}rules`);
    await measureRates(places, { rulesPage: `${url}rules`, name: `measured-${round}` });
  }
  places.api.close();
} finally {
  await browser?.close();
  await session.stop();
}
const figures = [...times].map(([what, all]) => {
  const sorted = all.toSorted((a, b) => a - b);
  return { what, median: sorted[Math.floor(sorted.length / 2)] ?? 0, most: sorted.at(-1) ?? 0 };
});
const width = Math.max(...figures.map(({ what }) => what.length));
for (const { what, median, most } of figures)
  console.log(`${what.padEnd(width)}  median ${String(median).padStart(5)} ms  most ${String(most).padStart(5)} ms`);
const most = Math.max(...figures.map((one) => one.most));
console.log(JSON.stringify({ cpus: cpus().length, load, rounds, mostMs: most, targetMs }));
process.exitCode = most <= targetMs ? 0 : 1;

async function measureStops({ session, page, api, kubectl }: Places): Promise<void> {
  const onScreen = (pattern: RegExp) => () => pattern.test(session.frames.at(-1)?.text ?? '');
  const onPage = (pattern: RegExp) => async () => pattern.test(await textOf(page));
  const inCluster = async () => JSON.stringify((await api.call('GET', stops)).body);
  const stop = {
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionStop',
    metadata: { name },
    spec: { reason: 'timed' },
  };
  await time('kubectl creates an EvictionStop', () => kubectl(['create', '-f', '-'], JSON.stringify(stop)), {
    'in the terminal': onScreen(/Paused by .*: no pod is evicted/),
    'on the page': onPage(/timed/),
  });
  await time('kubectl deletes an EvictionStop', () => kubectl(['delete', 'evictionstop', name]), {
    'in the terminal': async () => !onScreen(/Paused by .*: no pod is evicted/)(),
    'on the page': async () => !(await onPage(/timed/)()),
  });
  await time('p pauses', () => session.type('p'), {
    'in kubectl': async () => /"name":"by-key"/.test(await inCluster()),
    'on the page': onPage(/p was pressed in the terminal/),
  });
  await page
    .getByRole('link', { name: /^Resume/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'What it will do' }).waitFor();
  await time('the page resumes', () => page.getByRole('button', { name: 'Resume', exact: true }).click(), {
    'in kubectl': async () => !/"name":"by-key"/.test(await inCluster()),
    'in the terminal': async () => !onScreen(/Paused by .*: no pod is evicted/)(),
  });
}

/** Rates of all rules by name, as annotated. */
async function ratesIn(api: ApiClient): Promise<ReadonlyMap<string, string>> {
  const rates = new Map<string, string>();
  for (const path of [rules, '/apis/sluice.dev/v1alpha1/pacedtaintrules']) {
    const { items } = (await api.call('GET', path)).body as {
      items: { metadata: { name: string; annotations?: Record<string, string> } }[];
    };
    for (const { metadata } of items)
      rates.set(metadata.name, metadata.annotations?.['sluice.dev/evictions-per-second'] ?? '');
  }
  return rates;
}

/** Keys t and r: the first taints a node, the second raises the rate of a rule that evicts. */
async function measureKeys({ session, page, api, kubectl }: Places, rulesPage: string): Promise<void> {
  await page.goto(rulesPage);
  const before = await ratesIn(api);
  const made = async () => [...(await ratesIn(api)).keys()].find((one) => /^tainted-/.test(one) && !before.has(one));
  await time('t taints a node', () => session.type('t'), {
    'in kubectl': async () => (await made()) !== undefined,
    'on the page': async () => {
      const rule = await made();
      return rule !== undefined && (await textOf(page)).includes(rule);
    },
  });
  const rule = (await made()) ?? '';
  await session.shows(new RegExp(`${rule} +Evicting`));
  const rates = await ratesIn(api);
  const changed = async () =>
    [...(await ratesIn(api))].find(([one, rate]) => rates.has(one) && rates.get(one) !== rate);
  await time('r raises a rate', () => session.type('r'), {
    'in kubectl': async () => (await changed()) !== undefined,
    'on the page': async () => {
      const [one, rate] = (await changed()) ?? [];
      const [, card] = one === undefined ? [] : (await textOf(page)).split(new RegExp(`^${one}$`, 'm'));
      return card === undefined ? one !== undefined && 'over' : card.slice(0, 400).includes(`of ${rate}/s`);
    },
  });
  // The other figures are of the demo's own pace.
  session.type('R');
  await kubectl(['delete', 'devicetaintrule', rule]);
}

async function measureRates(
  { session, page, api, kubectl }: Places,
  { rulesPage, name }: { readonly rulesPage: string; readonly name: string },
): Promise<void> {
  await page.goto(rulesPage);
  const rateOf = async () => {
    const { body } = await api.call('GET', `${rules}/${name}`);
    return JSON.stringify(body).match(/"sluice.dev\/evictions-per-second":"([\d.]+)"/)?.[1];
  };
  const lineOf = () =>
    session.frames
      .at(-1)
      ?.text.split(new RegExp(`^${name} `, 'm'))[1]
      ?.slice(0, 400) ?? '';
  const cardOf = async () => (await textOf(page)).split(new RegExp(`^${name}$`, 'm'))[1]?.slice(0, 400) ?? '';
  const rule = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceTaintRule',
    metadata: { name, annotations: { 'sluice.dev/evictions-per-second': '0.01', 'sluice.dev/burst': '1' } },
    spec: {
      deviceSelector: { driver: 'gpu.example.com', pool: 'gpu-03' },
      taint: { key: 'example.com/figures', effect: 'NoExecute' },
    },
  };
  await time('kubectl creates a rule', () => kubectl(['create', '-f', '-'], JSON.stringify(rule)), {
    'in the terminal': () => lineOf() !== '',
    'in the list of the page': async () => new RegExp(`\\b${name}\\b`).test(await textOf(page)),
    'on the page': async () => (await cardOf()) !== '',
  });
  const annotate = ['annotate', '--overwrite', 'devicetaintrule', name, 'sluice.dev/evictions-per-second=0.02'];
  await time('kubectl changes a rate', () => kubectl(annotate), {
    'in the terminal': () => lineOf().includes('0.02/s'),
    'on the page': async () => (await cardOf()).includes('0.02/s'),
  });
  await page
    .getByRole('link', { name: `Rate DeviceTaintRule/${name}`, exact: true })
    .first()
    .click();
  await page.getByLabel('Evictions a second').fill('0.03');
  await page.getByRole('button', { name: 'Show what it will do' }).click();
  await page.getByRole('heading', { name: 'What it will do' }).waitFor();
  await time('the page changes a rate', () => page.getByRole('button', { name: 'Set the rate' }).click(), {
    'in kubectl': async () => (await rateOf()) === '0.03',
    'in the terminal': () => lineOf().includes('0.03/s'),
  });
  await page.goto(rulesPage);
  await time('kubectl deletes a rule', () => kubectl(['delete', 'devicetaintrule', name]), {
    'in the terminal': () => !lineOf().includes('0.03/s'),
    'on the page': async () => !(await cardOf()).includes('0.03/s'),
  });
}

/** Visible text of the page, polled: the page's Content-Security-Policy prevents Playwright's waitForFunction. */
function textOf(page: Page): Promise<string> {
  return page.evaluate<string>('document.body.innerText').catch(() => '');
}

function apiOf(kubeconfig: string): ApiClient {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'));
  const { server, 'certificate-authority-data': data } = clusters[0].cluster;
  return createApiClient({
    url: server,
    ca: Buffer.from(data, 'base64').toString('utf8'),
    token: users[0].user.token,
    userAgent: 'bench',
  });
}

function kubectlOf(kubeconfig: string): Places['kubectl'] {
  return async (args, stdin = '') => {
    const child = spawn(binary, ['kubectl', '--kubeconfig', kubeconfig, ...args], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let why = '';
    child.stderr.on('data', (data: Buffer) => (why += data));
    child.stdin.end(stdin);
    const [status] = await once(child, 'close');
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${why}`);
  };
}
