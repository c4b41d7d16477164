// Writes one DeviceTaintSlice's status: since when its entries count, which do not, and whether they are projected.
import { unowned } from '../../decide/ownership.ts';
import { placedBySlice } from '../../decide/projection.ts';
import { isSame } from '../../decide/same.ts';
import { countEntries, seenEntries } from '../../decide/taintSlice.ts';
import type { Mode, Modes } from '../../model/ownership.ts';
import type { RuleCondition } from '../../model/status.ts';
import { type DeviceTaintSlice, type TaintSliceReport, taintSliceRef } from '../../model/taintSlice.ts';
import { poolPicture } from '../../state/poolPages.ts';
import type { State } from '../../state/state.ts';
import type { ClusterAccess, ClusterStepDependencies } from '../../steps/step.ts';
import { checkWritten } from './checkWritten.ts';
import { withoutKind } from './liveRule.ts';
import { heldCondition } from './reportHold.ts';
import { removeProjection, tellScheduler } from './tellScheduler.ts';

/** Throws where the API server cannot be reached, so that SQS redelivers the message. */
export async function reportTaintSlice(
  deps: ClusterStepDependencies,
  state: State,
  by: { readonly asked: TaintSliceReport; readonly access: ClusterAccess; readonly modes: Modes },
): Promise<undefined> {
  const { asked, access, modes } = by;
  const { name, uid } = asked;
  const ref = taintSliceRef(name, uid);
  const live = withoutKind(await access.live.read('DeviceTaintSlice', name));
  if (live.kind === 'RetryLater' || live.kind === 'Refused')
    return void checkWritten(deps, state, { object: ref, written: live });
  if (uid !== undefined && (live.kind === 'NotFound' || live.object.uid !== uid))
    return void (await removeProjection(deps, access, uid));
  if (live.kind === 'NotFound') return;
  const { object: slice, conditions } = live;
  await reportMode(deps, state, { slice, conditions, access, mode: modes.paced });
  const status = {
    seen: seenEntries(slice, deps.clock.now()),
    counts: countEntries(slice, await poolPicture(state, slice)),
  };
  if (!isSame(status.seen, slice.seen) || !isSame(status.counts, slice.counts)) {
    const written = await access.taintSlices.applyStatus(slice, status);
    checkWritten(deps, state, { object: ref, written });
  }
  if (!deps.settings.projectRules) return;
  await tellScheduler(deps, state, {
    access,
    modes,
    conditions,
    source: slice,
    ref,
    taints: async () => (status.counts.staleEntries > 0 ? [] : placedBySlice(slice)),
    write: (condition) => access.taintSlices.applyConditions(slice, [condition], 'projection'),
  });
}

/** Writes the Held condition while Sluice evicts for no DeviceTaintSlice, and removes it afterwards. */
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
  const written = await access.taintSlices.applyConditions(slice, conditions, 'hold');
  checkWritten(deps, state, { object: taintSliceRef(slice.name), written });
}
