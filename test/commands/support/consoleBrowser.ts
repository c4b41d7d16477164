// The console over a cluster of its own, and a Chromium to open its pages with.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { TableSource } from '../../../lib/commands/console/source.ts';
import type { ClusterProgress } from '../../../lib/view/progress.ts';
import { type ServedScene, serveConsole } from './consoleScene.ts';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Folder for screenshots to review by eye; none are taken if it is unset. */
const pictures = process.env.SLUICE_PICTURES;

export interface ConsoleBrowser {
  readonly server: ServedScene;
  readonly browser: Browser;
  stop(): Promise<void>;
}

export async function openConsoleBrowser(by: {
  readonly kubeconfigYaml: string;
  readonly table: TableSource;
}): Promise<ConsoleBrowser> {
  if (!existsSync(executablePath))
    throw new Error(`no browser at ${executablePath}: name another Chromium in CHROMIUM`);
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-console-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, by.kubeconfigYaml);
  const server = await serveConsole({ kubeconfig, table: by.table });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
  return {
    server,
    browser,
    async stop() {
      await browser.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A table whose progress is the same at every moment, and that has no records. */
export function standingTable(progress: ClusterProgress): TableSource {
  return {
    state: () => Promise.reject(new Error('not asked')),
    progress: async () => ({ ...progress, at: Date.now() }),
  };
}

/** Of the whole page in each width, if pictures are wanted; `name` without an extension. */
export async function takePicture(page: Page, name: string, widths: readonly number[]): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: path.join(pictures, `${name}-${width}.png`), fullPage: true });
  }
}
