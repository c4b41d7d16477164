// A pod that revalidation moves to another limiter is evicted there, even if the step fails.
import { expect, it } from 'vitest';
import type { ObjectProjection } from '../../../lib/model/projection.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, nextVersion, upserted } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;
const bad = { key: 'gpu.example.com/xid', effect: 'NoExecute', timeAdded: start - 1000 };
const once = { 'sluice.dev/evictions-per-second': '0.001', 'sluice.dev/burst': '1' };

it.each([
  ['ends before it wakes that limiter', true],
  ['wakes that limiter', false],
])(
  'a pod that a step lists at a limiter unknown to the table is evicted under it when the step %s',
  async (_, fails) => {
    let woken = 0;
    const world = createWorld({
      start,
      isBlind: true,
      around: async (name, call, [bodies]) => {
        const isWake = name === 'sendEvict' && JSON.stringify(bodies).includes('slice|gpu.example.com');
        if (isWake && woken++ === 0 && fails) throw new Error('the step ended');
        return call();
      },
    });
    const tell = (...objects: readonly ObjectProjection[]) =>
      world.deliver({
        stage: 'ingest',
        at: world.now(),
        body: [aHeartbeat(world.now()), ...objects.map((object) => upserted(object))],
      });
    const slice = aSlice('s', { devices: [{ name: 'gpu-0' }] });
    const rule = aRule('slow', start - 1000, { annotations: once });
    const known = [slice, aClaim('a', 'gpu-0'), aPod('a'), rule];
    for (const object of known) world.api.live.put(object);
    world.api.pods.set('default/a', { uid: 'uid-a', marked: false, terminating: false });
    world.api.rules.set('slow', { rule, conditions: [] });
    // The watch is behind: the driver has tainted the device.
    world.api.live.put({ ...slice, resourceVersion: nextVersion(), devices: [{ name: 'gpu-0', taints: [bad] }] });
    await tell(...known);
    for (let passed = 0; passed < 300; passed += 10) {
      await world.runUntil(world.now() + 10_000);
      await tell();
    }
    expect(woken).toBeGreaterThan(0);
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(['a']);
  },
);
