// Worlds as clean clusters, old clusters and broken drivers write them, over few names so that objects meet.
import fc from 'fast-check';
import type {
  AllocatedDevice,
  ConsumerReference,
  DeviceTaint,
  DeviceTaintRule,
  DeviceTaintSelector,
  DeviceToleration,
  ObjectProjection,
  Pod,
  ResourceClaim,
  ResourceSlice,
} from '../../lib/model/objects.ts';
import type { Settings, SnapshotObjects } from '../../lib/model/snapshot.ts';
import { t0 } from './builders.ts';

const drivers = ['gpu', 'nic', ''];
const pools = ['node-1', 'node-2', 'a/b'];
const devices = ['dev-0', 'dev-1', 'x'.repeat(63)];
const namespaces = ['ns-1', 'ns-2'];
const claimNames = ['claim-1', 'claim-2', 'c'.repeat(253)];
const podNames = ['pod-1', 'pod-2', 'pod-3'];
const groups = ['group-1', 'group-2'];
const keys = ['k1', 'k2', ''];
const values = ['v1', ''];

const oneOf = (...of: readonly string[]) => fc.constantFrom(...of);
const optional = { requiredKeys: [] as [] };

/** Mostly near `t0`; also absent ones, far ones and some that are no time at all. */
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

export const taints: fc.Arbitrary<DeviceTaint> = fc.record(
  { key: oneOf(...keys), value: oneOf(...values), effect: effects, timeAdded: instants },
  { requiredKeys: ['key', 'effect'] },
);

/** As the API server accepts them: with a time. */
export const validTaints: fc.Arbitrary<DeviceTaint & { timeAdded: number }> = fc.record({
  key: oneOf('k1', 'k2'),
  value: oneOf(...values),
  effect: fc.constant('NoExecute'),
  timeAdded: fc.integer({ min: -600, max: 600 }).map((s) => t0 + s * 1000),
});

export const tolerations: fc.Arbitrary<DeviceToleration> = fc.record(
  {
    key: oneOf(...keys),
    operator: oneOf('Exists', 'Equal', '', 'Gt'),
    value: oneOf(...values),
    effect: oneOf('NoExecute', 'NoExecute', 'NoSchedule', ''),
    tolerationSeconds: seconds,
  },
  optional,
);

export const selectors: fc.Arbitrary<DeviceTaintSelector> = fc.record(
  { driver: oneOf(...drivers), pool: oneOf(...pools), device: oneOf(...devices) },
  optional,
);

const results: fc.Arbitrary<AllocatedDevice> = fc.record(
  {
    request: oneOf('r', 'r/sub', ''),
    driver: oneOf(...drivers),
    pool: oneOf(...pools),
    device: oneOf(...devices),
    adminAccess: fc.boolean(),
    shareID: oneOf('share-1', 'share-2'),
    tolerations: fc.array(tolerations, { maxLength: 3 }),
  },
  { requiredKeys: ['request', 'driver', 'pool', 'device'] },
);

const uids = fc.constantFrom(...podNames.flatMap((name) => [`${name}-a`, `${name}-b`]));

