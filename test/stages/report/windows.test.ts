// The condition of a rule follows the windows of its policy: no event announces that a window opens or closes.
import { expect, it } from 'vitest';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';
import { reportKey } from '../../../lib/state/keys.ts';
import { aClaim, aHeartbeat, aPod, aRule, deleted, driver, upserted } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { createWorld, type World } from '../../support/world.ts';

/** 2027-03-04 08:00:00 UTC. */
const start = Date.UTC(2027, 2, 4, 8);
const minute = 60_000;
const key = 'example.com/bad';

/** A rule without pods, whose policy has one window from 10:00 until 10:30. */
async function worldWithWindow(policy: Partial<EvictionPolicy> = {}) {
  const world = createWorld({ start });
  const rule = aRule('bad', start, {
    deviceSelector: { driver },
    taint: { key, effect: 'NoExecute', timeAdded: start },
  });
  world.api.rules.set('bad', { rule, conditions: [] });
  const windows = [{ schedule: '0 10 * * *', duration: 30 * minute }];
  const body = [
    aHeartbeat(start),
    upserted(evictionPolicy({ taints: { keys: [key] }, windows, ...policy })),
    upserted(rule),
  ];
  await world.deliver({ stage: 'ingest', at: start, body });
  const held = () => {
    const { status, message } =
      world.api.rules.get('bad')?.conditions.find(({ type }) => type === 'sluice.dev/Held') ?? {};
    return `${status}: ${message}`;
  };
  return { world, held };
}

/** With a heartbeat each 20 s. */
async function until(world: World, at: number) {
  for (let now = world.now(); now < at; now = world.now()) {
    await world.runUntil(Math.min(at, now + minute / 3));
    await world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now())] });
  }
}

it('a rule without pods is held until two seconds after its window opens at the most, and again after it closes', async () => {
  const { world, held } = await worldWithWindow();
  const opens = start + 120 * minute;
  await until(world, opens - 1000);
  expect(held()).toBe('True: Outside the windows of EvictionPolicy policy: they open at 2027-03-04T10:00:00Z.');
  await until(world, opens + 2000);
  expect(held()).toBe('False: Nothing holds this rule.');
  await until(world, opens + 30 * minute - 1000);
  expect(held()).toMatch(/^False/);
  await until(world, opens + 30 * minute + 2000);
  expect(held()).toBe('True: Outside the windows of EvictionPolicy policy: they open at 2027-03-05T10:00:00Z.');
});

it('a report that waits for a window is requested earlier by a change, and scheduled again afterwards', async () => {
  const { world, held } = await worldWithWindow();
  const opens = start + 120 * minute;
  await until(world, start + 30 * minute);
  const body = [upserted(aClaim('p', 'p')), upserted(aPod('p'))];
  await world.deliver({ stage: 'ingest', at: world.now(), body });
  await until(world, start + 31 * minute);
  const counted = () =>
    world.api.rules.get('bad')?.conditions.find(({ type }) => type === 'EvictionInProgress')?.message;
  expect(counted()).toMatch(/\b1 pod\b/);
  await world.deliver({ stage: 'ingest', at: world.now(), body: body.map(({ object }) => deleted(object)) });
  await until(world, opens + 2000);
  expect(held()).toMatch(/^False/);
});

it('the next report of a rule that waits for a window is scheduled ten minutes before the window opens', async () => {
  const { world } = await worldWithWindow();
  await until(world, start + minute);
  const scheduled = async () => (await world.table.get(reportKey(world.cluster, 'bad')))?.reportAt;
  expect(await scheduled()).toBe(start + 110 * minute);
  await until(world, start + 121 * minute);
  expect(await scheduled()).toBe(start + 140 * minute);
});
