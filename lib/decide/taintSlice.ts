// Which entries of a DeviceTaintSlice count, from when, and which ones its status must report.
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { PacedTaint } from '../model/rule.ts';
import type { AgentTaint, Snapshot } from '../model/snapshot.ts';
import type { DeviceTaintSlice, TaintSliceCounts, TaintSliceEntry } from '../model/taintSlice.ts';
import type { Instant } from '../model/time.ts';

type Pools = Snapshot['pools'];

/** By device. Slices behind their pool's newest generation are left out. */
export function agentTaintsOf(
  slices: readonly DeviceTaintSlice[],
  pools: Pools,
): ReadonlyMap<string, readonly AgentTaint[]> {
  const byDevice = new Map<string, AgentTaint[]>();
  for (const slice of slices.filter((one) => !isStale(one, pools))) {
    for (const [index, entry] of slice.taints.entries()) {
      const key = deviceKey(idOf(slice, entry));
      const known = byDevice.get(key) ?? [];
      byDevice.set(key, known);
      const author = slice.author ? { author: slice.author } : {};
      known.push({ slice: slice.name, index, taint: timed(entry, slice), ...author });
    }
  }
  return byDevice;
}

function isStale({ driver, pool, poolGeneration }: DeviceTaintSlice, pools: Pools): boolean {
  const newest = pools.get(poolKey(driver, pool))?.generation ?? Number.NEGATIVE_INFINITY;
  return newest > (poolGeneration ?? Number.POSITIVE_INFINITY);
}

function idOf({ driver, pool }: DeviceTaintSlice, { device }: TaintSliceEntry): DeviceId {
  return { driver, pool, device };
}

/** A taint without a recorded time does not act until the report stage records one. */
function timed(entry: TaintSliceEntry, { seen }: DeviceTaintSlice): PacedTaint {
  const { timeAdded: _, ...taint } = entry.taint;
  const known = writtenDown(entry, seen);
  return known ? { ...taint, timeAdded: known.timeAdded } : taint;
}

function writtenDown({ device, taint }: TaintSliceEntry, seen: DeviceTaintSlice['seen']) {
  return seen.find(
    (one) =>
      one.device === device &&
      one.key === taint.key &&
      one.effect === taint.effect &&
      one.specTimeAdded === taint.timeAdded,
  );
}

/** The desired status.taints, as for PacedTaintRules: first seen, or when the effect changed. */
export function seenEntries({ taints, seen }: DeviceTaintSlice, now: Instant): DeviceTaintSlice['seen'] {
  return taints.map((entry) => {
    const { device, taint } = entry;
    const { key, effect, timeAdded } = taint;
    const known = writtenDown(entry, seen);
    if (known) return known;
    if (timeAdded === undefined) return { device, key, effect, timeAdded: now };
    const changed = seen.some((one) => one.device === device && one.key === key && one.specTimeAdded === timeAdded);
    return { device, key, effect, timeAdded: changed ? now : timeAdded, specTimeAdded: timeAdded };
  });
}

/** Counts entries of a stale slice, and entries of devices that are neither published nor held by a claim. */
export function countEntries(
  slice: DeviceTaintSlice,
  { pools, claims }: Pick<Snapshot, 'pools' | 'claims'>,
): TaintSliceCounts {
  const published = pools.get(poolKey(slice.driver, slice.pool))?.devices;
  // Stryker disable next-line ArrayDeclaration: a string among the results is no device
  const held = new Set([...claims.values()].flatMap(({ allocation }) => (allocation?.devices ?? []).map(deviceKey)));
  const isUnknown = (entry: TaintSliceEntry) =>
    !published?.has(entry.device) && !held.has(deviceKey(idOf(slice, entry)));
  return {
    staleEntries: isStale(slice, pools) ? slice.taints.length : 0,
    unknownDevices: slice.taints.filter(isUnknown).length,
  };
}
