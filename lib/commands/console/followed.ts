// Watches a cluster and keeps its picture up to date, so that pages refresh every second without listing.
import { systemClock } from '../../adapters/clock.ts';
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { podGroupResource } from '../../adapters/kubernetes/servedVersion.ts';
import type { Change } from '../../model/change.ts';
import type { ObjectKind, ObjectOf, ObjectProjection } from '../../model/projection.ts';
import { createRecall } from '../../model/recall.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { type FollowedStops, followStops } from '../../watcher/followStops.ts';
import { createFollowing, followKind } from '../../watcher/kindFollower.ts';
import { createKindState, isEstablished, kindSources } from '../../watcher/kinds.ts';
import { addTold, type Picture, pictureOf } from '../cluster/assemble.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { servedVersion } from '../cluster/served.ts';
import { stoppedIn, stopsNotRead } from '../cluster/stopped.ts';
import { createSliceNodes, type SliceNodes } from './sliceNodes.ts';
import { createSlicePools } from './slicePools.ts';
import { createStore, type Store } from './store.ts';

export interface Followed {
  readonly picture: () => Picture;
  /** Full API objects with conditions and annotations; only rules, policies and namespaces are kept. */
  readonly objects: (kind: ObjectKind) => readonly Json[];
  readonly stops: FollowedStops;
  /** Nodes of a pool; absent if its ResourceSlices name none. */
  readonly nodesOf: SliceNodes['of'];
  /** Increases with every change. */
  readonly version: () => number;
  /** Every kind is listed or not served, and EvictionStops are listed or known to be unreadable. */
  readonly isReady: () => boolean;
  /** How many kinds have been read, until all have been read once; then absent. */
  readonly reading: () => { readonly done: number; readonly of: number } | undefined;
  /** Kinds that cannot be read, and since when. */
  readonly problems: () => readonly Unreadable[];
  readonly onChange: (heard: () => void) => void;
}

export interface Unreadable {
  readonly kind: ObjectKind;
  readonly why: string;
  readonly since: Instant;
}

/** Kinds with few objects, of which pages show more fields than the projections have. */
const keptWhole: ReadonlySet<ObjectKind> = new Set([
  'DeviceTaintRule',
  'PacedTaintRule',
  'EvictionPolicy',
  'Namespace',
]);

/** Watches until the signal is aborted. */
export function follow(cluster: OpenCluster, signal: AbortSignal): Followed {
  const store = createStore();
  const whole = new Map<string, Json>();
  const nodes = createSliceNodes();
  const unread = new Set<string>();
  let hasPodGroups = false;
  let wasRead = false;
  const states = kindSources.map((source) => {
    const state = createKindState(source.kind);
    const see = (kind: ObjectKind, item: unknown) => {
      const object = objectOf(item);
      if (kind === 'ResourceSlice') nodes.note(object);
      if (!keptWhole.has(kind)) return;
      whole.set(`${kind}|${textOf(objectOf(object.metadata).name)}`, { ...object, kind });
      store.touch();
    };
    const log = { info: () => {}, warn: () => {}, error: noteUnreadable(unread) };
    const send = async (changes: readonly Change[]) => {
      for (const one of changes) apply({ store, whole, nodes }, one);
    };
    const deps = { client: cluster.client, sink: { send }, clock: systemClock, log, signal, traces: { see } };
    void followKind(createFollowing(deps, source, state));
    return state;
  });
  servedVersion(cluster, podGroupResource).then(
    (version) => {
      hasPodGroups = version !== undefined;
    },
    () => undefined,
  );
  const stops = followStops({ client: cluster.client, clock: systemClock, signal, touch: store.touch });
  const build = createBuilder(store);
  return {
    picture() {
      const why = stops.problem();
      const problems = [...unread, ...(why === undefined ? [] : [stopsNotRead(why)])];
      return {
        ...build({ hasPodGroups, problems }),
        stopped: stoppedIn(stops.objects()),
        told: toldIn(whole.values()),
      };
    },
    stops,
    objects: (kind) => [...whole.values()].filter((one) => one.kind === kind),
    nodesOf: nodes.of,
    version: store.version,
    isReady: () => stops.isKnown() && states.every(isEstablished),
    reading() {
      const done = states.filter(isEstablished).length + Number(stops.isKnown());
      wasRead ||= done > states.length;
      return wasRead ? undefined : { done, of: states.length + 1 };
    },
    problems: () =>
      states.flatMap(({ kind, problem: why, problemSince: since }) =>
        why === undefined || since === undefined ? [] : [{ kind, why, since }],
      ),
    onChange: store.onChange,
  };
}

