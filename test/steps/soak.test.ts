// Invariants of the whole path under lost messages, crashes and clock skew: the rate, one delete for each pod, no pod forgotten.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Token } from '../../lib/model/eviction.ts';
import type { PodRef } from '../../lib/model/identity.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import type { Soak } from '../support/soak.ts';
import {
  clocksDiffer,
  createScene,
  fineWith,
  ownerOf,
  runWithHeartbeats,
  type Scene,
  soakRuns,
  unluckyWith,
} from '../support/soakScene.ts';

/** Seconds after which a token is dropped. */
const lateness = 1;

const scenes: fc.Arbitrary<Scene> = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  pods: fc.integer({ min: 1, max: 25 }),
  perSecond: fc.constantFrom(0.2, 1, 3, 10),
  burst: fc.integer({ min: 1, max: 10 }),
  canary: fc.option(fc.record({ pods: fc.integer({ min: 1, max: 6 }), hold: fc.constantFrom(10_000, 45_000) })),
  jobs: fc.option(fc.integer({ min: 1, max: 5 })),
});

/** The largest number of instants in any window minus what the rate allows in it: at most the burst. */
function excess(at: readonly Instant[], perSecond: number): number {
  const sorted = at.toSorted((a, b) => a - b);
  let most = 0;
  for (const [i, from] of sorted.entries())
    for (const [k, to] of sorted.slice(i).entries()) most = Math.max(most, k + 1 - (perSecond * (to - from)) / 1000);
  return most;
}

/** Pods with a closed record; Sluice deleted each, since no other client deletes pods here. */
function closedRecords({ world }: Soak): readonly string[] {
  const records = world.table.rows().filter(({ pk, closedAt }) => pk.includes('#RECORD#') && closedAt !== undefined);
  return records.map(({ pod }) => (pod as PodRef).name).sort();
}

/** Intents and records that are still open. */
function openIntents({ world }: Soak): readonly unknown[] {
  return world.table
    .rows()
    .filter(({ pk, outcome, due }) => outcome === 'Open' || (pk.includes('#RECORD#') && due !== undefined));
}

/** For each token, which pods of a workload share: its first and last delete, and the number of its pods and workloads. */
function releasesOf(
  { world }: Soak,
  { jobs = null }: Scene,
): readonly {
  readonly token: Instant;
  readonly at: Instant;
  readonly last: Instant;
  readonly pods: number;
  readonly units: number;
}[] {
  const deletedAt = new Map(world.api.deletes.map(({ pod, at }) => [pod.name, at]));
  const used = world.table.rows().flatMap((row) => {
    const token = row.outcome === undefined ? undefined : (row.token as Token | undefined);
    if (!token) return [];
    const { name } = row.pod as PodRef;
    const unit = ownerOf(Number(name.slice(1)), jobs).controller?.uid ?? name;
    return [{ token: token.at, unit, at: deletedAt.get(name) ?? 0 }];
  });
  return [...Map.groupBy(used, ({ token }) => token)].map(([token, pods]) => ({
    token,
    at: Math.min(...pods.map(({ at }) => at)),
    last: Math.max(...pods.map(({ at }) => at)),
    pods: pods.length,
    units: new Set(pods.map(({ unit }) => unit)).size,
  }));
}

const roundOff = 1e-3;

/** How long a canary held the other pods, if there were any; never less than its hold. */
function aloneFor({ world }: Soak, { canary, pods }: Scene): Milliseconds {
  if (!canary || pods <= canary.pods) return Number.POSITIVE_INFINITY;
  const at = world.api.deletes.map((one) => one.at).sort((a, b) => a - b);
  return (at[canary.pods] ?? 0) - (at[canary.pods - 1] ?? 0);
}

