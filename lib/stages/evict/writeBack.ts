// Repairs rows that differ from the API server, with ordinary writes, each conditional on the row as it was read.
import { isSame } from '../../decide/same.ts';
import type { LiveCluster } from '../../liveCluster.ts';
import { isRelevant } from '../../mirror/relevant.ts';
import { nameKey, poolKey } from '../../model/identity.ts';
import { isStrippedSlice, type ObjectProjection } from '../../model/projection.ts';
import { ruleRef } from '../../model/rule.ts';
import type { Instant } from '../../model/time.ts';
import type { Log, Metrics } from '../../ports.ts';
import { readRowOf, replaceRow } from '../../state/objectRows.ts';
import type { PodRow } from '../../state/podRows.ts';
import { readRule } from '../../state/ruleRows.ts';
import { readPoolRows } from '../../state/sliceRows.ts';
import { isLive, type ObjectRow, type State } from '../../state/state.ts';
import type { LiveView } from './liveView.ts';
import type { SharedObjects } from './sharedObjects.ts';

type Row = ObjectRow<ObjectProjection> | undefined;

/** A row that differs from the live object, or is missing. */
interface Difference {
  readonly row: Row;
  /** The row's object, or the live object where there is no row; gives kind and name. */
  readonly object: ObjectProjection;
}

/** DynamoDB limits an item to 400 KB; larger objects go through ingest, which can omit parts. */
const largest = 300_000;

export interface WritingBack {
  readonly row: PodRow;
  readonly view: LiveView;
  readonly live: LiveCluster;
  readonly now: Instant;
}

/** `isPod`: the row of the pod itself was wrong. */
export async function writeBack(
  deps: { readonly metrics: Metrics; readonly log: Log },
  state: State,
  by: WritingBack,
): Promise<{ readonly isPod: boolean }> {
  const { row, view } = by;
  const own = podDifference(row, view);
  const found = [...own, ...claimDifferences(view), ...(await sharedDifferences(state, view))];
  const written = await Promise.all(found.map((one) => setRight(state, one, by)));
  const differing = found.filter((_, i) => written[i]);
  if (differing.length > 0) {
    const { cluster } = state;
    deps.metrics.add('MirrorDrift', differing.length, cluster);
    const objects = differing.slice(0, 10).map(({ object }) => `${object.kind} ${keyOf(object)}`);
    deps.log.warn('the table differed from the API server and was set right', { cluster, pod: row.key, objects });
  }
  return { isPod: own.length > 0 };
}

function podDifference(row: PodRow, { own: { pod } }: LiveView): readonly Difference[] {
  const isSo = pod.kind === 'Absent' ? row.gone : isShown(row, pod.object);
  return isSo ? [] : [{ row, object: row.object }];
}

function claimDifferences({ own: { claims }, claimRows }: LiveView): readonly Difference[] {
  return [...claims].flatMap(([key, seen]): readonly Difference[] => {
    const row = claimRows.find((claim) => claim.key === key);
    if (seen.kind === 'There') return isShown(row, seen.object) ? [] : [{ row, object: seen.object }];
    return row && !row.gone ? [{ row, object: row.object }] : [];
  });
}

async function sharedDifferences(state: State, view: LiveView): Promise<readonly Difference[]> {
  const objects = objectsIn(view).filter(({ kind }) => kind !== 'ResourceSlice' && kind !== 'DeviceTaintSlice');
  const rows = await Promise.all(objects.map((object) => readRowOf(state, object)));
  const shown = objects.flatMap((object, i) => (isShown(rows[i], object) ? [] : [{ row: rows[i], object }]));
  return [...shown, ...(await absentRules(state, view)), ...(await sliceDifferences(state, view))];
}

async function absentRules(state: State, { absent }: LiveView): Promise<readonly Difference[]> {
  const rows = await Promise.all(
    absent.map(async ({ kind, key }) => {
      if (kind !== 'DeviceTaintRule' && kind !== 'PacedTaintRule') return [];
      const row = await readRule(state, ruleRef({ kind, name: key }));
      return row && !row.gone ? [{ row, object: row.object }] : [];
    }),
  );
  return rows.flat();
}

