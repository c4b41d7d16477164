// The tolerations of a claim's annotation are those of the live claim, whatever the table has seen of it.
import { describe, expect, it } from 'vitest';
import type { ResourceClaim } from '../../../lib/model/objects.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, upserted } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;
const tolerating = {
  annotations: {
    'sluice.dev/tolerations': '{"gpu":[{"key":"example.com/bad","operator":"Exists","effect":"NoExecute"}]}',
  },
};

/** Deleted pods after two minutes. `told`: the claim as messages show it, oldest first; `live`: as the API server has it. */
async function deletedWith(live: ResourceClaim, ...told: readonly ResourceClaim[]): Promise<number> {
  const world = createWorld({ start, isBlind: true });
  const deliver = (...objects: Parameters<typeof upserted>[0][]) =>
    world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now()), ...objects.map(upserted)] });
  const [rule, pod, slice] = [aRule('r', start - 1000), aPod('a'), aSlice('s')];
  for (const object of [rule, pod, live, slice]) world.api.live.put(object);
  world.api.rules.set('r', { rule, conditions: [] });
  world.api.pods.set('default/a', { uid: 'uid-a', terminating: false, marked: false });
  for (const claim of told) await deliver(claim);
  await deliver(slice, pod, rule);
  for (let i = 0; i < 12; i++) {
    await world.runUntil(world.now() + 10_000);
    await deliver();
  }
  return world.api.deletes.length;
}

describe('a claim whose annotation tolerates the taint', () => {
  it('a claim that tolerates nothing has its pod evicted', async () => {
    const claim = aClaim('a', 'gpu-0');
    expect(await deletedWith(claim, claim)).toBe(1);
  });

  it('a forged or stale version of a claim takes away no toleration of the live one', async () => {
    const earlier = aClaim('a', 'gpu-0');
    const live = aClaim('a', 'gpu-0', tolerating);
    expect(await deletedWith(live, earlier)).toBe(0);
    expect(await deletedWith(live, earlier, live)).toBe(0);
  });

  it('an annotation that was added after the allocation keeps the pod', async () => {
    const allocated = aClaim('a', 'gpu-0');
    const edited = aClaim('a', 'gpu-0', tolerating);
    expect(await deletedWith(edited, allocated, edited)).toBe(0);
  });

  it('an edit after which the annotation cannot be read keeps the pod', async () => {
    const before = aClaim('a', 'gpu-0', tolerating);
    const broken = aClaim('a', 'gpu-0', { annotations: { 'sluice.dev/tolerations': '{"gpu":[{' } });
    expect(await deletedWith(broken, before, broken)).toBe(0);
    expect(await deletedWith(broken, broken)).toBe(0);
  });

  it('an annotation that was removed tolerates nothing any more', async () => {
    const before = aClaim('a', 'gpu-0', tolerating);
    const without = aClaim('a', 'gpu-0');
    expect(await deletedWith(without, before, without)).toBe(1);
  });
});
