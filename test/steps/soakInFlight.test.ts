// Under lost messages, crashes and clock skew no node and no owner loses more pods at once than the policy allows, and all are evicted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Instant } from '../../lib/model/time.ts';
import { aPod, deleted, nextVersion } from '../support/objects.ts';
import type { Soak } from '../support/soak.ts';
import {
  clocksDiffer,
  createScene,
  fineWith,
  type PodOf,
  runWithHeartbeats,
  type Scene,
  soakRuns,
  unluckyWith,
} from '../support/soakScene.ts';

type LimitedScene = Scene & { readonly perNode: number; readonly perWorkload: number };

const scenes: fc.Arbitrary<LimitedScene> = fc
  .record({
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
    pods: fc.integer({ min: 1, max: 16 }),
    perSecond: fc.constantFrom(1, 3, 10),
    burst: fc.integer({ min: 1, max: 10 }),
    canary: fc.constant(null),
    perNode: fc.integer({ min: 1, max: 3 }),
    perWorkload: fc.integer({ min: 1, max: 3 }),
  })
  .map((scene) => ({
    ...scene,
    limits: { maxPerNode: { count: scene.perNode }, maxPerWorkload: { count: scene.perWorkload } },
  }));

const nodeOf = (n: number) => `node-${n % 3}`;
const ownerOf = (n: number) => `owner-${n % 2}`;
const podOf: PodOf = (name, n) => {
  const uid = ownerOf(n);
  return aPod(name, { nodeName: nodeOf(n), controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid } });
};

/** Pods end up to ten seconds after their deletion, and the watch reports it. */
function endings(soak: Soak, names: readonly string[]) {
  const endedAt = new Map<string, Instant>();
  const each = () => {
    for (const { pod } of soak.world.api.deletes.filter((one) => !endedAt.has(one.pod.name))) {
      endedAt.set(pod.name, soak.world.now());
      soak.send([deleted({ ...podOf(pod.name, names.indexOf(pod.name)), resourceVersion: nextVersion() })]);
    }
  };
  return { endedAt, each };
}

/** The most pods of one group that were in flight at the time of any delete. */
function mostAtOnce(
  { world }: Soak,
  by: { readonly endedAt: ReadonlyMap<string, Instant>; readonly groupOf: (name: string) => string },
): number {
  const { deletes } = world.api;
  const together = deletes.map(({ pod, at }) => {
    const group = by.groupOf(pod.name);
    const isOnItsWay = (other: (typeof deletes)[number]) =>
      by.groupOf(other.pod.name) === group && other.at <= at && (by.endedAt.get(other.pod.name) ?? at + 1) > at;
    return deletes.filter(isOnItsWay).length;
  });
  return Math.max(0, ...together);
}

describe('after a minute of faults, with clocks that differ by two seconds either way', () => {
  it('no node and no owner has more evictions in flight than its limit, and every pod is evicted', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { soak, random, names } = await createScene(scene, { podOf });
        const { endedAt, each } = endings(soak, names);
        await runWithHeartbeats(soak, 60, { luck: unluckyWith(random), each });
        await runWithHeartbeats(soak, 300 + 30 * scene.pods, {
          luck: { ...fineWith(random), skew: clocksDiffer },
          each,
        });
        const numbered = (groupOf: (n: number) => string) => (name: string) => groupOf(names.indexOf(name));
        expect(soak.world.api.deletes.map(({ pod }) => pod.name).sort()).toEqual(names);
        expect(mostAtOnce(soak, { endedAt, groupOf: numbered(nodeOf) })).toBeLessThanOrEqual(scene.perNode);
        expect(mostAtOnce(soak, { endedAt, groupOf: numbered(ownerOf) })).toBeLessThanOrEqual(scene.perWorkload);
      }),
      { numRuns: soakRuns },
    );
  });
});

describe('without faults', () => {
  it('a pod that waits for its node is evicted when another pod of the node is gone, not a minute later', async () => {
    const limits = { maxPerNode: { count: 1 }, maxPerWorkload: { count: 9 } };
    const scene: Scene = { seed: 3, pods: 12, perSecond: 10, burst: 10, canary: null, limits };
    const { soak, random, names } = await createScene(scene, { podOf });
    const { each } = endings(soak, names);
    // Four pods on each node, each gone within ten seconds.
    await runWithHeartbeats(soak, 50, { luck: fineWith(random), each });
    expect(soak.world.api.deletes).toHaveLength(12);
  });
});
