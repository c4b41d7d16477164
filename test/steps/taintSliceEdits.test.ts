// Edits of the rate of a DeviceTaintSlice's taint: each has a limiter of its own, and none a burst of its own.
import { describe, expect, it } from 'vitest';
import { aClaim, aHeartbeat, aPod, aSlice, aTaintSlice, upserted } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;
const pods = Array.from({ length: 30 }, (_, i) => `p${i}`);
const taint = { key: 'example.com/xid', effect: 'NoExecute', timeAdded: start - 1000 } as const;

/** Deleted pods after edits to these rates, three seconds apart. */
async function deletedWith(rates: readonly { readonly evictionsPerSecond: number; readonly burst: number }[]) {
  const world = createWorld({ start });
  const deliver = (...objects: Parameters<typeof upserted>[0][]) =>
    world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now()), ...objects.map(upserted)] });
  for (const name of pods)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  await deliver(aSlice('s', { devices: pods.map((name) => ({ name: `d-${name}` })) }));
  await deliver(...pods.flatMap((name) => [aClaim(name, `d-${name}`), aPod(name)]));
  for (const rate of rates) {
    const taints = pods.map((name) => ({ device: `d-${name}`, taint: { ...taint, ...rate } }));
    const { key, effect, timeAdded } = taint;
    const seen = pods.map((name) => ({ device: `d-${name}`, key, effect, timeAdded, specTimeAdded: timeAdded }));
    await deliver(aTaintSlice('agent', { taints, seen }));
    await world.runUntil(world.now() + 3000);
  }
  return world.api.deletes.length;
}

describe('the rate of a taint in a DeviceTaintSlice', () => {
  it('twenty edits a minute of a rate of some 0.001 a second give one pod', async () => {
    const rates = Array.from({ length: 20 }, (_, i) => ({ evictionsPerSecond: 0.001 + i / 10_000, burst: 1 }));
    expect(await deletedWith(rates)).toBe(1);
  });

  it('twenty edits a minute between two rates give one pod', async () => {
    const rates = Array.from({ length: 20 }, (_, i) => ({ evictionsPerSecond: i % 2 === 0 ? 0.001 : 0.002, burst: 1 }));
    expect(await deletedWith(rates)).toBe(1);
  });

  it('a higher rate counts from its edit on', async () => {
    const slow = { evictionsPerSecond: 0.001, burst: 1 };
    const fast = { evictionsPerSecond: 2, burst: 1 };
    expect(await deletedWith([slow, fast])).toBeGreaterThanOrEqual(5);
  });
});