/** Failed lists and watches are skipped: they are in the kind's state and pass. An unreadable object is logged only once. */
function noteUnreadable(unread: Set<string>) {
  return (text: string, fields: Readonly<Record<string, unknown>> = {}) => {
    if (!('failures' in fields)) unread.add(text);
  };
}

interface Kept {
  readonly store: Store;
  readonly whole: Map<string, Json>;
  readonly nodes: SliceNodes;
}

function apply({ store, whole, nodes }: Kept, change: Change): void {
  switch (change.type) {
    case 'Upserted':
      store.put(change.object);
      break;
    case 'Deleted':
      whole.delete(`${change.object.kind}|${change.object.name}`);
      if (change.object.kind === 'ResourceSlice') nodes.forget(change.object.name);
      store.remove(change.object.kind, change.object);
      break;
    case 'Absent':
      whole.delete(`${change.kind}|${change.key}`);
      if (change.kind === 'ResourceSlice') nodes.forget(store.of(change.kind).get(change.key)?.name ?? '');
      store.removeKey(change.kind, change.key);
      break;
    default:
      // followKind sends no other change.
      break;
  }
}

function toldIn(objects: Iterable<Json>): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  for (const one of objects) addTold(told, String(one.kind), one);
  return told;
}

/** Reuses unchanged parts by identity, so that values computed from them stay cached. */
function createBuilder(store: Store): (by: { hasPodGroups: boolean; problems: readonly string[] }) => Picture {
  const recall = createRecall();
  const list = <K extends ObjectKind>(kind: K) => [...store.of(kind).values()] as unknown as readonly ObjectOf<K>[];
  const rulesPart = remember(() => {
    const rules = [...list('DeviceTaintRule'), ...list('PacedTaintRule')];
    const [policies, classes] = [list('EvictionPolicy'), list('DeviceClass')];
    const [taintSlices, namespaces] = [list('DeviceTaintSlice'), list('Namespace')];
    return { rules, policies, classes, taintSlices, namespaces };
  });
  const poolsOf = createSlicePools();
  const poolsPart = remember(() => poolsOf(list('ResourceSlice')));
  const podsPart = remember(() => list('Pod'));
  const decided = remember((by: { readonly hasPodGroups: boolean }) => {
    const base = { pods: [], claims: new Map(), pools: poolsPart(store.versionOf('ResourceSlice')) };
    return pictureOf({ ...base, ...rulesPart(ruleVersion(store)), hasPodGroups: by.hasPodGroups, recall });
  });
  return ({ hasPodGroups, problems }) => {
    const key = `${store.versionOf('ResourceSlice')} ${ruleVersion(store)} ${hasPodGroups}`;
    const { snapshot, rules } = decided(key, { hasPodGroups });
    const claims = store.of('ResourceClaim') as Snapshot['claims'];
    return { snapshot: { ...snapshot, pods: podsPart(store.versionOf('Pod')), claims }, rules, problems };
  };
}

function ruleVersion(store: Store): string {
  const kinds = ['DeviceTaintRule', 'PacedTaintRule', 'EvictionPolicy', 'DeviceClass', 'DeviceTaintSlice', 'Namespace'];
  return kinds.map((kind) => store.versionOf(kind as ObjectProjection['kind'])).join(' ');
}

/** Caches the last value; recomputes it when the key changes. */
function remember<T, A extends unknown[]>(make: (...by: A) => T): (key: string | number, ...by: A) => T {
  let kept: { readonly key: string | number; readonly value: T } | undefined;
  return (key, ...by) => {
    kept = kept?.key === key ? kept : { key, value: make(...by) };
    return kept.value;
  };
}
