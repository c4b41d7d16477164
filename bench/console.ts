// `npm run bench:console`: the console with 40,000 devices and 100,000 pods in Chromium against targets; shorter: `-- --minutes 1`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { changesOf, firstPaint, nodesOf, openBrowser, openPage, timeChange, usedHeap } from './console/browser.ts';
import { type LargeCluster, plannedRule, size, startLargeCluster } from './console/cluster.ts';
import { measureModel } from './console/model.ts';
import { type ServedConsole, serveConsole } from './console/server.ts';
import { renderFullTimeline } from './console/timeline.ts';

const { values: given } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(given.minutes);
if (!(minutes > 0)) {
  console.error('usage: npm run bench:console -- [--minutes N]');
  process.exit(2);
}
/** Changes in the cluster per second: 3,600 in ten minutes. */
const perSecond = 6;
/** Minutes between two measurements of the heaps. */
const sampledEvery = 10;
const loads = 5;
const timed = 30;
/** Milliseconds (updates: median and 95th percentile), nodes of a document, and maximum relative growth of a heap. */
const targets = { firstPaintMs: 1000, updateMs: 100, nodes: 5000, growth: 0.1 };

const map = '/fleet';
const pages = [
  map,
  '/fleet?by=driver',
  '/fleet?by=team',
  '/fleet?by=driver&in=gpu.example.com',
  '/rules',
  `/plan/${plannedRule}`,
  '/why',
];

const began = Date.now();
const say = (text: string) =>
  console.error(`${String(Math.round((Date.now() - began) / 1000)).padStart(5)} s  ${text}`);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

say('the model, without a browser');
const model = measureModel();
say(`a simulated cluster of ${size.devices} devices and ${size.pods} pods`);
const large = await startLargeCluster();
const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
const kubeconfig = path.join(folder, 'kubeconfig');
writeFileSync(kubeconfig, large.cluster.kubeconfigYaml);
let [server, browser]: [ServedConsole | undefined, Browser | undefined] = [undefined, undefined];
try {
  server = await serveConsole(kubeconfig);
  const known = await untilKnown(server.url);
  say(`the console has read the cluster after ${Math.round(known / 1000)} s`);
  browser = await openBrowser();
  const figures = { ...(await measureLoads(server.url, browser)), ...(await measureUpdates(server, browser)) };
  const all = { cpus: cpus().length, load: loadavg().map(Math.round), model, readMs: known, ...figures };
  console.log(JSON.stringify({ figures: all, targets }));
  const isMet =
    figures.firstPaintMs < targets.firstPaintMs &&
    figures.updateP50Ms < targets.updateMs &&
    figures.updateP95Ms < targets.updateMs &&
    figures.nodes <= targets.nodes &&
    figures.serverGrowth <= targets.growth &&
    figures.pageGrowth <= targets.growth;
  process.exitCode = isMet ? 0 : 1;
} finally {
  await browser?.close();
  await server?.stop();
  await large.cluster.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Milliseconds until the console knows the cluster, from the first page, which starts the watch. */
async function untilKnown(url: string): Promise<number> {
  const from = Date.now();
  const isKnown = async () => {
    // While the console reads a large cluster, it may close an idle connection.
    const text = await fetch(`${url}${map}`)
      .then((answer) => answer.text())
      .catch(String);
    return text.includes('cluster watched') && text.includes('40,000 devices');
  };
  while (!(await isKnown())) {
    if (Date.now() - from > 300_000) throw new Error('the console has not read the cluster after five minutes');
    await sleep(500);
  }
  return Date.now() - from;
}

async function measureLoads(url: string, browser: Browser) {
  const paints: number[] = [];
  for (let i = 0; i < loads; i++) paints.push(await firstPaint(browser, `${url}${map}`));
  let nodes = 0;
  const count = async (name: string, page: Page) => {
    const found = await nodesOf(page);
    say(`${name}: ${found} nodes`);
    nodes = Math.max(nodes, found);
    await page.close();
  };
  for (const one of pages) await count(one, await openPage(browser, `${url}${one}`));
  const page = await browser.newPage();
  await page.setContent(renderFullTimeline(Date.now()));
  await count('/timeline with as many evictions as are read', page);
  return { firstPaintMs: quantile(paints, 0.5), nodes };
}

async function measureUpdates(server: ServedConsole, browser: Browser) {
  const page = await openPage(browser, `${server.url}${map}`);
  await sleep(2000);
  const seen = [];
  for (let i = 0; i < timed; i++) {
    seen.push(await timeChange(page, () => large.change(i)));
    await sleep(700);
  }
  const memory = await measureMemory({ server, page, large });
  await page.close();
  return {
    updateP50Ms: quantile(
      seen.map(({ shownMs }) => shownMs),
      0.5,
    ),
    updateP95Ms: quantile(
      seen.map(({ shownMs }) => shownMs),
      0.95,
    ),
    scriptP50Ms: quantile(
      seen.map(({ scriptMs }) => scriptMs),
      0.5,
    ),
    ...memory,
  };
}

/** Heaps after a tenth of the changes (the baseline, with permanent allocations), every ten minutes, and at the end. */
async function measureMemory(of: {
  readonly server: ServedConsole;
  readonly page: Page;
  readonly large: LargeCluster;
}) {
  const { server, page } = of;
  const changes = Math.round(minutes * 60 * perSecond);
  const early = Math.round(changes / 10);
  const each = sampledEvery * 60 * perSecond;
  const marks = [early, ...Array.from({ length: Math.ceil(changes / each) - 1 }, (_, i) => (i + 1) * each), changes];
  const samples: Heaps[] = [];
  let [done, shown] = [0, 0];
  for (const mark of marks.filter((one, i) => one > (marks[i - 1] ?? 0))) {
    await play(of.large, { from: done, to: mark });
    done = mark;
    const sample = { changes: done, ...(await heaps(server, page)) };
    say(`${done} changes: ${sample.server} MiB in the server, ${sample.page} MiB in the page`);
    samples.push(sample);
    if (samples.length === 1) shown = await changesOf(page);
  }
  const [before, after] = [samples.at(0), samples.at(-1)];
  if (!before || !after) throw new Error('no heap was measured');
  const nodesAfter = await nodesOf(page);
  if (nodesAfter > targets.nodes) throw new Error(`the page has ${nodesAfter} nodes after ${changes} changes`);
  return {
    changes,
    shown: (await changesOf(page)) - shown,
    heapsMiB: samples,
    serverGrowth: share(before.server, after.server),
    pageGrowth: share(before.page, after.page),
  };
}

async function play(to: LargeCluster, range: { readonly from: number; readonly to: number }): Promise<void> {
  const began = Date.now();
  for (let i = range.from; i < range.to; i++) {
    to.change(i);
    await sleep(Math.max(0, began + ((i + 1 - range.from) * 1000) / perSecond - Date.now()));
  }
}

interface Heaps {
  readonly changes: number;
  readonly server: number;
  readonly page: number;
}

async function heaps(server: ServedConsole, page: Page) {
  const mebibytes = (bytes: number) => Math.round((bytes / 1024 / 1024) * 10) / 10;
  return { server: mebibytes(await server.usedHeap()), page: mebibytes(await usedHeap(page)) };
}

function share(before: number, after: number): number {
  return Math.round((1000 * (after - before)) / before) / 1000;
}

function quantile(of: readonly number[], share: number): number {
  const sorted = of.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
