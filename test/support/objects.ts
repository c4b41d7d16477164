// Small objects for step tests; every function takes overrides.
import type { Deleted, Heartbeat, Upserted } from '../../lib/model/change.ts';
import type { Namespace } from '../../lib/model/namespace.ts';
import type { DeviceClass, DeviceTaintRule, Pod, ResourceClaim, ResourceSlice } from '../../lib/model/objects.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import type { PacedTaintRule } from '../../lib/model/rule.ts';
import type { DeviceTaintSlice } from '../../lib/model/taintSlice.ts';
import type { Instant } from '../../lib/model/time.ts';

export const driver = 'gpu.example.com';
let versions = 100;

/** Next resourceVersion; they grow as in one API server. */
export function nextVersion(): string {
  return String(++versions);
}

export function aPod(name: string, overrides: Partial<Pod> = {}): Pod {
  return {
    kind: 'Pod',
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    resourceVersion: nextVersion(),
    creationTimestamp: 0,
    nodeName: 'node-1',
    resourceClaims: [{ name: 'gpu', resourceClaimName: `claim-${name}` }],
    resourceClaimStatuses: [],
    ...overrides,
  };
}

/** An allocated claim reserved for the pod of the same name. */
export function aClaim(pod: string, device: string, overrides: Partial<ResourceClaim> = {}): ResourceClaim {
  return {
    kind: 'ResourceClaim',
    namespace: 'default',
    name: `claim-${pod}`,
    uid: `uid-claim-${pod}`,
    resourceVersion: nextVersion(),
    reservedFor: [{ resource: 'pods', name: pod, uid: `uid-${pod}` }],
    allocation: { devices: [{ request: 'gpu', driver, pool: 'node-1', device, tolerations: [] }] },
    ...overrides,
  };
}

export function aRule(name: string, timeAdded: Instant, overrides: Partial<DeviceTaintRule> = {}): DeviceTaintRule {
  return {
    kind: 'DeviceTaintRule',
    name,
    uid: `uid-${name}`,
    resourceVersion: nextVersion(),
    generation: 1,
    deviceSelector: { driver },
    taint: { key: 'example.com/bad', value: 'yes', effect: 'NoExecute', timeAdded },
    ...overrides,
  };
}

export function aPacedRule(name: string, overrides: Partial<PacedTaintRule> = {}): PacedTaintRule {
  return {
    kind: 'PacedTaintRule',
    name,
    uid: `uid-${name}`,
    resourceVersion: nextVersion(),
    generation: 1,
    deviceSelector: { driver },
    taints: [{ key: 'example.com/bad', effect: 'NoExecute' }],
    seen: [],
    ...overrides,
  };
}

export function aTaintSlice(name: string, overrides: Partial<DeviceTaintSlice> = {}): DeviceTaintSlice {
  return {
    kind: 'DeviceTaintSlice',
    name,
    uid: `uid-${name}`,
    resourceVersion: nextVersion(),
    generation: 1,
    driver,
    pool: 'node-1',
    taints: [],
    seen: [],
    ...overrides,
  };
}

export function aClass(name: string, selectors: readonly string[]): DeviceClass {
  return { kind: 'DeviceClass', name, uid: `uid-${name}`, resourceVersion: nextVersion(), selectors };
}

export function aNamespace(name: string, overrides: Partial<Namespace> = {}): Namespace {
  return { kind: 'Namespace', name, uid: `uid-${name}`, resourceVersion: nextVersion(), ...overrides };
}

export function aSlice(name: string, overrides: Partial<ResourceSlice> = {}): ResourceSlice {
  return {
    kind: 'ResourceSlice',
    name,
    uid: `uid-${name}`,
    resourceVersion: nextVersion(),
    driver,
    pool: { name: 'node-1', generation: 1 },
    devices: [{ name: 'gpu-0' }],
    ...overrides,
  };
}

export function upserted(object: ObjectProjection): Upserted {
  return { type: 'Upserted', object };
}

export function deleted(object: ObjectProjection): Deleted {
  return { type: 'Deleted', object: { ...object, resourceVersion: nextVersion() } };
}

export function aHeartbeat(at: Instant): Heartbeat {
  return { type: 'Heartbeat', at, clockOffset: 0, watched: {} };
}
