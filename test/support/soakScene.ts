// Histories of a rule and its pods in an installation with faults.
import type { Pod } from '../../lib/model/objects.ts';
import type { Canary, EvictionLimits } from '../../lib/model/policy.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from './objects.ts';
import { evictionPolicy } from './pacedBuilders.ts';
import { createSoak, type Luck, type Soak } from './soak.ts';

const start = 1_800_000_000_000;

/** Number of histories, such as `SLUICE_SOAK_RUNS=500`; the default of 20 is a sample. */
export const soakRuns = Number(process.env.SLUICE_SOAK_RUNS ?? 20);

export interface Scene {
  readonly seed: number;
  readonly pods: number;
  readonly perSecond: number;
  readonly burst: number;
  readonly canary: Canary | null;
  readonly limits?: EvictionLimits;
  /** Number of Jobs whose pods are evicted as groups; every fourth pod has no Job. Absent: no groups. */
  readonly jobs?: number | null | undefined;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function fineWith(random: () => number): Luck {
  return { random, twice: 0, lost: 0, crash: 0, stall: 0, delay: 0, skew: 0 };
}

export function unluckyWith(random: () => number): Luck {
  return { random, twice: 0.2, lost: 0.2, crash: 0.2, stall: 0.01, delay: 5000, skew: clocksDiffer };
}

/** Clock skew in milliseconds, which remains after the faults have stopped. */
export const clocksDiffer = 2000;

/** The `n`-th pod, by its name. */
export type PodOf = (name: string, n: number) => Pod;

/** `limit`: maximum evictions per second of the whole cluster. */
export async function createScene(
  { seed, pods, perSecond, burst, canary, limits, jobs = null }: Scene,
  {
    podOf = (name, n) => aPod(name, ownerOf(n, jobs)),
    limit,
  }: { readonly podOf?: PodOf; readonly limit?: number } = {},
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
  // Created before the rule: pods evicted before the policy is known are evicted without it.
  const asked = { ...(canary ? { canary } : {}), ...(limits ? { limits } : {}) };
  const policy = upserted(evictionPolicy({ ...asked, ...(jobs === null ? {} : { groupBy: 'Workload' }) }));
  await soak.world.deliver({ stage: 'ingest', at: start, body: [policy] });
  const changes = [
    upserted(rule),
    ...names.flatMap((name, i) => [upserted(aClaim(name, name)), upserted(podOf(name, i))]),
  ];
  const shuffled = changes.map((change) => ({ change, at: random() })).sort((a, b) => a.at - b.at);
  for (let i = 0; i < shuffled.length; i += 10) soak.send(shuffled.slice(i, i + 10).map(({ change }) => change));
  return { soak, random, names };
}

/** The Job of the `n`-th pod, if any. */
export function ownerOf(n: number, jobs: number | null): Partial<Pod> {
  if (jobs === null || n % 4 === 3) return {};
  const name = `job-${n % jobs}`;
  return { controller: { apiVersion: 'batch/v1', kind: 'Job', name, uid: name } };
}

/** `each`: called every ten seconds. */
export async function runWithHeartbeats(
  soak: Soak,
  seconds: number,
  { luck, each }: { readonly luck: Luck; readonly each?: () => void },
): Promise<void> {
  const end = soak.world.now() + seconds * 1000;
  while (soak.world.now() < end) {
    soak.send([aHeartbeat(soak.world.now())]);
    await soak.runUntil(Math.min(end, soak.world.now() + 10_000), luck);
    each?.();
  }
}
