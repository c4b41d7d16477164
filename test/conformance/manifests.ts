// The objects of a world in one namespace, under names that no other world of the same cluster has.
import {
  type DeviceTaintRuleSpec,
  deviceTaintRule,
  resourceApi,
  resourceSlice,
} from '../../lib/local/cluster/builders.ts';
import type { JsonMap } from '../../lib/local/cluster/object.ts';
import type { World, WorldClaim, WorldPod, WorldRule, WorldSelector } from './world.ts';

/** Keeps evicted pods readable. */
export const finalizer = 'example.com/conformance';

export interface Place {
  /** Namespace and prefix of all names. */
  readonly name: string;
}

export const driverOf = ({ name }: Place) => `${name}.example.com`;
export const poolOf = ({ name }: Place, pool: number) => `${name}-pool-${pool}`;
export const deviceOf = ({ name }: Place, device: number) => `${name}-device-${device}`;
export const claimOf = (claim: number) => `claim-${claim}`;
export const podOf = (pod: number) => `pod-${pod}`;
export const ruleOf = ({ name }: Place, rule: number) => `${name}-rule-${rule}`;

export interface SliceState {
  readonly generation: number;
  readonly devices: readonly { readonly device: number; readonly taints: World['devices'][number]['taints'] }[];
}

export function sliceManifest(place: Place, pool: number, { generation, devices }: SliceState): JsonMap {
  const name = poolOf(place, pool);
  return resourceSlice({
    name,
    driver: driverOf(place),
    node: 'node-0',
    pool: name,
    generation,
    devices: devices.map(({ device, taints }) => ({
      name: deviceOf(place, device),
      ...(taints.length > 0 ? { taints } : {}),
    })),
  });
}

export function claimManifest(place: Place, claim: number, { results }: WorldClaim): JsonMap {
  const requests = results.map(({ alternative }, i) => {
    const request = { deviceClassName: driverOf(place) };
    return alternative
      ? { name: `request-${i}`, firstAvailable: [{ name: 'first', ...request }] }
      : { name: `request-${i}`, exactly: request };
  });
  const metadata = { name: claimOf(claim), namespace: place.name };
  return { apiVersion: resourceApi, kind: 'ResourceClaim', metadata, spec: { devices: { requests } } };
}

export function allocationOf(place: Place, { results }: WorldClaim, world: World): JsonMap {
  return {
    devices: {
      results: results.map(({ device, tolerations, alternative }, i) => ({
        request: alternative ? `request-${i}/first` : `request-${i}`,
        driver: driverOf(place),
        pool: poolOf(place, poolNumber(world, device)),
        device: deviceOf(place, device),
        ...(tolerations.length > 0 ? { tolerations } : {}),
      })),
    },
  };
}

export function poolNumber({ devices, pools }: World, device: number): number {
  return (devices[device]?.pool ?? 0) % pools;
}

export function podManifest(place: Place, pod: number, { bound, claims }: WorldPod): JsonMap {
  const used = claims.map((claim) => ({ name: claimOf(claim), resourceClaimName: claimOf(claim) }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podOf(pod), namespace: place.name, finalizers: [finalizer] },
    spec: {
      ...(bound ? { nodeName: 'node-0' } : {}),
      terminationGracePeriodSeconds: 0,
      resourceClaims: used,
      containers: [
        { name: 'main', image: 'example.com/main', resources: { claims: used.map(({ name }) => ({ name })) } },
      ],
    },
  };
}

export function ruleManifest(place: Place, rule: number, { selector, taint }: WorldRule): JsonMap {
  const deviceSelector = selectorOf(place, selector);
  return deviceTaintRule({ name: ruleOf(place, rule), taint, ...(deviceSelector ? { deviceSelector } : {}) });
}

function selectorOf(place: Place, selector: WorldSelector): DeviceTaintRuleSpec['deviceSelector'] {
  const driver = driverOf(place);
  switch (selector.kind) {
    case 'Absent':
      return undefined;
    case 'All':
      return {};
    case 'Driver':
      return { driver };
    case 'OtherDriver':
      return { driver: `other-${driver}` };
    case 'Pool':
      return { pool: poolOf(place, selector.pool) };
    case 'PoolOfDriver':
      return { driver, pool: poolOf(place, selector.pool) };
    case 'Device':
      return { device: deviceOf(place, selector.device) };
    case 'DeviceOfDriver':
      return { driver, device: deviceOf(place, selector.device) };
    default:
      return selector satisfies never;
  }
}
