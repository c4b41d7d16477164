// The whole CloudWatch dashboard in Chromium: each widget at its place, drawn from the metrics of a running installation.
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import { currentState } from '../../lib/state/incarnationRows.ts';
import { createProgressReader } from '../../lib/view/readModel.ts';
import { createLife, type Life } from '../alarms/life.ts';
import { watchedAlarm } from '../alarms/watchedAlarm.ts';
import { dimensionsOf } from '../infra/support/alarms.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { aClaim, aPod, aRule, driver, upserted } from '../support/objects.ts';
import { renderDashboard, widgetsOf } from './support/dashboardPage.ts';

/** Folder for screenshots to review by eye; none are taken if it is unset. */
const pictures = process.env.SLUICE_PICTURES;
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const start = 1_800_000_000_000;
/** The part of a screen of 1920 by 1080 that a browser leaves to the page. */
const viewport = { width: 1920, height: 945 };

let life: Life;
let browser: Browser;
let read: ReturnType<typeof createProgressReader>;

beforeAll(async () => {
  life = createLife(start);
  const { account, table } = life;
  read = createProgressReader(() => currentState(table, 'prod'), { now: account.now });
  await life.live(20);
  taint('slow-rule', { 'sluice.dev/evictions-per-second': '0.01', 'sluice.dev/burst': '1' });
  taint('paused-rule', { 'sluice.dev/paused': 'true' });
  await life.live(11);
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}, 240_000);

afterAll(() => browser?.close());

/** Creates a rule for a device of its own, which twelve pods use. */
function taint(name: string, annotations: Readonly<Record<string, string>>): void {
  const { account, api, queue } = life;
  const server = api.prod;
  if (!server) throw new Error('no API server of prod');
  const pods = Array.from({ length: 12 }, (_, i) =>
    aPod(`${name}-${i}`, { resourceClaims: [{ name: 'gpu', resourceClaimName: `claim-${name}` }] }),
  );
  const reservedFor = pods.map((pod) => ({ resource: 'pods', name: pod.name, uid: pod.uid }));
  const rule = aRule(name, account.now(), { deviceSelector: { driver, device: name }, annotations });
  for (const pod of pods) server.pods.set(`default/${pod.name}`, { uid: pod.uid, terminating: false, marked: false });
  server.rules.set(name, { rule, conditions: [] });
  const changes = [upserted(aClaim(name, name, { reservedFor })), ...pods.map((pod) => upserted(pod)), upserted(rule)];
  server.live.observe(changes);
  for (const change of changes)
    account.send(queue('Sluice-ingest-prod'), { body: formatMessage({ ...change, incarnation: liveIncarnation }) });
}

async function open(name: string): Promise<Page> {
  const { account, template } = life;
  const [dashboard] = template.ofType('AWS::CloudWatch::Dashboard');
  const alarms = template.ofType('AWS::CloudWatch::Alarm').map((alarm) => {
    const watched = watchedAlarm(alarm.path, { ...alarm.properties, dimensions: dimensionsOf(alarm) });
    const name = alarm.path.split('/').slice(1, -1).join(' ');
    return [alarm.logicalId, { name, state: life.stateOf(watched) }] as const;
  });
  const until = account.now();
  const recorded = {
    progress: await read(),
    metrics: account.metrics,
    alarmStates: new Map(alarms),
    from: start,
    until,
  };
  const page = await browser.newPage({ viewport });
  await page.setContent(renderDashboard(widgetsOf(dashboard?.properties.DashboardBody), recorded));
  if (pictures !== undefined) await page.screenshot({ path: path.join(pictures, `dashboard-${name}.png`) });
  return page;
}

/** Titles of widgets whose content overflows; the progress widget may scroll below its answers and counts. */
const cut = `[...document.querySelectorAll('.cell:not(.custom) .inside')].filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1).map((one) => one.parentElement.querySelector('h2').textContent)`;

describe('the dashboard on a screen of 1920 by 1080', () => {
  it('the dashboard shows without scrolling whether Sluice works, what is held and what is pending', async () => {
    const page = await open('at-work');
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(viewport.height);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await page.evaluate(cut)).toEqual([]);
    const bottomOf = (selector: string) =>
      page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().bottom`);
    expect(await bottomOf('.sluice .bar')).toBeLessThan(await bottomOf('.cell.custom'));
    const answers = await page.innerText('.answers');
    expect(answers).toMatch(/Is it working\?\s+yes: \d+ pods evicted/);
    expect(answers).toMatch(/Is it held\?\s+paused-rule \(Paused/);
    expect(answers).toMatch(/Who is waiting\?\s+\d+ pods: .*slow-rule \d+/);
    await page.close();
  });

  it('the dashboard draws the metrics of pending, held and evicted pods, and no alarm is firing', async () => {
    const page = await open('graphs');
    const text = await page.innerText('#grid');
    for (const name of ['PodsPending', 'PodsHeld', 'PodsEvicted']) expect(text).toMatch(new RegExp(`${name} [1-9]`));
    expect(await page.locator('.alarms .ALARM').count()).toBe(0);
    expect(await page.locator('.alarms .OK').count()).toBeGreaterThan(10);
    await page.close();
  });

  it('the dashboard says that Sluice does not work and holds every rule when the watcher is silent, and an alarm is firing', async () => {
    life.switches.watchers.delete('prod');
    await life.live(11);
    const page = await open('silent');
    const answers = await page.innerText('.answers');
    expect(answers).toMatch(/Is it working\?\s+no: watcher silent/);
    expect(answers).toMatch(/Is it held\?\s+paused-rule, slow-rule \(the watcher is silent[^()]*\)/);
    expect(await page.locator('.alarms .ALARM').count()).toBeGreaterThan(0);
    expect(await page.evaluate(cut)).toEqual([]);
    await page.close();
  });
});