describe('after a minute of faults, with clocks that differ by two seconds either way', () => {
  it('every pod is evicted once, at the rate of its rule, and has one closed record', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { soak, random, names } = await createScene(scene);
        const { deletes } = soak.world.api;
        const skew = clocksDiffer;
        await runWithHeartbeats(soak, 60, { luck: unluckyWith(random) });
        await runWithHeartbeats(soak, 700 + (3 * scene.pods) / scene.perSecond, {
          luck: { ...fineWith(random), skew },
        });
        expect(deletes.map(({ pod }) => pod.name).sort()).toEqual(names);
        expect(closedRecords(soak)).toEqual(names);
        expect(openIntents(soak)).toEqual([]);
        const releases = releasesOf(soak, scene);
        const tokens = releases.map(({ token }) => token);
        expect(excess(tokens, scene.perSecond)).toBeLessThanOrEqual(1 + roundOff);
        expect(releases.filter(({ units, pods }) => units > 1 || (!scene.jobs && pods > 1))).toEqual([]);
        expect(aloneFor(soak, scene)).toBeGreaterThanOrEqual((scene.canary?.hold ?? 0) - 2 * skew);
        const blur = lateness + (2 * skew) / 1000;
        const bound = scene.burst + scene.perSecond * blur + roundOff;
        expect(releases.filter(({ at, last }) => last - at > blur * 1000)).toEqual([]);
        expect(
          excess(
            releases.map(({ at }) => at),
            scene.perSecond,
          ),
        ).toBeLessThanOrEqual(bound);
      }),
      { numRuns: soakRuns },
    );
  });
});

describe('after a minute of faults, under a cluster limit', () => {
  const limit = 2;

  it('every pod is evicted once, and no faster than the cluster limit', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const fast = { ...scene, perSecond: 10, burst: 10, canary: null, jobs: null };
        const { soak, random, names } = await createScene(fast, { limit });
        const { deletes } = soak.world.api;
        const skew = clocksDiffer;
        await runWithHeartbeats(soak, 60, { luck: unluckyWith(random) });
        await runWithHeartbeats(soak, 700 + 3 * scene.pods, { luck: { ...fineWith(random), skew } });
        expect(deletes.map(({ pod }) => pod.name).sort()).toEqual(names);
        expect(closedRecords(soak)).toEqual(names);
        const blur = lateness + (2 * skew) / 1000;
        const gone = deletes.map(({ at }) => at);
        expect(excess(gone, limit)).toBeLessThanOrEqual(limit * (2 + blur) + roundOff);
      }),
      { numRuns: Math.ceil(soakRuns / 2) },
    );
  });
});

describe('without faults', () => {
  it('all pods are evicted, at most burst + rate·t pods or workloads in any window of t seconds', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { soak, random, names } = await createScene(scene);
        const { deletes } = soak.world.api;
        await runWithHeartbeats(soak, 150 + scene.pods / scene.perSecond, { luck: fineWith(random) });
        expect(deletes.map(({ pod }) => pod.name).sort()).toEqual(names);
        expect(closedRecords(soak)).toEqual(names);
        expect(aloneFor(soak, scene)).toBeGreaterThanOrEqual(scene.canary?.hold ?? 0);
        const releases = releasesOf(soak, scene);
        expect(releases.filter(({ units, at, last }) => units > 1 || last - at > lateness * 1000)).toEqual([]);
        const gone = releases.map(({ at }) => at);
        expect(excess(gone, scene.perSecond)).toBeLessThanOrEqual(scene.burst + roundOff);
      }),
      { numRuns: soakRuns },
    );
  });

  it('a long backlog is evicted at no less than 95 % of the rate', async () => {
    const [pods, perSecond] = [300, 1];
    const { soak, random } = await createScene({ seed: 7, pods, perSecond, burst: 1, canary: null });
    await runWithHeartbeats(soak, 320, { luck: fineWith(random) });
    const gone = soak.world.api.deletes.map(({ at }) => at).sort((a, b) => a - b);
    expect(gone).toHaveLength(pods);
    expect((1000 * (pods - 1)) / ((gone.at(-1) ?? 0) - (gone[0] ?? 0))).toBeGreaterThanOrEqual(0.95 * perSecond);
  });
});
