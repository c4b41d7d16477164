// An evict message means that something has changed: reads from before the message must not keep pods.
import { describe, expect, it } from 'vitest';
import type { EvictMessage } from '../../../lib/model/message.ts';
import { removePause, setPause } from '../../../lib/state/pauseRows.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, driver, upserted } from '../../support/objects.ts';
import { createWorld, type World } from '../../support/world.ts';

const start = 1_800_000_000_000;

/** Milliseconds after the read that keeps the pod; reads are shared for a quarter of a second. */
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
/** The number of DELETEs within two seconds, before the next sweep. */
const goneSoon = async (world: World) => {
  await world.runUntil(world.now() + 2000);
  return world.api.deletes.length;
};

/** A pod that an evict message finds held by `hold`. */
async function kept(hold: (world: World) => Promise<unknown> | unknown) {
  const of = await waiting();
  await hold(of.world);
  await hear(of.world);
  expect(await goneSoon(of.world)).toBe(0);
  await ask(of.world, of.asked);
  return of;
}

describe('evict messages after a hold', () => {
  it.each(later)('a pod kept for lack of heartbeats is evicted with the first heartbeat, %i ms later', async (ms) => {
    const { world, asked } = await waiting();
    await ask(world, asked);
    world.setNow(world.now() + ms);
    await hear(world);
    expect(await goneSoon(world)).toBe(1);
  });

  it.each(later)(
    'a pod kept by an EvictionStop is evicted by an evict message after its deletion, %i ms later',
    async (ms) => {
      const { world, asked } = await kept(({ api }) => {
        api.live.stopObjects = [{ name: 'incident', uid: 'u' }];
      });
      world.api.live.stopObjects = [];
      world.setNow(world.now() + ms);
      await ask(world, asked);
      expect(await goneSoon(world)).toBe(1);
    },
  );

  it.each(later)('a pod kept by a pause is evicted by an evict message after its end, %i ms later', async (ms) => {
    const { world, asked } = await kept((of) => setPause(of, { name: 'p', why: 'incident', since: start }));
    await removePause(world, 'p');
    world.setNow(world.now() + ms);
    await ask(world, asked);
    expect(await goneSoon(world)).toBe(1);
  });
});
