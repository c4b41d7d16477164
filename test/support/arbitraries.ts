// Arbitrary objects of clean clusters, old clusters and broken drivers, with few names, so that objects refer to each other.
import fc from 'fast-check';
import type {
  AllocatedDevice,
  ConsumerReference,
  DeviceTaint,
  DeviceTaintRule,
  DeviceTaintSelector,
  DeviceToleration,
  Pod,
  ResourceClaim,
  ResourceSlice,
} from '../../lib/model/objects.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import type { Settings, SnapshotObjects } from '../../lib/model/snapshot.ts';
import { t0 } from './builders.ts';

const optional = { requiredKeys: [] as [] };
const oneOf = (...of: readonly string[]) => fc.constantFrom(...of);

/** The first value far more often than the others, so that objects refer to each other. */
function mostly(common: string, ...rare: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3 * rare.length, arbitrary: fc.constant(common) },
    { weight: rare.length, arbitrary: oneOf(...rare) },
  );
}

/** Sometimes undefined. */
function usually<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 8 });
}

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

type Filled<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function filled<T extends object>(of: T): Partial<Filled<T>> {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Partial<Filled<T>>;
}

const drivers = mostly('gpu', 'nic', '');
const pools = mostly('node-1', 'node-2', 'a/b');
const devices = fc.oneof(mostly('dev-0', 'dev-1', 'x'.repeat(63)), mostly('dev-1', 'dev-0'));
const namespaces = mostly('ns-1', 'ns-2');
const claimNames = mostly('claim-1', 'claim-2', 'c'.repeat(253));
const podNames = ['pod-1', 'pod-2', 'pod-3'];
const groups = ['group-1', 'group-2'];
const keys = mostly('k1', 'k2', '');
const values = ['v1', ''];

/** Mostly near `t0`; also absent, far away or invalid. */
const instants = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -600, max: 600 }).map((seconds) => t0 + seconds * 1000) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, 8.64e15, 9e18, Number.NaN, Number.POSITIVE_INFINITY) },
);
const seconds = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -10, max: 600 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 53, -(2 ** 53), 9.3e9, Number.POSITIVE_INFINITY, Number.NaN) },
);
const effects = fc.oneof(
  { weight: 4, arbitrary: fc.constant('NoExecute') },
  { weight: 1, arbitrary: oneOf('NoSchedule', 'None', '', 'unknown-effect') },
);

export const taints: fc.Arbitrary<DeviceTaint> = fc
  .record({ value: fc.option(oneOf(...values), { nil: undefined }), timeAdded: usually(instants) })
  .chain((some) => fc.record({ key: keys, effect: effects }).map((rest) => ({ ...rest, ...filled(some) })));

/** Taints that the API server accepts: with timeAdded. */
export const validTaints: fc.Arbitrary<DeviceTaint & { timeAdded: number }> = fc.record({
  key: oneOf('k1', 'k2'),
  value: oneOf(...values),
  effect: fc.constant('NoExecute'),
  timeAdded: fc.integer({ min: -600, max: 600 }).map((s) => t0 + s * 1000),
});

export const tolerations: fc.Arbitrary<DeviceToleration> = fc.record(
  {
    key: keys,
    operator: oneOf('Exists', 'Equal', '', 'Gt'),
    value: oneOf(...values),
    effect: oneOf('NoExecute', 'NoExecute', 'NoSchedule', ''),
    tolerationSeconds: seconds,
  },
  optional,
);

export const selectors: fc.Arbitrary<DeviceTaintSelector> = fc.record(
  { driver: drivers, pool: pools, device: devices },
  optional,
);

const results: fc.Arbitrary<AllocatedDevice> = fc.record(
  {
    request: oneOf('r', 'r/sub', ''),
    driver: drivers,
    pool: pools,
    device: devices,
    adminAccess: fc.boolean(),
    shareID: oneOf('share-1', 'share-2'),
    tolerations: fc.array(tolerations, { maxLength: 3 }),
  },
  { requiredKeys: ['request', 'driver', 'pool', 'device'] },
);

const podUids = podNames.flatMap((name) => [`${name}-a`, `${name}-b`]);
const uids = fc.oneof(
  { weight: 3, arbitrary: oneOf('pod-1-a', 'pod-2-a', 'pod-3-a') },
  { weight: 1, arbitrary: oneOf(...podUids) },
);

function consumerOf(uid: string): ConsumerReference {
  return { resource: 'pods', name: uid.slice(0, -2), uid };
}

const consumers: fc.Arbitrary<ConsumerReference> = fc.oneof(
  { weight: 4, arbitrary: uids.map(consumerOf) },
  {
    weight: 1,
    arbitrary: oneOf(...groups).map((name) => ({
      apiGroup: 'scheduling.k8s.io',
      resource: 'podgroups',
      name,
      uid: name,
    })),
  },
  { weight: 1, arbitrary: fc.constant({ apiGroup: 'batch', resource: 'jobs', name: 'job', uid: 'job' }) },
);

