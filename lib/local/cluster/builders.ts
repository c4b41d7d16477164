// Manifests for tests and fleets: nodes, device classes, slices, claims, templates, pods and rules.
import type { JsonMap } from './object.ts';

export interface TaintSpec {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  /** RFC 3339; if absent, the API server sets it. */
  readonly timeAdded?: string;
}

export interface TolerationSpec {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export const resourceApi = 'resource.k8s.io/v1';

export function namespace(name: string): JsonMap {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** A ready node with room for many pods. */
export function node(name: string): JsonMap {
  const capacity = { cpu: '64', memory: '256Gi', pods: '2000' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Simulated' }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    status: { capacity, allocatable: capacity, conditions },
  };
}

/** A class that selects every device of a driver, and has the driver's name. */
export function deviceClass(driver: string): JsonMap {
  const selectors = [{ cel: { expression: `device.driver == "${driver}"` } }];
  return { apiVersion: resourceApi, kind: 'DeviceClass', metadata: { name: driver }, spec: { selectors } };
}

export interface SliceSpec {
  readonly name: string;
  readonly driver: string;
  /** Node name; also the pool name unless `pool` is given. */
  readonly node: string;
  readonly pool?: string;
  readonly generation?: number;
  readonly devices: readonly {
    readonly name: string;
    readonly taints?: readonly TaintSpec[];
    readonly attributes?: JsonMap;
  }[];
}

export function resourceSlice(slice: SliceSpec): JsonMap {
  const pool = { name: slice.pool ?? slice.node, generation: slice.generation ?? 1, resourceSliceCount: 1 };
  const devices = slice.devices.map((device, index) => ({
    ...device,
    attributes: { model: { string: 'example-80g' }, index: { int: index }, ...device.attributes },
    capacity: { memory: { value: '80Gi' } },
  }));
  return {
    apiVersion: resourceApi,
    kind: 'ResourceSlice',
    metadata: { name: slice.name },
    spec: { driver: slice.driver, nodeName: slice.node, pool, devices },
  };
}

export interface ClaimSpec {
  readonly name: string;
  readonly namespace: string;
  readonly deviceClass: string;
  readonly tolerations?: readonly TolerationSpec[];
}

function deviceRequests(claim: Pick<ClaimSpec, 'deviceClass' | 'tolerations'>): JsonMap {
  const exactly = { deviceClassName: claim.deviceClass, ...(claim.tolerations && { tolerations: claim.tolerations }) };
  return { devices: { requests: [{ name: 'device', exactly }] } };
}

export function resourceClaim(claim: ClaimSpec): JsonMap {
  const { name, namespace } = claim;
  return { apiVersion: resourceApi, kind: 'ResourceClaim', metadata: { name, namespace }, spec: deviceRequests(claim) };
}

export function resourceClaimTemplate(claim: ClaimSpec): JsonMap {
  const { name, namespace } = claim;
  const spec = { spec: deviceRequests(claim) };
  return { apiVersion: resourceApi, kind: 'ResourceClaimTemplate', metadata: { name, namespace }, spec };
}

export interface PodSpec {
  readonly name: string;
  readonly namespace: string;
  /** If given, the pod is bound without a scheduler. */
  readonly node?: string;
  /** Claim by name, or by template; without both, the pod uses no device. */
  readonly claim?: string;
  readonly template?: string;
  readonly graceSeconds?: number;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

export function pod(of: PodSpec): JsonMap {
  const usesDevice = of.claim !== undefined || of.template !== undefined;
  const reference =
    of.claim === undefined ? { resourceClaimTemplateName: of.template } : { resourceClaimName: of.claim };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: of.name,
      namespace: of.namespace,
      ...(of.labels && { labels: of.labels }),
      ...(of.finalizers && { finalizers: of.finalizers }),
    },
    spec: {
      ...(of.node !== undefined && { nodeName: of.node }),
      ...(of.graceSeconds !== undefined && { terminationGracePeriodSeconds: of.graceSeconds }),
      ...(usesDevice && { resourceClaims: [{ name: 'device', ...reference }] }),
      containers: [
        { name: 'main', image: 'example.com/main', ...(usesDevice && { resources: { claims: [{ name: 'device' }] } }) },
      ],
    },
  };
}

export interface DeviceTaintRuleSpec {
  readonly name: string;
  /** Absent: selects nothing. `{}`: selects every device. */
  readonly deviceSelector?: { readonly driver?: string; readonly pool?: string; readonly device?: string };
  readonly taint: TaintSpec;
}

export function deviceTaintRule({ name, deviceSelector, taint }: DeviceTaintRuleSpec): JsonMap {
  const spec = { ...(deviceSelector && { deviceSelector }), taint };
  return { apiVersion: resourceApi, kind: 'DeviceTaintRule', metadata: { name }, spec };
}
