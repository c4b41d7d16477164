// Measures console pages in Chromium: first paint, time until updates are painted, DOM nodes and heap.
import { type Browser, chromium, type Page } from 'playwright-core';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags });
}

/** Records when the last map change was painted (epoch milliseconds) and the script's time; only the last, to save memory. */
const note = `
window.seen = { changes: 0, painted: 0, at: 0, took: 0 };
const add = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (type, listener) {
  if (type !== 'patch') return add.call(this, type, listener);
  return add.call(this, type, (event) => {
    const began = performance.now();
    listener(event);
    const took = performance.now() - began;
    if (!event.data.includes('"map":')) return;
    window.seen.changes += 1;
    requestAnimationFrame(() => setTimeout(() => {
      window.seen.painted += 1;
      window.seen.at = performance.timeOrigin + performance.now();
      window.seen.took = took;
    }));
  });
};`;

export async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(120_000);
  await page.addInitScript(note);
  await page.goto(url);
  return page;
}

/** Milliseconds from the start of the navigation. */
export async function firstPaint(browser: Browser, url: string): Promise<number> {
  const page = await openPage(browser, url);
  const at = await until(page, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0");
  await page.close();
  return at;
}

/** Polls until the value is positive: the page's Content-Security-Policy prevents Playwright's waitForFunction. */
async function until(page: Page, positive: string): Promise<number> {
  const end = Date.now() + 120_000;
  for (;;) {
    const value = await page.evaluate<number>(positive);
    if (value > 0) return value;
    if (Date.now() > end) throw new Error(`not after two minutes: ${positive}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function changesOf(page: Page): Promise<number> {
  return page.evaluate<number>('window.seen.changes');
}

export interface Painted {
  /** Milliseconds from the change in the cluster until the page shows it. */
  readonly shownMs: number;
  /** Milliseconds of that in the page's script. */
  readonly scriptMs: number;
}

/** Makes one change and waits until it is painted; no other change may be in progress. */
export async function timeChange(page: Page, change: () => void): Promise<Painted> {
  const before = await page.evaluate<number>('window.seen.painted');
  const began = Date.now();
  change();
  await until(page, `window.seen.painted - ${before}`);
  const [painted, scriptMs] = await page.evaluate<readonly [number, number]>('[window.seen.at, window.seen.took]');
  return { shownMs: painted - began, scriptMs };
}

/** Number of DOM nodes: elements, texts and comments. */
export function nodesOf(page: Page): Promise<number> {
  const count = `(() => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let nodes = 1;
    while (walker.nextNode()) nodes += 1;
    return nodes;
  })()`;
  return page.evaluate<number>(count);
}

/** Heap in bytes after a garbage collection. */
export async function usedHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