const controllers = fc.oneof(
  uids.map((uid) => ({ apiVersion: 'v1', kind: 'Pod', name: uid.slice(0, -2), uid })),
  oneOf(...groups).map((name) => ({ apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'PodGroup', name, uid: name })),
);

const annotations = fc.record(
  { 'sluice.dev/reserved-for': oneOf('{"resource":"jobs","name":"j","uid":"u"}', '{', 'null', '[]', '{"resource":1}') },
  optional,
);

const references = fc.oneof(
  { weight: 5, arbitrary: fc.record({ name: oneOf('a', 'b'), resourceClaimName: claimNames }) },
  { weight: 2, arbitrary: fc.record({ name: oneOf('a', 'b'), resourceClaimTemplateName: fc.constant('t') }) },
  { weight: 1, arbitrary: fc.record({ name: oneOf('a', 'b') }) },
);

export const pods: fc.Arbitrary<Pod> = fc
  .record({
    uid: uids,
    nodeName: mostly('node-1', ''),
    resourceClaims: fc.array(references, { minLength: 1, maxLength: 3 }),
    resourceClaimStatuses: fc.array(
      fc.record({ name: oneOf('a', 'b'), resourceClaimName: claimNames }, { requiredKeys: ['name'] }),
      { maxLength: 2 },
    ),
    some: fc.record({
      creationTimestamp: usually(instants),
      deletionTimestamp: rarely(instants),
      priority: usually(fc.oneof(fc.integer(), fc.constant(Number.NaN))),
      podGroupName: fc.option(oneOf(...groups), { nil: undefined }),
      extendedResourceClaimName: fc.option(claimNames, { nil: undefined, freq: 1 }),
    }),
  })
  .map(({ some, ...pod }) => ({
    kind: 'Pod',
    // A UID never occurs in two namespaces.
    namespace: pod.uid.startsWith('pod-3') ? 'ns-2' : 'ns-1',
    name: pod.uid.slice(0, -2),
    resourceVersion: '1',
    ...pod,
    ...filled(some),
  }));

export const claims: fc.Arbitrary<ResourceClaim> = fc
  .record({
    namespace: namespaces,
    name: claimNames,
    reservedFor: fc
      .tuple(fc.subarray(podUids), fc.array(consumers, { maxLength: 1 }))
      .map(([listed, more]) => [...listed.map(consumerOf), ...more]),
    some: fc.record({
      controller: fc.option(controllers, { nil: undefined }),
      allocation: usually(
        fc.record(
          { devices: fc.array(results, { minLength: 1, maxLength: 3 }), reservedForAnyPod: fc.constant(true) },
          { requiredKeys: ['devices'] },
        ),
      ),
      specReservedFor: rarely(consumers),
      annotations: rarely(annotations),
    }),
  })
  .map(({ some, ...claim }) => ({
    kind: 'ResourceClaim',
    uid: `uid-${claim.name}`,
    resourceVersion: '1',
    ...claim,
    ...filled(some),
  }));

export const slices: fc.Arbitrary<ResourceSlice> = fc
  .record({
    name: oneOf('slice-1', 'slice-2'),
    driver: drivers,
    pool: fc.record({
      name: pools,
      generation: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constant(2 ** 53)),
    }),
    devices: fc.array(
      fc.record({ name: devices, taints: fc.array(taints, { maxLength: 3 }) }, { requiredKeys: ['name'] }),
      { maxLength: 4 },
    ),
  })
  .map((slice) => {
    // Driver and pool of a slice are immutable.
    const name = `${slice.driver}-${slice.pool.name}-${slice.name}`;
    return { ...slice, kind: 'ResourceSlice', name, uid: `uid-${name}`, resourceVersion: '1' };
  });

export const rules: fc.Arbitrary<DeviceTaintRule> = fc
  .record(
    {
      name: oneOf('rule-1', 'rule-2', 'rule-3'),
      generation: fc.integer({ min: 0, max: 5 }),
      deviceSelector: selectors,
      taint: taints,
    },
    { requiredKeys: ['name', 'generation', 'taint'] },
  )
  .map((rule) => ({ kind: 'DeviceTaintRule', uid: `uid-${rule.name}`, resourceVersion: '1', ...rule }));

export const settings: fc.Arbitrary<Settings> = fc.record({
  workloadClaims: fc.boolean(),
  extendedResourceClaims: fc.boolean(),
  nonPodConsumers: fc.boolean(),
  emptyEffectTolerates: fc.boolean(),
  releaseStaleConsumers: fc.constant(false),
  projectRules: fc.constant(false),
  projection: fc.constant({ maxRules: 256 }),
  holdEmptySelector: fc.boolean(),
});

type Connected = readonly [Pod, ResourceClaim, ResourceSlice, DeviceTaintRule];

