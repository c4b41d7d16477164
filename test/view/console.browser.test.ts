// The local page in a real browser, over a table in which the real steps are at work.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleServer, startConsole } from '../../lib/local/console/server.ts';
import { createRule, deleteRule, pass, playScene, type Scene } from './scene.ts';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** An expression that answers with the texts whose contrast is too low. */
const lowContrast = readFileSync(path.resolve(import.meta.dirname, 'lowContrast.js'), 'utf8');

/** The flags a browser needs in a container, and those that keep it from all other hosts. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Browser;
let scene: Scene;
let server: ConsoleServer;

beforeAll(async () => {
  if (!existsSync(executablePath))
    throw new Error(
      `no browser at ${executablePath}: apt-get install -y --no-install-recommends chromium fonts-dejavu-core, or name another Chromium in CHROMIUM`,
    );
  scene = await playScene();
  const read = async () => ({ ...(await scene.read()), cluster: 'prod-eu-1' });
  server = await startConsole({ read });
  browser = await chromium.launch({ executablePath, args });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

interface Look {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

async function open({ width = 1200, colorScheme = 'light' }: Look = {}): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 1560 }, colorScheme });
  page.setDefaultTimeout(10_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('dialog', async (dialog) => {
    errors.push(`dialog ${dialog.message()}`);
    await dialog.dismiss();
  });
  await page.goto(server.url);
  return { page, errors };
}

/** As the API server received them. */
function deletesOf(workload: string): number {
  return scene.world.api.deletes.filter((one) => one.pod.name.startsWith(workload)).length;
}

function deletedByQuarantine(): number {
  return deletesOf('llm-pretrain-worker') + deletesOf('embedding-backfill');
}

function bar(page: Page, rule: string) {
  return page.getByRole('progressbar', { name: `pods evicted by ${rule}` });
}

describe('the local page in a browser', () => {
  it('shows the cluster, its watcher, every rule in its state and why pods went', async () => {
    const { page, errors } = await open();
    const text = await page.innerText('body');
    for (const expected of [
      'prod-eu-1',
      'watcher live',
      '3 of 5 pods evicted',
      'driver tpu.example.com, pool tpu-node-01',
      'example.com/unhealthy=xid-79:NoExecute',
      'DeviceTaintRule xid-79-quarantine',
      '18 kept',
    ])
      expect(text).toContain(expected);
    const badges = await page.locator('.badge').allInnerTexts();
    expect(badges).toEqual(['Evicting', 'Evicting', 'Waiting', 'Stopped', 'Completed', 'No effect']);
    // A record is closed within a second of its DELETE, at five a second.
    const deleted = deletedByQuarantine();
    const shown = Number(/(\d+) of 900 pods evicted/.exec(text)?.[1]);
    expect(deleted).toBeGreaterThan(340);
    expect(shown).toBeLessThanOrEqual(deleted);
    expect(shown).toBeGreaterThanOrEqual(deleted - 5);
    expect(await bar(page, 'xid-79-quarantine').getAttribute('aria-valuenow')).toBe(String(shown));
    expect(errors).toEqual([]);
    await page.close();
  });

  it('is readable on a phone and in the dark: nothing sticks out, texts keep their contrast', async () => {
    for (const look of [
      { width: 400 },
      { width: 400, colorScheme: 'dark' as const },
      { width: 1200, colorScheme: 'dark' as const },
    ]) {
      const { page, errors } = await open(look);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(look.width);
      expect(await page.evaluate(lowContrast)).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    }
  });

  it('moves without being reloaded, and shows the end', async () => {
    const { page, errors } = await open();
    await page.evaluate("document.body.dataset.loaded = 'once'");
    const before = deletedByQuarantine();
    await pass(scene.world, 10);
    expect(deletedByQuarantine()).toBeGreaterThanOrEqual(before + 48);
    const valueNow = async () => Number(await bar(page, 'xid-79-quarantine').getAttribute('aria-valuenow'));
    await expect.poll(valueNow, { timeout: 10_000 }).toBeGreaterThanOrEqual(deletedByQuarantine() - 5);
    await deleteRule(scene.world, scene.quarantine);
    await pass(scene.world, 2);
    const evicted = deletedByQuarantine();
    await page.getByText(`${900 - evicted} kept`).waitFor();
    expect(await bar(page, 'xid-79-quarantine').count()).toBe(0);
    expect(await page.getAttribute('body', 'data-loaded')).toBe('once');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows hostile names as text', async () => {
    const { page, errors } = await open();
    const name = '<img src=x onerror=alert(1)>';
    const taint = { key: '"><script>alert(2)</script>', effect: 'NoExecute', timeAdded: scene.world.now() };
    await createRule(scene.world, name, { deviceSelector: { driver: '</td><b>' }, taint });
    await page.getByText(name).first().waitFor();
    const text = await page.innerText('body');
    expect(text).toContain('"><script>alert(2)</script>:NoExecute');
    expect(text).toContain('driver </td><b>');
    expect(await page.locator('img, #live script').count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('says so when there is no answer any more', async () => {
    const { page } = await open();
    await page.route('**/fragment', (route) => route.abort());
    await page.getByRole('alert').waitFor({ state: 'visible' });
    expect(await page.getByRole('alert').innerText()).toContain('Connection lost');
    await page.unroute('**/fragment');
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    await page.close();
  });
});
