// What holds over the whole path whatever messages, functions and clocks do: the pace, one delete for each pod, and nobody forgotten.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reservation } from '../../lib/model/eviction.ts';
import type { PodRef } from '../../lib/model/identity.ts';
import type { Canary } from '../../lib/model/policy.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { createSoak, type Luck, type Soak } from '../support/soak.ts';

const start = 1_800_000_000_000;

/** `SLUICE_SOAK_RUNS=500` plays so many histories; 20 are a sample. */
const runs = Number(process.env.SLUICE_SOAK_RUNS ?? 20);

/** A pod whose slot is older is put back (lateness), in seconds. */
const lateness = 1;

interface Scene {
  readonly seed: number;
  readonly pods: number;
  readonly perSecond: number;
  readonly burst: number;
  readonly canary: Canary | null;
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  pods: fc.integer({ min: 1, max: 25 }),
  perSecond: fc.constantFrom(0.2, 1, 3, 10),
  burst: fc.integer({ min: 1, max: 10 }),
  canary: fc.option(fc.record({ pods: fc.integer({ min: 1, max: 6 }), hold: fc.constantFrom(10_000, 45_000) })),
});

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function fineWith(random: () => number): Luck {
  return { random, twice: 0, lost: 0, crash: 0, stall: 0, delay: 0, skew: 0 };
}

/** Clocks stay wrong after the faults have stopped. */
const clocksDiffer = 2000;

/** `limit`: of the whole cluster. */
async function createScene(
  { seed, pods, perSecond, burst, canary }: Scene,
  limit?: number,
): Promise<{ soak: Soak; random: () => number; names: string[] }> {
  const random = randomFrom(seed);
  const soak = createSoak(start, limit);
  const names = Array.from({ length: pods }, (_, i) => `p${String(i).padStart(3, '0')}`);
  const annotations = { 'sluice.dev/evictions-per-second': String(perSecond), 'sluice.dev/burst': String(burst) };
  const rule = aRule('bad', start, { annotations });
  soak.world.api.rules.set('bad', { rule, conditions: [] });
  for (const name of names)
    soak.world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  soak.send([aHeartbeat(start)]);
  // It was there before the rule: what goes before a policy is known goes without it.
  const policy = upserted(evictionPolicy(canary ? { canary } : {}));
  await soak.world.deliver({ stage: 'ingest', at: start, body: [policy] });
  const changes = [upserted(rule), ...names.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))])];
  const shuffled = changes.map((change) => ({ change, at: random() })).sort((a, b) => a.at - b.at);
  for (let i = 0; i < shuffled.length; i += 10) soak.send(shuffled.slice(i, i + 10).map(({ change }) => change));
  return { soak, random, names };
}

async function runWithHeartbeats(soak: Soak, seconds: number, luck: Luck): Promise<void> {
  const end = soak.world.now() + seconds * 1000;
  while (soak.world.now() < end) {
    soak.send([aHeartbeat(soak.world.now())]);
    await soak.runUntil(Math.min(end, soak.world.now() + 10_000), luck);
  }
}

/** The most instants in any window of t seconds, less what the rate allows in it; to be compared with the burst. */
function excess(at: readonly Instant[], perSecond: number): number {
  const sorted = at.toSorted((a, b) => a - b);
  let most = 0;
  for (const [i, from] of sorted.entries())
    for (const [k, to] of sorted.slice(i).entries()) most = Math.max(most, k + 1 - (perSecond * (to - from)) / 1000);
  return most;
}

/** Records that are closed, by pod: each has its delete, since nobody else deletes pods here. */
function closedRecords({ world }: Soak): readonly string[] {
  const records = world.table.rows().filter(({ pk, closedAt }) => pk.includes('#RECORD#') && closedAt !== undefined);
  return records.map(({ pod }) => (pod as PodRef).name).sort();
}

/** Intents that nobody has closed, and records that stand open. */
function openIntents({ world }: Soak): readonly unknown[] {
  return world.table.rows().filter(({ pk, outcome }) => pk.includes('#INTENT#') || outcome === 'Open');
}

function slotsOf({ world }: Soak): readonly Instant[] {
  return world.table.rows().flatMap((row) => {
    const reservation = row.outcome === undefined ? undefined : (row.reservation as Reservation | undefined);
    return reservation ? [reservation.slot] : [];
  });
}

const roundOff = 1e-3;

