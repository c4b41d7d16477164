// Counts the devices of each pool or class and how many of them have the same taint, one part of the pools at a time.
import { type DeviceId, poolKey } from '../model/identity.ts';
import type { EvictionPolicy, ObserverLimits } from '../model/policy.ts';
import type { StandingTaint } from '../model/standing.ts';
import type { Instant } from '../model/time.ts';
import { type Wave, waveKey } from '../model/wave.ts';
import type { Published } from './deviceMatch.ts';
import { countInside, isInside } from './waveScope.ts';

export interface Tainted {
  readonly device: DeviceId;
  readonly since: Instant;
  readonly sources: readonly StandingTaint['source'][];
}

/** Devices with the same taint key under one policy that watches it. */
export interface Group {
  readonly policy: EvictionPolicy;
  readonly limits: ObserverLimits;
  readonly key: string;
  readonly tainted: readonly Tainted[];
}

/** A pool or class that the devices of a group may fill. */
export interface Candidate extends Pick<Wave, 'policy' | 'scope' | 'key'> {
  readonly group: Group;
  readonly known: Wave | undefined;
}

/** The count for a candidate over the parts so far. */
export interface Count {
  readonly total: number;
  readonly tainted: readonly Tainted[];
}

/** By the candidate's `waveKey`. */
export type Counts = ReadonlyMap<string, Count>;

export const nothingCounted: Counts = new Map();

/** `part` holds whole pools; parts are disjoint. */
export function addCounts(before: Counts, candidates: readonly Candidate[], part: Published): Counts {
  const after = new Map(before);
  for (const candidate of candidates) {
    const { scope, group } = candidate;
    const { total, tainted } = after.get(waveKey(candidate)) ?? nothing;
    after.set(waveKey(candidate), {
      total: total + countInside(scope, part),
      // For a pool, devices count even if no slice publishes them any more; these appear in no part.
      // Stryker disable next-line ConditionalExpression: the count of a pool is never read here; saves time only
      tainted: scope.kind === 'Class' ? [...tainted, ...taintedIn(part, { scope, group })] : tainted,
    });
  }
  return after;
}

const nothing: Count = { total: 0, tainted: [] };

function taintedIn(part: Published, { scope, group }: Pick<Candidate, 'scope' | 'group'>): readonly Tainted[] {
  return group.tainted.filter(({ device }) => {
    // Stryker disable next-line ConditionalExpression: isInside is not true either for a device outside this part, only slower
    if (!part.pools.has(poolKey(device.driver, device.pool))) return false;
    return isInside(scope, device, part) === true;
  });
}

/** The count of a candidate, once all parts are counted. */
export function countOf(counts: Counts, candidate: Candidate): Count {
  const { scope, group } = candidate;
  const { total, tainted } = counts.get(waveKey(candidate)) ?? nothing;
  if (scope.kind === 'Class') return { total, tainted };
  const isHere = ({ device: { driver, pool } }: Tainted) => driver === scope.driver && pool === scope.pool;
  return { total, tainted: group.tainted.filter(isHere) };
}
