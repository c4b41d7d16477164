// Live objects of an API server by kind and name: derived from watch changes, unless a test sets them differently.
import type { LiveCluster, NotRead, PoolOfNode } from '../../../lib/liveCluster.ts';
import type { Change } from '../../../lib/model/change.ts';
import { compareResourceVersions } from '../../../lib/model/identity.ts';
import type { ObjectKind, ObjectOf, ObjectProjection } from '../../../lib/model/projection.ts';
import type { RuleCondition } from '../../../lib/model/status.ts';
import type { EvictionStop } from '../../../lib/model/stop.ts';

/** Default UID of the namespace kube-system. */
export const liveIncarnation = 'uid-kube-system';

export interface FakeLiveCluster extends LiveCluster {
  /** UID of the namespace kube-system. */
  uid: string;
  /** EvictionStops, or `NotRead` as the result of reading them. */
  stopObjects: readonly EvictionStop[] | NotRead;
  /** Applies watch changes, except those older than a known version. */
  observe(changes: readonly Change[]): void;
  put(object: ObjectProjection): void;
  drop(kind: ObjectKind, key: string): void;
  /** Objects in a list of the kind. */
  all<K extends ObjectKind>(kind: K): readonly ObjectOf<K>[];
  /** Kinds that this API server does not serve. */
  readonly notServed: Set<ObjectKind>;
  /** Result of every read of the kind. */
  readonly failing: Map<ObjectKind, NotRead>;
  /** Log of reads as `kind key`; for pools, `ResourceSlice driver|pool`. */
  readonly reads: string[];
}

/** Other models of the same API server, which take precedence. */
export interface Beside {
  find(kind: ObjectKind, key: string, observed: ObjectProjection | undefined): Known<ObjectProjection>;
  forget(kind: ObjectKind, key: string): void;
  /** Objects of the kind for lists. */
  all(kind: ObjectKind): readonly ObjectProjection[];
}

type Known<T> =
  | { readonly object: T; readonly conditions: readonly RuleCondition[]; readonly shownRate?: string }
  | 'Absent'
  | undefined;

export function keyOf(object: ObjectProjection): string {
  return object.kind === 'Pod' || object.kind === 'ResourceClaim' ? `${object.namespace}/${object.name}` : object.name;
}

export function createFakeLiveCluster(beside: Beside): FakeLiveCluster {
  const objects = new Map<string, ObjectProjection>();
  /** Version of the latest change of each name, including deletions. */
  const versions = new Map<string, string>();
  const nameOf = (kind: ObjectKind, key: string) => `${kind} ${key}`;
  const failureOf = (kind: ObjectKind): NotRead | undefined =>
    server.notServed.has(kind) ? { kind: 'NotServed', why: `${kind}: not served` } : server.failing.get(kind);
  let newest = '1';
  const latest = () => newest;
  const find = <K extends ObjectKind>(kind: K, key: string): Known<ObjectOf<K>> => {
    const object = objects.get(nameOf(kind, key)) as ObjectOf<K> | undefined;
    const known = beside.find(kind, key, object) as Known<ObjectOf<K>>;
    return known ?? (object && { object, conditions: [] });
  };
  const allOf = <K extends ObjectKind>(kind: K): readonly ObjectOf<K>[] => {
    const mine = [...objects.values()].filter((one): one is ObjectOf<K> => one.kind === kind);
    const others = beside.all(kind) as readonly ObjectOf<K>[];
    return [...others, ...mine.filter((one) => others.every((other) => keyOf(other) !== keyOf(one)))];
  };
  const tell = (object: ObjectProjection, isThere: boolean) => {
    const name = nameOf(object.kind, keyOf(object));
    versions.set(name, object.resourceVersion);
    if (compareResourceVersions(newest, object.resourceVersion) < 0) newest = object.resourceVersion;
    if (isThere) objects.set(name, object);
    else objects.delete(name);
  };
  const server: FakeLiveCluster = {
    uid: liveIncarnation,
    stopObjects: [],
    notServed: new Set(),
    failing: new Map(),
    reads: [],
    observe(changes) {
      for (const change of changes) {
        if (change.type !== 'Upserted' && change.type !== 'Deleted') continue;
        const { object } = change;
        const last = versions.get(nameOf(object.kind, keyOf(object)));
        const isOlder = last !== undefined && compareResourceVersions(object.resourceVersion, last) < 0;
        if (isOlder) continue;
        tell(object, change.type === 'Upserted');
        if (change.type === 'Deleted') beside.forget(object.kind, keyOf(object));
      }
    },
    put: (object) => tell(object, true),
    all: allOf,
    drop(kind, key) {
      objects.delete(nameOf(kind, key));
    },
    async incarnation() {
      return failureOf('Namespace') ?? { kind: 'Found', incarnation: server.uid };
    },
    async read(kind, key) {
      server.reads.push(nameOf(kind, key));
      const failure = failureOf(kind);
      if (failure) return failure;
      const known = find(kind, key);
      return known === undefined || known === 'Absent'
        ? { kind: 'NotFound', resourceVersion: latest() }
        : { kind: 'Found', ...known, resourceVersion: latest() };
    },
    async policies() {
      server.reads.push('EvictionPolicy *');
      const objects = allOf('EvictionPolicy');
      return failureOf('EvictionPolicy') ?? { kind: 'Listed', objects, resourceVersion: latest() };
    },
    async pacedRules() {
      server.reads.push('PacedTaintRule *');
      const objects = allOf('PacedTaintRule');
      return failureOf('PacedTaintRule') ?? { kind: 'Listed', objects, resourceVersion: latest() };
    },
    async stops() {
      server.reads.push('EvictionStop *');
      const { stopObjects } = server;
      return 'kind' in stopObjects ? stopObjects : { kind: 'Listed', stops: stopObjects };
    },
    async slices({ driver, pool }: PoolOfNode) {
      server.reads.push(`ResourceSlice ${driver}|${pool}`);
      const objects = allOf('ResourceSlice').filter((one) => one.driver === driver && one.pool.name === pool);
      return failureOf('ResourceSlice') ?? { kind: 'Listed', objects, resourceVersion: latest() };
    },
  };
  return server;
}
