// Finds slice taints whose pods are still being searched, so no limiter lists them yet.
import { limitersIn } from '../../decide/sliceLimiters.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { ResourceSlice } from '../../model/objects.ts';
import type { DeviceTaintSlice } from '../../model/taintSlice.ts';
import { partsOf, placedRows } from '../../state/clusterWalk.ts';
import { causeOf, isHandingOver } from '../../state/fanOutRows.ts';
import { slicePartition } from '../../state/keys.ts';
import type { DirtyDevices } from '../../state/sliceRows.ts';
import { isLive, readDirtyRow, type State } from '../../state/state.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { Row } from '../../table.ts';

const parallelReads = 50;

/** The limiters whose slice waits for a step, for the evaluation of its pods, or for a timeAdded of its taint. */
export async function findUnlisted(
  state: State,
  isOf: (limiter: LimiterId) => boolean,
): Promise<ReadonlySet<LimiterId>> {
  const found = new Set<LimiterId>();
  for await (const rows of partsOf(placedRows(state, slicePartition))) {
    const open = await mapParallel(rows, parallelReads, (row) =>
      openIn(state, row, (one) => isOf(one) && !found.has(one)),
    );
    for (const limiter of open.flat()) found.add(limiter);
  }
  return found;
}

async function openIn(state: State, row: Row, isOf: (limiter: LimiterId) => boolean): Promise<readonly LimiterId[]> {
  const slice = readDirtyRow<ResourceSlice | DeviceTaintSlice, DirtyDevices>(row, row.sk);
  if (!slice || !isLive(slice)) return [];
  const limiters = [...limitersIn(slice.object)].filter(([limiter]) => isOf(limiter));
  if (limiters.length === 0) return [];
  const isOpen = (slice.dirty ?? []).length > 0 || (await isHandingOver(state, causeOf(row)));
  return limiters.filter(([, { isTimed }]) => isOpen || !isTimed).map(([limiter]) => limiter);
}
