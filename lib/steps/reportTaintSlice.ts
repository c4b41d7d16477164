// Writes one DeviceTaintSlice's status: from when its entries count, and which do not.
import { unowned } from '../decide/ownership.ts';
import { isSame } from '../decide/same.ts';
import { countEntries, seenEntries } from '../decide/taintSlice.ts';
import type { Mode } from '../model/ownership.ts';
import type { RuleCondition } from '../model/status.ts';
import { type DeviceTaintSlice, taintSliceRef } from '../model/taintSlice.ts';
import { poolPicture } from '../state/clusterPages.ts';
import { beginReport } from '../state/reportRows.ts';
import type { State } from '../state/state.ts';
import { checkWritten } from './checkWritten.ts';
import { withoutKind } from './liveRule.ts';
import { heldCondition } from './reportHold.ts';
import type { ClusterAccess, ClusterStepDependencies } from './step.ts';

/** Throws where the API server cannot be reached, so that the message comes back. */
export async function reportTaintSlice(
  deps: ClusterStepDependencies,
  state: State,
  by: { readonly name: string; readonly access: ClusterAccess; readonly mode: Mode },
): Promise<undefined> {
  const { name, access } = by;
  await beginReport(state, taintSliceRef(name));
  const live = withoutKind(await access.live.read('DeviceTaintSlice', name));
  if (live.kind === 'NotFound') return;
  if (live.kind !== 'Found') return void checkWritten(deps, state, { object: taintSliceRef(name), written: live });
  const { object: slice, conditions } = live;
  await reportMode(deps, state, { slice, conditions, ...by });
  const status = {
    seen: seenEntries(slice, deps.clock.now()),
    counts: countEntries(slice, await poolPicture(state, slice)),
  };
  if (isSame(status.seen, slice.seen) && isSame(status.counts, slice.counts)) return;
  const written = await access.taintSlices.applyStatus(slice, status);
  checkWritten(deps, state, { object: taintSliceRef(name), written });
}

/** Said while nobody is evicted for any slice, and taken back after it. */
async function reportMode(
  deps: ClusterStepDependencies,
  state: State,
  by: {
    readonly slice: DeviceTaintSlice;
    readonly conditions: readonly RuleCondition[];
    readonly access: ClusterAccess;
    readonly mode: Mode;
  },
): Promise<void> {
  const { slice, access, mode } = by;
  const previous = by.conditions.find(({ type }) => type === heldCondition);
  const hold = mode === 'own' ? undefined : unowned(mode);
  if (previous?.reason === hold?.reason && (!hold || previous?.observedGeneration === slice.generation)) return;
  const since = previous ? previous.lastTransitionTime : deps.clock.now();
  const said = { type: heldCondition, status: 'True', observedGeneration: slice.generation } as const;
  const conditions = hold ? [{ ...said, ...hold, lastTransitionTime: since }] : [];
  const written = await access.taintSlices.applyConditions(slice, conditions);
  checkWritten(deps, state, { object: taintSliceRef(slice.name), written });
}