/** How long the first pods were alone, for a canary that kept anybody; never less than its hold. */
function aloneFor({ world }: Soak, { canary, pods }: Scene): Milliseconds {
  if (!canary || pods <= canary.pods) return Number.POSITIVE_INFINITY;
  const at = world.api.deletes.map((one) => one.at).sort((a, b) => a - b);
  return (at[canary.pods] ?? 0) - (at[canary.pods - 1] ?? 0);
}

describe('with bad luck for a minute and clocks that differ by two seconds either way', () => {
  it('pods go at the pace of their rule, once each, and none is forgotten; every delete has one closed record, every closed record its delete', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { soak, random, names } = await createScene(scene);
        const { deletes } = soak.world.api;
        const skew = clocksDiffer;
        await runWithHeartbeats(soak, 60, {
          random,
          twice: 0.2,
          lost: 0.2,
          crash: 0.2,
          stall: 0.01,
          delay: 5000,
          skew,
        });
        await runWithHeartbeats(soak, 700 + (3 * scene.pods) / scene.perSecond, { ...fineWith(random), skew });
        expect(deletes.map(({ pod }) => pod.name).sort()).toEqual(names);
        expect(closedRecords(soak)).toEqual(names);
        expect(openIntents(soak)).toEqual([]);
        expect(excess(slotsOf(soak), scene.perSecond)).toBeLessThanOrEqual(1 + roundOff);
        expect(aloneFor(soak, scene)).toBeGreaterThanOrEqual((scene.canary?.hold ?? 0) - 2 * skew);
        const blur = lateness + (2 * skew) / 1000;
        const bound = scene.burst + scene.perSecond * blur + roundOff;
        expect(
          excess(
            deletes.map(({ at }) => at),
            scene.perSecond,
          ),
        ).toBeLessThanOrEqual(bound);
      }),
      { numRuns: runs },
    );
  });
});

describe('with bad luck under a limit of the cluster', () => {
  const limit = 2;

  it('pods go no faster than it, once each, and none is forgotten', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const fast = { ...scene, perSecond: 10, burst: 10, canary: null };
        const { soak, random, names } = await createScene(fast, limit);
        const { deletes } = soak.world.api;
        const skew = clocksDiffer;
        await runWithHeartbeats(soak, 60, {
          random,
          twice: 0.2,
          lost: 0.2,
          crash: 0.2,
          stall: 0.01,
          delay: 5000,
          skew,
        });
        await runWithHeartbeats(soak, 700 + 3 * scene.pods, { ...fineWith(random), skew });
        expect(deletes.map(({ pod }) => pod.name).sort()).toEqual(names);
        expect(closedRecords(soak)).toEqual(names);
        const blur = lateness + (2 * skew) / 1000;
        const gone = deletes.map(({ at }) => at);
        expect(excess(gone, limit)).toBeLessThanOrEqual(limit * (2 + blur) + roundOff);
      }),
      { numRuns: Math.ceil(runs / 2) },
    );
  });
});

describe('with good luck', () => {
  it('in any window of t seconds at most burst + rate·t pods go, and all go', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { soak, random, names } = await createScene(scene);
        const { deletes } = soak.world.api;
        await runWithHeartbeats(soak, 150 + scene.pods / scene.perSecond, fineWith(random));
        expect(deletes.map(({ pod }) => pod.name).sort()).toEqual(names);
        expect(closedRecords(soak)).toEqual(names);
        expect(aloneFor(soak, scene)).toBeGreaterThanOrEqual(scene.canary?.hold ?? 0);
        const gone = deletes.map(({ at }) => at);
        expect(excess(gone, scene.perSecond)).toBeLessThanOrEqual(scene.burst + roundOff);
      }),
      { numRuns: runs },
    );
  });

  it('a backlog far longer than what is given out ahead goes at no less than 95 % of the rate', async () => {
    const [pods, perSecond] = [300, 1];
    const { soak, random } = await createScene({ seed: 7, pods, perSecond, burst: 1, canary: null });
    await runWithHeartbeats(soak, 320, fineWith(random));
    const gone = soak.world.api.deletes.map(({ at }) => at).sort((a, b) => a - b);
    expect(gone).toHaveLength(pods);
    expect((1000 * (pods - 1)) / ((gone.at(-1) ?? 0) - (gone[0] ?? 0))).toBeGreaterThanOrEqual(0.95 * perSecond);
  });
});