/** A pod that uses `claim-1` with `gpu-1`'s first device, so that most worlds have something to decide. */
const connected: fc.Arbitrary<Connected> = fc
  .tuple(pods, claims, results, slices, rules, fc.array(taints, { maxLength: 2 }))
  .map(([pod, claim, one, slice, rule, own]): Connected => {
    const place = { driver: 'gpu', pool: 'node-1', device: 'dev-0' };
    const devices = [{ ...one, ...place }, ...(claim.allocation?.devices ?? [])];
    return [
      {
        ...pod,
        namespace: 'ns-1',
        name: 'pod-1',
        uid: 'pod-1-a',
        resourceClaims: [{ name: 'a', resourceClaimName: 'claim-1' }, ...pod.resourceClaims],
      },
      {
        ...claim,
        namespace: 'ns-1',
        name: 'claim-1',
        reservedFor: [...claim.reservedFor, consumerOf('pod-1-a')],
        allocation: { ...claim.allocation, devices },
      },
      {
        ...slice,
        driver: place.driver,
        name: 'gpu-node-1-slice-1',
        pool: { ...slice.pool, name: place.pool },
        devices: [{ name: place.device, taints: own }, ...slice.devices],
      },
      rule,
    ];
  });

/** The first object of each name: names are unique in an API server. */
function unique<T extends ObjectProjection>(objects: readonly T[]): readonly T[] {
  const key = (object: T) => (object.kind === 'ResourceClaim' ? `${object.namespace}/${object.name}` : object.name);
  return [...new Map(objects.toReversed().map((object) => [key(object), object])).values()].reverse();
}

export const worlds: fc.Arbitrary<Required<Omit<SnapshotObjects, 'recall'>>> = fc
  .record({
    base: connected,
    pods: fc.array(pods, { maxLength: 3 }),
    claims: fc.array(claims, { maxLength: 3 }),
    slices: fc.array(slices, { maxLength: 2 }),
    rules: fc.array(rules, { maxLength: 2 }),
    settings,
  })
  .map(({ base: [pod, claim, slice, rule], settings: chosen, ...more }) => ({
    pods: unique([pod, ...more.pods]),
    claims: unique([claim, ...more.claims]),
    slices: unique([slice, ...more.slices]),
    rules: unique([rule, ...more.rules]),
    settings: chosen,
  }));

export interface Happened {
  readonly type: 'Put' | 'Remove';
  readonly object: ObjectProjection;
}

/** Changes of objects with shared names, in API server order. */
export const histories: fc.Arbitrary<readonly Happened[]> = fc
  .tuple(
    connected,
    fc.array(
      fc.record({
        type: fc.constantFrom('Put' as const, 'Put' as const, 'Put' as const, 'Remove' as const),
        object: fc.oneof<fc.Arbitrary<ObjectProjection>[]>(
          pods,
          claims,
          slices,
          rules,
          connected.chain((of) => fc.constantFrom(...of)),
        ),
      }),
      { maxLength: 10, size: 'max' },
    ),
  )
  .map(([base, more]) => asServed([...base.map((object) => ({ type: 'Put' as const, object })), ...more]));

/**
 * Changes that an API server would make of arbitrary ones: versions grow, a UID is never reused, a deletion is final, a rule's
 * generation changes with its spec, and every number is valid in JSON.
 */
function asServed(wishes: readonly Happened[]): readonly Happened[] {
  const live = new Map<string, ObjectProjection>();
  const past = new Set<string>();
  return wishes.flatMap((wish, i): readonly Happened[] => {
    const key = keyOf(wish.object);
    const object = served(wish, live.get(key), i);
    if (!object || past.has(object.uid)) return [];
    const before = live.get(key);
    if (before && (wish.type === 'Remove' || before.uid !== object.uid)) past.add(before.uid);
    if (wish.type === 'Put') live.set(key, object);
    else live.delete(key);
    return [{ type: wish.type, object }];
  });
}

function keyOf(object: ObjectProjection): string {
  return `${object.kind}/${'namespace' in object ? object.namespace : ''}/${object.name}`;
}

function served(wish: Happened, before: ObjectProjection | undefined, i: number): ObjectProjection | undefined {
  const object = wish.type === 'Remove' ? before : wish.object;
  if (!object) return undefined;
  const uid = object.kind === 'Pod' ? object.uid : (before?.uid ?? `${object.name}-${i}`);
  return finite({ ...object, ...inherited(before, uid), uid, resourceVersion: `${i + 1}` });
}

function inherited(before: ObjectProjection | undefined, uid: string): object {
  if (!before || before.uid !== uid) return {};
  if (before.kind === 'DeviceTaintRule') return { generation: before.generation + 1 };
  return before.kind === 'Pod' && before.deletionTimestamp !== undefined
    ? { deletionTimestamp: before.deletionTimestamp }
    : {};
}

function finite<T extends ObjectProjection>(object: T): T {
  const isBroken = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);
  return JSON.parse(JSON.stringify(object, (_, value: unknown) => (isBroken(value) ? 0 : value))) as T;
}
