// Stores a ResourceSlice or DeviceTaintSlice and returns the pods that it can affect.
import { readsProperties } from '../../decide/deviceMatch.ts';
import { poolKey } from '../../model/identity.ts';
import type { DeviceTaintSelector, ResourceSlice } from '../../model/objects.ts';
import { policyRef } from '../../model/policy.ts';
import { type DeviceTaintSlice, taintSliceRef } from '../../model/taintSlice.ts';
import type { Instant } from '../../model/time.ts';
import { currentRuleSet } from '../../state/currentRules.ts';
import { sliceKey, sliceRowKey, taintSliceKey } from '../../state/keys.ts';
import {
  type DirtyDevices,
  readPools,
  type SliceRow,
  storeSlice,
  storeTaintSlice,
  type TaintSliceRow,
} from '../../state/sliceRows.ts';
import { noteStanding } from '../../state/standingRows.ts';
import type { State, Storing } from '../../state/state.ts';
import { type Applied, type FindTouched, owed } from './applied.ts';
import { observe } from './observe.ts';

export async function applySlice(state: State, slice: ResourceSlice, how: Storing): Promise<FindTouched | undefined> {
  const stored = await storeSlice(state, slice, how);
  if (stored.kind === 'Stale') return undefined;
  return () => sliceTouches(state, stored.row, how.now);
}

export async function sliceTouches(state: State, row: SliceRow, now: Instant): Promise<Applied> {
  const slice = row.object;
  const pool = poolKey(slice.driver, slice.pool.name);
  const { slices, taintSlices } = await readPools(state, [pool]);
  const isAlone = slices.length === 1 && taintSlices.length === 0;
  const isSilent = row.dirty === '+' && isAlone && !(await arePropertiesRead(state));
  const selectors = isSilent ? [] : selectorsOf({ driver: slice.driver, pool: slice.pool.name }, row.dirty);
  const noted = selectors.length > 0 ? await noteTaints(state, pool, now) : nothingNoted;
  const reports = [...taintSlices.map(({ name, uid }) => taintSliceRef(name, uid)), ...noted.reports];
  const reaches = [...selectors, ...noted.selectors];
  return {
    pods: [],
    reaches,
    reports,
    driver: slice.driver,
    ...owed(sliceRowKey(state.cluster, sliceKey(slice)), row),
  };
}

export async function applyTaintSlice(
  state: State,
  slice: DeviceTaintSlice,
  how: Storing,
): Promise<FindTouched | undefined> {
  const stored = await storeTaintSlice(state, slice, how);
  if (stored.kind === 'Stale') return undefined;
  return () => taintSliceTouches(state, stored.row, how.now);
}

export async function taintSliceTouches(state: State, row: TaintSliceRow, now: Instant): Promise<Applied> {
  const slice = row.object;
  const { driver, pool } = slice;
  const selectors = selectorsOf({ driver, pool }, row.dirty);
  const noted = selectors.length > 0 ? await noteTaints(state, poolKey(driver, pool), now) : nothingNoted;
  const reports = [taintSliceRef(slice.name, row.uid), ...noted.reports];
  const reaches = [...selectors, ...noted.selectors];
  return { pods: [], reaches, driver, reports, ...owed(sliceRowKey(state.cluster, taintSliceKey(slice)), row) };
}

/** Call this after the slice is stored: a step that stores such a rule later finds the slice. */
async function arePropertiesRead(state: State): Promise<boolean> {
  const { rules } = await currentRuleSet(state);
  return rules.some(({ deviceSelector }) => deviceSelector && readsProperties(deviceSelector));
}

function selectorsOf(pool: DeviceTaintSelector, dirty: DirtyDevices = []): readonly DeviceTaintSelector[] {
  return dirty === '*' || dirty === '+' ? [pool] : dirty.map((device) => ({ ...pool, device }));
}

interface Noted {
  /** Devices whose pods must be evaluated in addition to those of the slice. */
  readonly selectors: readonly DeviceTaintSelector[];
  readonly reports: readonly string[];
}

const nothingNoted: Noted = { selectors: [], reports: [] };

/** Runs before any pod is evaluated, and again on each redelivery of the message. */
async function noteTaints(state: State, pool: string, now: Instant): Promise<Noted> {
  await noteStanding(state, pool, now);
  const { policies, isReleased } = await observe(state, 'WhereWatched', now);
  return { selectors: isReleased ? [{}] : [], reports: policies.map(policyRef) };
}
