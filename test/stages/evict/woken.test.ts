// A message to evict says that something has changed: what was read before it is no answer that keeps pods.
import { describe, expect, it } from 'vitest';
import type { EvictMessage } from '../../../lib/model/message.ts';
import { removePause, setPause } from '../../../lib/state/pauseRows.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, driver, upserted } from '../../support/objects.ts';
import { createWorld, type World } from '../../support/world.ts';

const start = 1_800_000_000_000;

/** Milliseconds after the answer that keeps the pod, which others share for a quarter of a second. */
const later = [1, 20, 249, 1000];

/** One due pod, and no heartbeat of the watcher yet. */
async function waiting(): Promise<{ readonly world: World; readonly asked: EvictMessage }> {
  const world = createWorld({ start });
  world.api.pods.set('default/p', { uid: 'uid-p', terminating: false, marked: false });
  const rule = aRule('r', start, { deviceSelector: { driver } });
  world.api.rules.set('r', { rule, conditions: [] });
  const objects = [aSlice('s', { devices: [{ name: 'p' }] }), aClaim('p', 'p'), aPod('p'), rule];
  await world.deliver({ stage: 'ingest', at: start, body: objects.map((one) => upserted(one)) });
  await world.runUntil(start + 1000);
  return { world, asked: { cluster: world.cluster, limiter: `rule|${rule.uid}` } };
}

const ask = (world: World, body: EvictMessage) => world.deliver({ stage: 'evict', at: world.now(), body });
const hear = (world: World) => world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now())] });
/** Before the sweep looks. */
const goneSoon = async (world: World) => {
  await world.runUntil(world.now() + 2000);
  return world.api.deletes.length;
};

/** It is asked for while `hold` stands. */
async function kept(hold: (world: World) => Promise<unknown> | unknown) {
  const of = await waiting();
  await hold(of.world);
  await hear(of.world);
  expect(await goneSoon(of.world)).toBe(0);
  await ask(of.world, of.asked);
  return of;
}

describe('a pod that was kept', () => {
  it.each(later)('because no watcher was heard goes with the first heartbeat, %i ms later', async (ms) => {
    const { world, asked } = await waiting();
    await ask(world, asked);
    world.setNow(world.now() + ms);
    await hear(world);
    expect(await goneSoon(world)).toBe(1);
  });

  it.each(later)('by an EvictionStop goes when it is asked for after that is deleted, %i ms later', async (ms) => {
    const { world, asked } = await kept(({ api }) => {
      api.live.stopObjects = [{ name: 'incident', uid: 'u' }];
    });
    world.api.live.stopObjects = [];
    world.setNow(world.now() + ms);
    await ask(world, asked);
    expect(await goneSoon(world)).toBe(1);
  });

  it.each(later)('by a pause goes when it is asked for after that has ended, %i ms later', async (ms) => {
    const { world, asked } = await kept((of) => setPause(of, { name: 'p', why: 'incident', since: start }));
    await removePause(world, 'p');
    world.setNow(world.now() + ms);
    await ask(world, asked);
    expect(await goneSoon(world)).toBe(1);
  });
});
