// JSON of two pods, each with its own taint and policy; tests replace values in the first pod's objects.
import { project } from '../../lib/adapters/kubernetes/project.ts';
import { withPolicy } from '../../lib/decide/policy.ts';
import { taintRulesOf } from '../../lib/decide/ruleTaints.ts';
import { agentTaintsOf } from '../../lib/decide/taintSlice.ts';
import { nameKey } from '../../lib/model/identity.ts';
import type { DeviceClasses } from '../../lib/model/objects.ts';
import type { ObjectKind, ObjectProjection } from '../../lib/model/projection.ts';
import { createRecall } from '../../lib/model/recall.ts';
import { poolsOf, type Snapshot, upstreamSettings } from '../../lib/model/snapshot.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Manifest extends Json {
  readonly kind: ObjectKind;
}

const time = '2026-11-20T10:00:00Z';
const driver = 'gpu.example.com';

function object(kind: ObjectKind, name: string, rest: Json, meta: Json = {}): Manifest {
  const identity = { name, uid: `${kind}-${name}`, resourceVersion: '7', generation: 3, creationTimestamp: time };
  return { kind, metadata: { ...identity, ...meta }, ...rest };
}

/** The pod with the device `<name>` of the pool `<name>`, and all related objects. */
function objectsOf(name: string): readonly Manifest[] {
  const key = `example.com/${name}`;
  const taint = { key, value: 'v', effect: 'NoExecute', timeAdded: time };
  const tolerations = [{ key: 'other', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }];
  const result = { request: 'r', driver, pool: name, device: name, tolerations };
  const reservedFor = [{ resource: 'pods', name, uid: `Pod-${name}` }];
  const namespace = { namespace: name };
  const written = { evictionsPerSecond: 5, burst: 3, description: 'd' };
  return [
    object('Namespace', name, {}, { labels: { 'sluice.dev/eviction-deadline': '5m' } }),
    object('DeviceClass', name, { spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] } }),
    object(
      'Pod',
      name,
      {
        spec: {
          nodeName: name,
          priority: 5,
          terminationGracePeriodSeconds: 30,
          resourceClaims: [{ name: 'c', resourceClaimName: name }],
        },
      },
      { ...namespace, labels: { 'sluice.dev/eviction-mode': 'Evict', 'sluice.dev/eviction-deadline': '90s' } },
    ),
    object(
      'ResourceClaim',
      name,
      { status: { allocation: { devices: { results: [result] } }, reservedFor } },
      namespace,
    ),
    object('ResourceSlice', name, {
      spec: {
        driver,
        nodeName: name,
        pool: { name, generation: 2, resourceSliceCount: 1 },
        devices: [{ name, attributes: { cores: { int: 8 } }, taints: [{ ...taint, effect: 'NoSchedule' }] }],
      },
    }),
    object('DeviceTaintSlice', name, {
      spec: { driver, pool: name, generation: 2, taints: [{ device: name, taint: { ...taint, ...written } }] },
      status: { taints: [{ device: name, key, effect: 'NoExecute', timeAdded: time, specTimeAdded: time }] },
    }),
    object(
      'DeviceTaintRule',
      name,
      { spec: { deviceSelector: { driver, pool: name, device: name }, taint } },
      { annotations: { 'sluice.dev/expires-at': '2999-01-01T00:00:00Z', 'sluice.dev/burst': '3' } },
    ),
    object('PacedTaintRule', name, {
      spec: {
        deviceSelector: { driver, pool: name, deviceTaints: [{ key, minAge: '1s' }] },
        taints: [{ ...taint, ...written }],
        priority: 4,
        pods: { namespaces: [name], maxPriority: 1000 },
        expiresAt: '2999-01-01T00:00:00Z',
      },
      status: { taints: [{ key, effect: 'NoExecute', timeAdded: time, specTimeAdded: time }] },
    }),
    object('EvictionPolicy', name, {
      spec: {
        taints: { keys: [key] },
        evictionsPerSecond: 5,
        burst: 3,
        maxEvictionsPerSecond: 9,
        windows: [{ schedule: '* * * * *', duration: '8h', timeZone: 'Europe/Berlin' }],
        canary: { pods: 2, hold: '10m' },
        limits: { maxPods: 9, maxNamespaces: 9, maxPercent: 100, maxPerNode: 5, maxPerWorkload: '50%', maxPerPool: 5 },
        minimumAge: '1s',
        healthyDelay: '1s',
        mode: 'Evict',
        modeDeadline: '1h',
        gracePeriodSeconds: 10,
        loopLimit: 3,
        loopWindow: '10m',
        observer: { minDevices: 9, percent: 80, window: '1m' },
      },
    }),
  ];
}

export const hostile = objectsOf('hostile');
export const sound = objectsOf('sound');

/** Paths of all leaves: values that are neither objects nor lists. */
export function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

export function replaced<T>(value: T, [name, ...rest]: readonly string[], by: unknown): T {
  if (name === undefined) return by as T;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[name] = replaced(copy[name], rest, by);
  return copy as T;
}

/** Projections of all objects; for an unreadable object, its harmless placeholder. */
export function readAll(manifests: readonly Manifest[]): readonly ObjectProjection[] {
  return manifests.flatMap((manifest) => {
    const read = project(manifest.kind, manifest);
    return (read.kind === 'Projected' ? read.object : read.harmless) ?? [];
  });
}

export function pictureOf(objects: readonly ObjectProjection[]): Snapshot {
  const of = <K extends ObjectKind>(kind: K) =>
    objects.filter((one): one is Extract<ObjectProjection, { kind: K }> => one.kind === kind);
  const classes: DeviceClasses = new Map(of('DeviceClass').map((one) => [one.name, one.selectors]));
  const policies = of('EvictionPolicy');
  const pools = poolsOf(of('ResourceSlice'));
  const rules = [...of('DeviceTaintRule'), ...of('PacedTaintRule')].flatMap((rule) => taintRulesOf(rule, classes));
  return {
    pods: of('Pod'),
    claims: new Map(of('ResourceClaim').map((claim) => [nameKey(claim), claim])),
    pools,
    policies,
    classes,
    rules: rules.map((rule) => withPolicy(rule, policies)),
    namespaces: new Map(of('Namespace').map((one) => [one.name, one])),
    agentTaints: agentTaintsOf(of('DeviceTaintSlice'), pools),
    settings: upstreamSettings,
    recall: createRecall(),
  };
}
