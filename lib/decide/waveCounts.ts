// How many devices of each pool or class there are, and which of them are tainted alike, counted a part of all pools at a time.
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

/** Devices tainted alike, whose taints one policy watches. */
export interface Group {
  readonly policy: EvictionPolicy;
  readonly limits: ObserverLimits;
  readonly key: string;
  readonly tainted: readonly Tainted[];
}

/** A pool or class that devices tainted alike may fill. */
export interface Candidate extends Pick<Wave, 'policy' | 'scope' | 'key'> {
  readonly group: Group;
  readonly known: Wave | undefined;
}

/** What parts of the published pools have shown of a candidate. */
export interface Count {
  readonly total: number;
  readonly tainted: readonly Tainted[];
}

/** By the candidate's `waveKey`. */
export type Counts = ReadonlyMap<string, Count>;

export const nothingCounted: Counts = new Map();

/** `part` has whole pools; no two parts have one in common. */
export function addCounts(before: Counts, candidates: readonly Candidate[], part: Published): Counts {
  const after = new Map(before);
  for (const candidate of candidates) {
    const { scope, group } = candidate;
    const { total, tainted } = after.get(waveKey(candidate)) ?? nothing;
    after.set(waveKey(candidate), {
      total: total + countInside(scope, part),
      // Of a pool those count as well that it does not publish any more: no part has to show them.
      // Stryker disable next-line ConditionalExpression: what was counted so of a pool is never read, and costs time alone
      tainted: scope.kind === 'Class' ? [...tainted, ...taintedIn(part, { scope, group })] : tainted,
    });
  }
  return after;
}

const nothing: Count = { total: 0, tainted: [] };

function taintedIn(part: Published, { scope, group }: Pick<Candidate, 'scope' | 'group'>): readonly Tainted[] {
  return group.tainted.filter(({ device }) => {
    // Stryker disable next-line ConditionalExpression: of a device that is published elsewhere it is unknown whether it is inside, only slower
    if (!part.pools.has(poolKey(device.driver, device.pool))) return false;
    return isInside(scope, device, part) === true;
  });
}

/** Of a candidate, once all parts are counted. */
export function countOf(counts: Counts, candidate: Candidate): Count {
  const { scope, group } = candidate;
  const { total, tainted } = counts.get(waveKey(candidate)) ?? nothing;
  if (scope.kind === 'Class') return { total, tainted };
  const isHere = ({ device: { driver, pool } }: Tainted) => driver === scope.driver && pool === scope.pool;
  return { total, tainted: group.tainted.filter(isHere) };
}