/** Compares whole pools: a slice that the API server does not list is gone. */
async function sliceDifferences(state: State, view: LiveView): Promise<readonly Difference[]> {
  const { slices, taintSlices, absent, own } = view;
  const claims = [...own.claims.values()].flatMap((one) => (one.kind === 'There' ? [one.object] : []));
  const devices = claims.flatMap(({ allocation }) => allocation?.devices ?? []);
  const pools = view.pod ? [...new Set(devices.map(({ driver, pool }) => poolKey(driver, pool)))] : [];
  const rows = await readPoolRows(state, pools);
  const shown = [...slices, ...taintSlices].flatMap((object): readonly Difference[] => {
    const row = rows.find((one) => one.object.kind === object.kind && one.object.name === object.name);
    return isShown(row, asStored(row, object)) ? [] : [{ row, object }];
  });
  const gone = rows.flatMap((row): readonly Difference[] => {
    const { object } = row;
    const isListed =
      object.kind === 'ResourceSlice'
        ? slices.some(({ name }) => name === object.name)
        : absent.every(({ kind, key }) => kind !== object.kind || key !== object.name);
    return row.gone || isListed ? [] : [{ row, object }];
  });
  return [...shown, ...gone];
}

/** A slice that was too large to store with its attributes is compared and stored without them. */
function asStored(row: Row, object: ObjectProjection): ObjectProjection {
  if (object.kind !== 'ResourceSlice' || !row || !isStrippedSlice(row.object)) return object;
  const devices = object.devices.map(({ name, taints }) => ({
    name,
    ...(taints ? { taints } : {}),
    isStripped: true as const,
  }));
  return { ...object, devices };
}

/** An object that is not relevant needs no row. */
function isShown(row: Row, object: ObjectProjection): boolean {
  if (row === undefined || !isLive(row)) return !isRelevant(object);
  return row.uid === object.uid && isSame(contentOf(row.object), contentOf(object));
}

/** Fields that only the table has, or that affect no verdict. */
const beside = ['author', 'actsSince', 'deserted'];

function contentOf(object: ObjectProjection): object {
  const { resourceVersion: _, ...content } = object;
  return Object.fromEntries(Object.entries(content).filter(([name]) => !beside.includes(name)));
}

/**
 * Reads the object again after the row, since the first read may be older than the row, and writes if the row has not changed
 * since. Deleted policies are left to the watcher: the pods that they leave behind must be found first.
 */
async function setRight(state: State, { row, object }: Difference, { live, now }: WritingBack): Promise<boolean> {
  const read = await live.read(object.kind, keyOf(object));
  const common = { now, ...(row ? { over: row.ver } : {}) };
  if (read.kind === 'Found' && read.problem === undefined) {
    const so = asStored(row, read.object);
    if (isShown(row, so) || JSON.stringify(so).length > largest) return false;
    return replaceRow(state, so, { seen: { uid: so.uid, resourceVersion: so.resourceVersion }, ...common });
  }
  if (read.kind !== 'NotFound' || !row || row.gone || object.kind === 'EvictionPolicy') return false;
  const seen = { uid: row.uid, resourceVersion: read.resourceVersion };
  return replaceRow(state, row.object, { seen, ...common, gone: now });
}

function keyOf(object: ObjectProjection): string {
  return object.kind === 'Pod' || object.kind === 'ResourceClaim' ? nameKey(object) : object.name;
}

/** All objects of the reads, to compare with the table. */
function objectsIn({ rules, policies, classes, namespaces, slices, taintSlices }: Omit<SharedObjects, 'kind'>) {
  const objects: readonly ObjectProjection[] = [
    ...rules,
    ...policies,
    ...classes,
    ...namespaces,
    ...slices,
    ...taintSlices,
  ];
  return objects;
}
