// Where the table shows something else than the API server, it is set right: by ordinary writes, each conditional on the row as it was.
import { isSame } from '../../decide/same.ts';
import { nameKey, poolKey } from '../../model/identity.ts';
import type { ResourceSlice } from '../../model/objects.ts';
import type { ObjectProjection } from '../../model/projection.ts';
import { ruleRef } from '../../model/rule.ts';
import type { Instant } from '../../model/time.ts';
import type { Log, Metrics } from '../../ports.ts';
import { readRowOf, replaceRow } from '../../state/objectRows.ts';
import type { PodRow } from '../../state/podRows.ts';
import { readRule } from '../../state/ruleRows.ts';
import { readPoolRows } from '../../state/sliceRows.ts';
import type { ObjectRow, State } from '../../state/state.ts';
import type { LiveView } from './liveView.ts';
import { objectsIn } from './sharedObjects.ts';

type Row = ObjectRow<ObjectProjection> | undefined;

/** A row and what the API server has in its place. */
interface Difference {
  readonly row: Row;
  readonly object: ObjectProjection;
  /** Where the API server has nothing: as of which version. */
  readonly absentAt?: string;
}

/** A row holds 400 KB (DynamoDB); what is larger comes through ingest, which knows what to leave out. */
const largest = 300_000;

/** `isPod`: the row of the pod itself was not so. */
export async function writeBack(
  deps: { readonly metrics: Metrics; readonly log: Log },
  state: State,
  by: { readonly row: PodRow; readonly view: LiveView; readonly now: Instant },
): Promise<{ readonly isPod: boolean }> {
  const { row, view, now } = by;
  const own = podDifference(row, view);
  const found = [...own, ...claimDifferences(view), ...(await sharedDifferences(state, view))];
  const written = await Promise.all(found.map((one) => write(state, one, now)));
  const differing = found.filter((_, i) => written[i]);
  if (differing.length > 0) {
    const { cluster } = state;
    deps.metrics.add('MirrorDrift', differing.length, cluster);
    const objects = differing.slice(0, 10).map(({ object }) => `${object.kind} ${nameOf(object)}`);
    deps.log.warn('the table differed from the API server and was set right', { cluster, pod: row.key, objects });
  }
  return { isPod: own.length > 0 };
}

function podDifference(row: PodRow, { own: { pod } }: LiveView): readonly Difference[] {
  if (pod.kind === 'Absent') return row.gone ? [] : [{ row, object: row.object, absentAt: pod.resourceVersion }];
  return isShown(row, pod.object) ? [] : [{ row, object: pod.object }];
}

function claimDifferences({ own: { claims }, claimRows }: LiveView): readonly Difference[] {
  return [...claims].flatMap(([key, seen]): readonly Difference[] => {
    const row = claimRows.find((claim) => claim.key === key);
    if (seen.kind === 'There') return isShown(row, seen.object) ? [] : [{ row, object: seen.object }];
    return row && !row.gone ? [{ row, object: row.object, absentAt: seen.resourceVersion }] : [];
  });
}

/** Policies that are gone are left to the watcher: whom they leave has to be found first. */
async function sharedDifferences(state: State, view: LiveView): Promise<readonly Difference[]> {
  const objects = objectsIn(view).filter(({ kind }) => kind !== 'ResourceSlice' && kind !== 'DeviceTaintSlice');
  const rows = await Promise.all(objects.map((object) => readRowOf(state, object)));
  const shown = objects.flatMap((object, i) => (isShown(rows[i], object) ? [] : [{ row: rows[i], object }]));
  return [...shown, ...(await absentRules(state, view)), ...(await sliceDifferences(state, view))];
}

async function absentRules(state: State, { absent }: LiveView): Promise<readonly Difference[]> {
  const rows = await Promise.all(
    absent.map(async ({ kind, key, resourceVersion }) => {
      if (kind !== 'DeviceTaintRule' && kind !== 'PacedTaintRule') return [];
      const row = await readRule(state, ruleRef({ kind, name: key }));
      return row && !row.gone ? [{ row, object: row.object, absentAt: resourceVersion }] : [];
    }),
  );
  return rows.flat();
}

/** Of the pools that were read, whole: a slice that the API server does not list is gone. */
async function sliceDifferences(state: State, view: LiveView): Promise<readonly Difference[]> {
  const { slices, taintSlices, absent, own, slicesAt } = view;
  const claims = [...own.claims.values()].flatMap((one) => (one.kind === 'There' ? [one.object] : []));
  const devices = claims.flatMap(({ allocation }) => allocation?.devices ?? []);
  const pools = view.pod ? [...new Set(devices.map(({ driver, pool }) => poolKey(driver, pool)))] : [];
  const rows = await readPoolRows(state, pools);
  const rowOf = (object: ResourceSlice | LiveView['taintSlices'][number]) =>
    rows.find((row) => row.object.kind === object.kind && row.object.name === object.name);
  const shown = [...slices, ...taintSlices].flatMap((object) => {
    const row = rowOf(object);
    const like = asStored(row, object);
    return isShown(row, like) ? [] : [{ row, object: like }];
  });
  const gone = rows.flatMap((row): readonly Difference[] => {
    if (row.gone) return [];
    const { object } = row;
    if (object.kind === 'DeviceTaintSlice') {
      const missing = absent.find((one) => one.kind === 'DeviceTaintSlice' && one.key === object.name);
      return missing ? [{ row, object, absentAt: missing.resourceVersion }] : [];
    }
    const at = slicesAt.get(poolKey(object.driver, object.pool.name));
    const isListed = slices.some(({ name }) => name === object.name);
    return at === undefined || isListed ? [] : [{ row, object, absentAt: at }];
  });
  return [...shown, ...gone];
}

/** A slice that was too large to keep its attributes is compared, and kept, without them. */
function asStored(row: Row, object: ObjectProjection): ObjectProjection {
  if (object.kind !== 'ResourceSlice' || row?.object.kind !== 'ResourceSlice') return object;
  if (!row.object.devices.some(({ isStripped }) => isStripped)) return object;
  const devices = object.devices.map(({ name, taints }) => ({
    name,
    ...(taints ? { taints } : {}),
    isStripped: true as const,
  }));
  return { ...object, devices };
}

function isShown(row: Row, object: ObjectProjection): boolean {
  return row !== undefined && !row.gone && row.uid === object.uid && isSame(contentOf(row.object), contentOf(object));
}

/** What the table adds, and what moves no verdict. */
const beside = ['author', 'frozenTolerations', 'actsSince', 'deserted'];

function contentOf(object: ObjectProjection): object {
  const { resourceVersion: _, ...content } = object;
  return Object.fromEntries(Object.entries(content).filter(([name]) => !beside.includes(name)));
}

async function write(state: State, { row, object, absentAt }: Difference, now: Instant): Promise<boolean> {
  if (JSON.stringify(object).length > largest) return false;
  const seen = {
    uid: object.uid,
    resourceVersion: absentAt ?? object.resourceVersion,
    generation: row?.gen ?? 0,
    at: now,
    ...(row ? { over: row.ver } : {}),
  };
  return replaceRow(state, object, absentAt === undefined ? { seen, now } : { seen, now, gone: now });
}

function nameOf(object: ObjectProjection): string {
  return object.kind === 'Pod' || object.kind === 'ResourceClaim' ? nameKey(object) : object.name;
}
