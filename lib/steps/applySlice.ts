// Stores a slice of either kind and answers which pods it can touch.
import { poolKey } from '../model/identity.ts';
import type { ResourceSlice } from '../model/objects.ts';
import { type DeviceTaintSlice, taintSliceRef } from '../model/taintSlice.ts';
import { rememberDevices } from '../state/deviceRows.ts';
import { sliceKey, sliceRowKey, taintSliceKey } from '../state/keys.ts';
import { readPools, storeSlice, storeTaintSlice } from '../state/sliceRows.ts';
import { noteStanding } from '../state/standingRows.ts';
import type { State } from '../state/state.ts';
import { allPodsUsing, type FindTouched, owed, type Storing } from './applied.ts';

export async function applySlice(state: State, slice: ResourceSlice, how: Storing): Promise<FindTouched | undefined> {
  await rememberDevices(state, slice, how);
  const stored = await storeSlice(state, slice, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const selector = { driver: slice.driver, pool: slice.pool.name };
  const pool = poolKey(slice.driver, slice.pool.name);
  const dirty = row.dirty ?? [];
  const selectors = dirty === '*' ? [selector] : dirty.map((device) => ({ ...selector, device }));
  return async () => {
    // Before anybody is evaluated, and again whenever the message comes back.
    if (dirty.length > 0) await noteStanding(state, pool, how.now);
    const pods = (await Promise.all(selectors.map((one) => allPodsUsing(state, one)))).flat();
    const { taintSlices } = await readPools(state, [pool]);
    const reports = taintSlices.map(({ name }) => taintSliceRef(name));
    return { pods, reports, driver: slice.driver, ...owed(sliceRowKey(state.cluster, sliceKey(slice)), row) };
  };
}

export async function applyTaintSlice(
  state: State,
  slice: DeviceTaintSlice,
  how: Storing,
): Promise<FindTouched | undefined> {
  const stored = await storeTaintSlice(state, slice, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const { driver, pool } = slice;
  return async () => {
    const selectors = (row.dirty ?? []).map((device) => ({ driver, pool, device }));
    if (selectors.length > 0) await noteStanding(state, poolKey(driver, pool), how.now);
    const pods = (await Promise.all(selectors.map((one) => allPodsUsing(state, one)))).flat();
    const reports = how.gone === undefined ? [taintSliceRef(slice.name)] : [];
    return { pods, driver, reports, ...owed(sliceRowKey(state.cluster, taintSliceKey(slice)), row) };
  };
}
