// Writes one DeviceTaintSlice's status: from when its entries count, and which do not.
import { isSame } from '../decide/same.ts';
import { countEntries, seenEntries } from '../decide/taintSlice.ts';
import { taintSliceRef } from '../model/taintSlice.ts';
import { readClusterSnapshot } from '../state/clusterSnapshot.ts';
import { beginReport } from '../state/reportRows.ts';
import type { State } from '../state/state.ts';
import type { ClusterAccess, ClusterStepDependencies } from './step.ts';

/** Throws where the API server cannot be reached, so that the message comes back. */
export async function reportTaintSlice(
  deps: ClusterStepDependencies,
  state: State,
  by: { readonly name: string; readonly access: ClusterAccess },
): Promise<undefined> {
  const { name, access } = by;
  await beginReport(state, taintSliceRef(name));
  const live = await access.taintSlices.read(name);
  if (live.kind === 'NotFound') return;
  if (live.kind === 'RetryLater') throw new Error(`DeviceTaintSlice ${name}: ${live.why}`);
  if (live.kind === 'Refused') return refused(deps, state, { name, why: live.why });
  const { slice } = live;
  const status = {
    seen: seenEntries(slice, deps.clock.now()),
    counts: countEntries(slice, await readClusterSnapshot(state, deps.settings)),
  };
  if (isSame(status.seen, slice.seen) && isSame(status.counts, slice.counts)) return;
  const written = await access.taintSlices.applyStatus(slice, status);
  if (written.kind === 'RetryLater') throw new Error(`DeviceTaintSlice ${name}: ${written.why}`);
  if (written.kind === 'Refused') refused(deps, state, { name, why: written.why });
}

function refused(deps: ClusterStepDependencies, state: State, by: { name: string; why: string }): undefined {
  deps.metrics.add('EvictionsRefused', 1, state.cluster);
  deps.log.error('status of a DeviceTaintSlice refused', { cluster: state.cluster, ...by });
}