const consumers: fc.Arbitrary<ConsumerReference> = fc.oneof(
  { weight: 4, arbitrary: uids.map((uid) => ({ resource: 'pods', name: uid.slice(0, -2), uid })) },
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

export const pods: fc.Arbitrary<Pod> = fc
  .record(
    {
      uid: uids,
      nodeName: oneOf('node-1', 'node-1', ''),
      creationTimestamp: instants,
      deletionTimestamp: fc.option(instants, { nil: undefined, freq: 8 }),
      priority: fc.oneof(fc.integer(), fc.constant(Number.NaN)),
      podGroupName: oneOf(...groups),
      extendedResourceClaimName: oneOf(...claimNames),
      resourceClaims: fc.array(
        fc.record(
          { name: oneOf('a', 'b'), resourceClaimName: oneOf(...claimNames), resourceClaimTemplateName: oneOf('t') },
          { requiredKeys: ['name'] },
        ),
        { maxLength: 3 },
      ),
      resourceClaimStatuses: fc.array(
        fc.record({ name: oneOf('a', 'b'), resourceClaimName: oneOf(...claimNames) }, { requiredKeys: ['name'] }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['uid', 'resourceClaims', 'resourceClaimStatuses'] },
  )
  .map(({ deletionTimestamp, ...pod }) => ({
    kind: 'Pod',
    // A UID never shows up in two namespaces.
    namespace: pod.uid.startsWith('pod-3') ? 'ns-2' : 'ns-1',
    name: pod.uid.slice(0, -2),
    resourceVersion: '1',
    ...pod,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  }));

export const claims: fc.Arbitrary<ResourceClaim> = fc
  .record(
    {
      namespace: oneOf(...namespaces),
      name: oneOf(...claimNames),
      controller: controllers,
      reservedFor: fc.array(consumers, { maxLength: 4, size: 'max' }),
      allocation: fc.record(
        { devices: fc.array(results, { maxLength: 4, size: 'max' }), reservedForAnyPod: fc.boolean() },
        { requiredKeys: ['devices'] },
      ),
      specReservedFor: consumers,
      annotations,
    },
    { requiredKeys: ['namespace', 'name', 'reservedFor'] },
  )
  .map((claim) => ({ kind: 'ResourceClaim', uid: `uid-${claim.name}`, resourceVersion: '1', ...claim }));

export const slices: fc.Arbitrary<ResourceSlice> = fc
  .record({
    name: oneOf('slice-1', 'slice-2', 'slice-3'),
    driver: oneOf(...drivers),
    pool: fc.record({
      name: oneOf(...pools),
      generation: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constant(2 ** 53)),
    }),
    devices: fc.array(
      fc.record({ name: oneOf(...devices), taints: fc.array(taints, { maxLength: 3 }) }, { requiredKeys: ['name'] }),
      { maxLength: 4 },
    ),
  })
  .map((slice) => ({ kind: 'ResourceSlice', uid: `uid-${slice.name}`, resourceVersion: '1', ...slice }));

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
});

/** Names are unique within a kind, as in an API server. */
export const worlds: fc.Arbitrary<Required<SnapshotObjects>> = fc.record({
  pods: fc.uniqueArray(pods, { maxLength: 4, size: 'max', selector: (pod) => pod.name }),
  claims: fc.uniqueArray(claims, {
    maxLength: 4,
    size: 'max',
    selector: (claim) => `${claim.namespace}/${claim.name}`,
  }),
  slices: fc.uniqueArray(slices, { maxLength: 3, size: 'max', selector: (slice) => slice.name }),
  rules: fc.uniqueArray(rules, { maxLength: 3, size: 'max', selector: (rule) => rule.name }),
  settings,
});

/** A world in which nearly everything is connected: one claim per pod, on devices that taints reach. */
export const busyWorlds: fc.Arbitrary<Required<SnapshotObjects>> = worlds.map((world) => ({
  ...world,
  pods: world.pods.map((pod, i) => ({
    ...pod,
    nodeName: pod.nodeName || 'node-1',
    resourceClaims: [{ name: 'a', resourceClaimName: claimNames[i % claimNames.length] ?? '' }, ...pod.resourceClaims],
  })),
  claims: world.claims.map((claim) => ({
    ...claim,
    reservedFor: world.pods.map(({ name, uid }) => ({ resource: 'pods', name, uid })),
    allocation: claim.allocation ?? { devices: [] },
  })),
}));

/** Changes of objects that share names, in the order in which an API server made them. */
export const histories: fc.Arbitrary<readonly { type: 'Put' | 'Remove'; object: ObjectProjection }[]> = fc
  .array(
    fc.record({
      type: fc.constantFrom('Put' as const, 'Put' as const, 'Put' as const, 'Remove' as const),
      object: fc.oneof<fc.Arbitrary<ObjectProjection>[]>(pods, claims, slices, rules),
    }),
    { maxLength: 14, size: 'max' },
  )
  .map((events) => events.map((event, i) => ({ ...event, object: { ...event.object, resourceVersion: `${i + 1}` } })));
