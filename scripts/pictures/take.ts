// Takes the README's screenshots of the running demo: terminal as SVG and page as PNG, light and dark, and their text.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type Frame, startSession } from './session.ts';
import { type Theme, terminalSvg } from './terminalSvg.ts';

const root = path.join(import.meta.dirname, '..', '..');
const size = { columns: 120, rows: 36 } as const;
const themes: readonly Theme[] = ['light', 'dark'];
const chromiumFlags = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'];

/** Waits for this number of evictions in the first act, so that every device state is on the screen. */
const enough = /bad-driver +Evicting .* (?:1[2-9]|2\d) evicted/;

/** Writes the pictures and `pictures.txt`, their text without numbers and names that differ between runs; returns that text. */
export async function takePictures(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const session = startSession({ ...size, command: 'node bin/sluice.ts demo', folder: root });
  let browser: Browser | undefined;
  try {
    const [, url = ''] = /page (http:\S+)/.exec((await session.shows(/page http:\S+/)).text) ?? [];
    browser = await openBrowser();
    const frame = await session.shows(enough);
    const page = await takePage(browser, { url, folder });
    for (const theme of themes) writeFileSync(path.join(folder, `terminal-${theme}.svg`), svgOf(frame, theme));
    const text = maskedText(frame.text, page);
    writeFileSync(path.join(folder, 'pictures.txt'), text);
    return text;
  } finally {
    await browser?.close();
    await session.stop();
  }
}

function svgOf({ lines }: Frame, theme: Theme): string {
  const title = 'The terminal of npm start: the act, a map of the fleet, a rule with its rate, the last evictions';
  return terminalSvg(lines.map(withoutFolder), { theme, columns: size.columns, title });
}

/** Replaces the temporary folder of this machine. */
function withoutFolder(line: string): string {
  return line.replace(/KUBECONFIG=\S+\/kubeconfig/, 'KUBECONFIG=/tmp/sluice-cluster/kubeconfig');
}

function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: chromiumFlags });
}

/** Regions that always have the same text; notices and conditions differ between runs. */
const pictured = ['nav', '#status', '#r-tiles', '#r-cards', '#r-last'];

/** Takes the page in both themes; returns the text of the light one. */
async function takePage(browser: Browser, by: { readonly url: string; readonly folder: string }): Promise<string> {
  let text = '';
  for (const theme of themes) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: theme });
    await page.goto(`${by.url}rules`);
    // Wait for the links to actions, which appear after the cluster and the user's rights are read.
    await page.locator('#r-cards').getByRole('link', { name: 'Pause' }).first().waitFor();
    await page.screenshot({ path: path.join(by.folder, `page-${theme}.png`) });
    text ||= (await Promise.all(pictured.map((part) => page.innerText(part)))).join('\n');
    await page.close();
  }
  return text;
}

/** Distinct lines of the pictures, without numbers, times and pod names. */
export function maskedText(terminal: string, page: string): string {
  return `# terminal\n${masked(terminal)}\n\n# page\n${masked(page)}\n`;
}

/** Replacements for text that depends on the moment of the screenshot. */
const momentary: readonly (readonly [RegExp, string])[] = [
  [/\b(?:serving|vision|robotics|search)\/[a-z]+-[a-z0-9]{5}\b/g, 'POD'],
  [/KUBECONFIG=\S+/, 'KUBECONFIG=FILE'],
  [/[■·×▲▽█▓▒░]+(?: +[■·×▲▽█▓▒░]+)*/g, '▒'],
  [/\d[\d,.:]*/g, '#'],
  [/# min(?: # s)?\b|# s\b|\bnow\b/g, '#'],
  [/just #|# ago/g, '# ago'],
  [/^at this pace, /, ''],
  [/, with a burst/, ''],
  // Whether and where the pace line is cut depends on the numbers in it.
  [/^\s*(#\/s of #\/s allowed .*) on driver .*$/, '$1 on driver…'],
  [/ ▒ # pods? not running yet/, ''],
  [/ ▒(?: [a-z]+ #,?)+$/, ''],
  [/\s+/g, ' '],
];
/** Lines that appear only at some moments. */
const fleeting =
  /^(?:[#–]|# %|▒|# (?:deleting|pending|evicted|to go|waiting)|POD|until # UTC|not known|none planned|at #)?$/;

function masked(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => momentary.reduce((rest, [pattern, by]) => rest.replace(pattern, by), line).trim());
  return [...new Set(lines.filter((line) => !fleeting.test(line)))].sort().join('\n');
}
