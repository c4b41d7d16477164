// Pools of successive lists of ResourceSlices: only pools with another slice are computed again.
import { poolKey } from '../../model/identity.ts';
import type { ResourceSlice } from '../../model/objects.ts';
import { type Pool, poolsOf, type Snapshot } from '../../model/snapshot.ts';

interface Reading {
  readonly slices: readonly ResourceSlice[];
  readonly grouped: ReadonlyMap<string, readonly ResourceSlice[]>;
  readonly pools: ReadonlyMap<string, Pool>;
}

/** An unchanged pool stays the same object, so that values computed from it stay cached. */
export function createSlicePools(): (slices: readonly ResourceSlice[]) => Snapshot['pools'] {
  let last: Reading = { slices: [], grouped: new Map(), pools: new Map() };
  return (slices) => {
    const replaced = replacedIn(last.slices, slices);
    last = replaced ? withReplaced(last, slices, replaced) : regrouped(last, slices);
    return last.pools;
  };
}

function withReplaced(last: Reading, slices: readonly ResourceSlice[], replaced: readonly Replaced[]): Reading {
  const grouped = new Map(last.grouped);
  const pools = new Map(last.pools);
  const keys = new Set<string>();
  for (const { old, now } of replaced) {
    const key = keyOf(now);
    keys.add(key);
    grouped.set(key, grouped.get(key)?.map((one) => (one === old ? now : one)) ?? []);
  }
  for (const key of keys) {
    const pool = poolsOf(grouped.get(key) ?? []).get(key);
    if (pool) pools.set(key, pool);
  }
  return { slices, grouped, pools };
}

function regrouped(last: Reading, slices: readonly ResourceSlice[]): Reading {
  const grouped = Map.groupBy(slices, keyOf);
  const pools = new Map<string, Pool>();
  for (const [key, own] of grouped) {
    const isSame = sameSlices(last.grouped.get(key) ?? [], own);
    const pool = (isSame ? last.pools.get(key) : undefined) ?? poolsOf(own).get(key);
    if (pool) pools.set(key, pool);
  }
  return { slices, grouped, pools };
}

function keyOf({ driver, pool }: ResourceSlice): string {
  return poolKey(driver, pool.name);
}

function sameSlices(a: readonly ResourceSlice[], b: readonly ResourceSlice[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

interface Replaced {
  readonly old: ResourceSlice;
  readonly now: ResourceSlice;
}

/** Slices replaced within their pool, if no other slice came, went or moved; otherwise `undefined`. */
function replacedIn(
  before: readonly ResourceSlice[],
  slices: readonly ResourceSlice[],
): readonly Replaced[] | undefined {
  if (before.length !== slices.length) return undefined;
  const found: Replaced[] = [];
  for (const [i, now] of slices.entries()) {
    const old = before[i];
    if (old === now) continue;
    if (!old || old.name !== now.name || keyOf(old) !== keyOf(now)) return undefined;
    found.push({ old, now });
  }
  return found;
}
