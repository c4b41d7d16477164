// An evict message means that something has changed: reads from before the message must not keep pods.
import { describe, expect, it } from 'vitest';
import type { Heartbeat } from '../../../lib/model/change.ts';
import type { EvictMessage } from '../../../lib/model/message.ts';
import { removePause, setPause } from '../../../lib/state/pauseRows.ts';
import { readStandingStops } from '../../../lib/state/stopRows.ts';
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

describe('EvictionStops in heartbeats', () => {
  const stop = { name: 'incident', uid: 'u', reason: 'disks fail' };
  const stopped = () =>
    kept(({ api }) => {
      api.live.stopObjects = [stop];
    });
  const hearOf = (world: World, stops: Heartbeat['stops'], at = world.now()) =>
    world.deliver({ stage: 'ingest', at: world.now(), body: [{ ...aHeartbeat(at), ...(stops && { stops }) }] });
  const noted = async (world: World) => (await readStandingStops(world, world.now()))?.stops.map(({ name }) => name);

  it('pods held by an EvictionStop are evicted, and no stop is shown, with the heartbeat that shows its end', async () => {
    const { world } = await stopped();
    expect(await noted(world)).toEqual(['incident']);
    world.api.live.stopObjects = [];
    world.setNow(world.now() + 1);
    await hearOf(world, []);
    expect(await noted(world)).toBeUndefined();
    expect(await goneSoon(world)).toBe(1);
  });

  it('a heartbeat that shows the end of an EvictionStop and fails half way evicts the pods when it is delivered again', async () => {
    const { world } = await stopped();
    world.api.live.stopObjects = [];
    world.setNow(world.now() + 1);
    const at = world.now();
    const sendEvict = () => Promise.reject(new Error('SQS is away'));
    const failing = { ...world.deps, queues: { ...world.deps.queues, sendEvict } };
    const body = [{ ...aHeartbeat(at), stops: [] }];
    await expect(world.deliver({ stage: 'ingest', at, body }, failing)).rejects.toThrow('SQS is away');
    await hearOf(world, [], at);
    expect(await goneSoon(world)).toBe(1);
  });

  it('a heartbeat that wrongly shows the end of an EvictionStop evicts no pod, and the stop is shown again', async () => {
    const { world } = await stopped();
    world.setNow(world.now() + 10_001);
    await hearOf(world, []);
    expect(await goneSoon(world)).toBe(0);
    expect(await noted(world)).toEqual(['incident']);
  });

  it('a stop is shown with the heartbeat that has it, before any pod is due', async () => {
    const world = createWorld({ start });
    await hearOf(world, [stop]);
    expect(await noted(world)).toEqual(['incident']);
  });

  it.each([
    ['does not know the stops', undefined, 0],
    ['is older than the newest', [], -10_000],
    ['was sent back after a week', [], -7 * 86_400_000],
  ] as const)('a heartbeat that %s changes no stop that is shown', async (_, stops, ago) => {
    const { world } = await stopped();
    await hearOf(world, stops, world.now() + ago);
    expect(await noted(world)).toEqual(['incident']);
  });
});
