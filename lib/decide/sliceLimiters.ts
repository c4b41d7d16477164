// The limiters of the pods of one ResourceSlice or DeviceTaintSlice.
import type { LimiterId } from '../model/eviction.ts';
import type { ResourceSlice } from '../model/objects.ts';
import type { PacedTaint } from '../model/rule.ts';
import type { DeviceTaintSlice } from '../model/taintSlice.ts';
import { sliceLimiter } from '../model/verdict.ts';
import { evicts } from './taint.ts';
import { agentTaintsOf } from './taintSlice.ts';

/** The limiters of evicting taints. `isTimed`: all their taints have a time; an agent's taint lists no pod before it has one. */
export function limitersIn(
  slice: ResourceSlice | DeviceTaintSlice,
): ReadonlyMap<LimiterId, { readonly isTimed: boolean }> {
  const found = new Map<LimiterId, { readonly isTimed: boolean }>();
  for (const { taint, isTimed } of taintsIn(slice)) {
    if (!evicts(taint)) continue;
    const limiter = sliceLimiter(slice.driver, taint);
    found.set(limiter, { isTimed: isTimed && found.get(limiter)?.isTimed !== false });
  }
  return found;
}

function taintsIn(slice: ResourceSlice | DeviceTaintSlice): readonly { taint: PacedTaint; isTimed: boolean }[] {
  // Stryker disable ArrayDeclaration: a string among the taints evicts no pod
  if (slice.kind === 'ResourceSlice')
    return slice.devices.flatMap(({ taints }) => taints?.map((taint) => ({ taint, isTimed: true })) ?? []);
  // Stryker restore ArrayDeclaration
  const entries = [...agentTaintsOf([slice], new Map()).values()].flat();
  return entries.map(({ taint }) => ({ taint, isTimed: taint.timeAdded !== undefined }));
}
