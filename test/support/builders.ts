// Fixture of upstream's tests: one driver, one pool, one claim for one pod; every function takes overrides.
import type {
  AllocatedDevice,
  DeviceTaint,
  DeviceTaintRule,
  DeviceToleration,
  ObjectMeta,
  Pod,
  ResourceClaim,
  ResourceSlice,
} from '../../lib/model/objects.ts';

/** Default start of every history and default timeAdded of every taint. */
export const t0 = 1_800_000_000_000;

export const driver = 'some-driver';
export const pool = 'worker';

/** `t0` plus seconds. */
export function atSecond(seconds: number): number {
  return t0 + seconds * 1000;
}

function meta(name: string): ObjectMeta {
  return { name, uid: `${name}-uid`, resourceVersion: '1' };
}

export function taint(overrides: Partial<DeviceTaint> = {}): DeviceTaint {
  return { key: 'example.com/taint', value: 'tainted', effect: 'NoExecute', timeAdded: t0, ...overrides };
}

export function toleration(overrides: Partial<DeviceToleration> = {}): DeviceToleration {
  return { key: 'example.com/taint', operator: 'Equal', value: 'tainted', effect: 'NoExecute', ...overrides };
}

/** A scheduled pod that refers to the claim `claim` by name. */
export function pod(overrides: Partial<Pod> = {}): Pod {
  return {
    kind: 'Pod',
    ...meta(overrides.name ?? 'pod'),
    namespace: 'default',
    uid: overrides.name ? `${overrides.name}-uid` : '1234',
    creationTimestamp: t0 - 3_600_000,
    nodeName: 'worker',
    resourceClaims: [{ name: 'device', resourceClaimName: 'claim' }],
    resourceClaimStatuses: [],
    ...overrides,
  };
}

/** A pod with a claim named `claim`, generated from a template. */
export function templatePod(overrides: Partial<Pod> = {}): Pod {
  return pod({
    resourceClaims: [{ name: 'device', resourceClaimTemplateName: 'template' }],
    resourceClaimStatuses: [{ name: 'device', resourceClaimName: 'claim' }],
    ...overrides,
  });
}

export function ownedBy(owner: Pod): Pick<ResourceClaim, 'controller'> {
  return { controller: { apiVersion: 'v1', kind: 'Pod', name: owner.name, uid: owner.uid } };
}

export function reservedFor(...pods: readonly Pod[]): Pick<ResourceClaim, 'reservedFor'> {
  return { reservedFor: pods.map(({ name, uid }) => ({ resource: 'pods', name, uid })) };
}

export function reservedForGroup(name: string): Pick<ResourceClaim, 'reservedFor'> {
  return { reservedFor: [{ apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name, uid: `${name}-uid` }] };
}

export function result(overrides: Partial<AllocatedDevice> = {}): AllocatedDevice {
  return { request: 'device', driver, pool, device: 'instance', ...overrides };
}

export function allocated(...devices: readonly AllocatedDevice[]): Pick<ResourceClaim, 'allocation'> {
  return { allocation: { devices } };
}

/** An allocation of `instance` with these tolerations. */
export function tolerating(...tolerations: readonly DeviceToleration[]): Pick<ResourceClaim, 'allocation'> {
  return allocated(result({ tolerations }));
}

/** A claim with the device `instance`, reserved for the pod `pod`. */
export function claim(overrides: Partial<ResourceClaim> = {}): ResourceClaim {
  return {
    kind: 'ResourceClaim',
    ...meta(overrides.name ?? 'claim'),
    namespace: 'default',
    ...reservedFor(pod()),
    ...allocated(result()),
    ...overrides,
  };
}

export function unallocated(of: ResourceClaim): ResourceClaim {
  const { allocation: _, ...rest } = of;
  return { ...rest, reservedFor: [] };
}

/** The pool's only slice: `instance` without a taint, one device for each effect. */
export function slice(overrides: Partial<ResourceSlice> = {}): ResourceSlice {
  return {
    kind: 'ResourceSlice',
    ...meta(overrides.name ?? 'slice'),
    driver,
    pool: { name: pool, generation: 1 },
    devices: [
      { name: 'instance' },
      { name: 'instance-no-schedule', taints: [taint({ effect: 'NoSchedule' })] },
      { name: 'instance-no-execute', taints: [taint()] },
    ],
    ...overrides,
  };
}

/** The slice with taints on `instance`; default: one NoExecute taint. */
export function taintedSlice(taints: readonly DeviceTaint[] = [taint()], overrides: Partial<ResourceSlice> = {}) {
  const base = slice();
  return slice({
    devices: base.devices.map((device) => (device.name === 'instance' ? { ...device, taints } : device)),
    ...overrides,
  });
}

/** A NoExecute rule for every device of the driver. */
export function rule(overrides: Partial<DeviceTaintRule> = {}): DeviceTaintRule {
  return {
    kind: 'DeviceTaintRule',
    ...meta(overrides.name ?? 'rule'),
    generation: 1,
    deviceSelector: { driver },
    taint: taint(),
    ...overrides,
  };
}

/** The rule with a new spec and generation, as stored by the API server. */
export function edited(of: DeviceTaintRule, spec: Partial<Pick<DeviceTaintRule, 'deviceSelector' | 'taint'>>) {
  return { ...of, ...spec, generation: of.generation + 1 };
}
