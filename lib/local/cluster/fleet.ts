// Describes and stores a fleet: nodes with devices of several drivers, allocated claims and running pods.
import { createHash } from 'node:crypto';
import { type AllocatedDevice, allocatedStatus, ownedBy, runningStatus } from './allocation.ts';
import {
  deviceClass,
  namespace,
  node,
  pod,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
  type TolerationSpec,
} from './builders.ts';
import { claimFinalizer } from './claimController.ts';
import { type JsonMap, mapAt } from './object.ts';

export interface FleetOptions {
  readonly nodes: number;
  /** Devices per node, all of the node's driver. */
  readonly devicesPerNode: number;
  readonly pods: number;
  /** Node i has devices of driver i modulo the number of drivers; a driver listed twice gets twice as many nodes. */
  readonly drivers?: readonly string[];
  readonly namespaces?: readonly string[];
  /** Every n-th claim is shared by two pods; 0: none. */
  readonly sharedEvery?: number;
  /** Every n-th claim has the toleration; 0: none. */
  readonly tolerantEvery?: number;
  readonly toleration?: TolerationSpec;
  readonly graceSeconds?: number;
}

/** One pod of a fleet and its device, for tests that compute which pods should be evicted. */
export interface FleetPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly claim: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly tolerant: boolean;
}

export interface Fleet {
  readonly drivers: readonly string[];
  readonly nodes: readonly string[];
  readonly devices: number;
  readonly pods: readonly FleetPod[];
  /** In creation order. Without server metadata, except for fixed pod UIDs. */
  readonly manifests: readonly JsonMap[];
}

const template = 'one-device';

/** Deterministic, including UIDs. Throws if there are more claims than devices. */
export function describeFleet(options: FleetOptions): Fleet {
  const drivers = options.drivers ?? ['gpu.example.com', 'nic.example.com', 'tpu.example.com'];
  const namespaces = options.namespaces ?? ['team-a', 'team-b', 'team-c'];
  const devices = options.nodes * options.devicesPerNode;
  const nodes = Array.from({ length: options.nodes }, (_, index) => nodeName(index));
  const manifests: JsonMap[] = [...namespaces.map(namespace), ...[...new Set(drivers)].map(deviceClass)];
  for (const each of namespaces) {
    for (const driver of new Set(drivers)) {
      const name = `${template}-${driver.split('.')[0]}`;
      manifests.push(resourceClaimTemplate({ name, namespace: each, deviceClass: driver }));
    }
  }
  for (const [index, name] of nodes.entries()) {
    const names = Array.from({ length: options.devicesPerNode }, (_, device) => ({ name: deviceName(device) }));
    manifests.push(node(name), resourceSlice({ name, driver: pick(drivers, index), node: name, devices: names }));
  }
  const pods: FleetPod[] = [];
  for (let claim = 0; pods.length < options.pods; claim += 1) {
    if (claim >= devices) throw new Error(`${options.pods} pods need more than ${devices} devices`);
    const group = claimGroup(options, { claim, drivers, namespaces, firstPod: pods.length });
    pods.push(...group.pods);
    manifests.push(...group.manifests);
  }
  return { drivers, nodes, devices, pods, manifests };
}

/** Stores all manifests, for example with `cluster.seed`. */
export function populate(fleet: Fleet, store: (manifest: JsonMap) => void): void {
  for (const manifest of fleet.manifests) store(manifest);
}

interface Place {
  readonly claim: number;
  readonly drivers: readonly string[];
  readonly namespaces: readonly string[];
  readonly firstPod: number;
}

/** One claim with its owner pod, or a shared claim with two pods. */
function claimGroup(options: FleetOptions, place: Place) {
  const { claim } = place;
  // Consecutive claims are on different nodes, so that pods are spread over all drivers.
  const onNode = claim % options.nodes;
  const host = nodeName(onNode);
  const driver = pick(place.drivers, onNode);
  const space = pick(place.namespaces, claim);
  const tolerant = every(options.tolerantEvery ?? 10, claim);
  const shared = every(options.sharedEvery ?? 8, claim) && place.firstPod + 1 < options.pods;
  const tolerations = tolerant
    ? [options.toleration ?? ({ operator: 'Exists', effect: 'NoExecute' } as const)]
    : undefined;
  const device: AllocatedDevice = {
    driver,
    pool: host,
    device: deviceName(Math.floor(claim / options.nodes)),
    node: host,
    ...(tolerations && { tolerations }),
  };
  const pods = Array.from({ length: shared ? 2 : 1 }, (_, index): FleetPod => {
    const name = `pod-${String(place.firstPod + index).padStart(5, '0')}`;
    const claimName = shared ? `shared-${String(claim).padStart(5, '0')}` : `${name}-device`;
    const { pool } = device;
    return {
      namespace: space,
      name,
      uid: uidOf(space, name),
      claim: claimName,
      driver,
      pool,
      device: device.device,
      tolerant,
    };
  });
  const claimName = pods[0]?.claim ?? '';
  const spec = { name: claimName, namespace: space, deviceClass: driver, ...(tolerations && { tolerations }) };
  const manifest = resourceClaim(spec);
  const metadata = {
    ...mapAt(manifest, 'metadata'),
    finalizers: [claimFinalizer],
    ...(!shared && { ownerReferences: pods.flatMap(ownedBy) }),
  };
  return {
    pods,
    manifests: [
      ...pods.map((each) => runningPod({ pod: each, host, shared, graceSeconds: options.graceSeconds ?? 30 })),
      { ...manifest, metadata, status: allocatedStatus(device, pods) },
    ],
  };
}

interface RunningPod {
  readonly pod: FleetPod;
  readonly host: string;
  readonly shared: boolean;
  readonly graceSeconds: number;
}

function runningPod({ pod: of, host, shared, graceSeconds }: RunningPod): JsonMap {
  const reference = shared ? { claim: of.claim } : { template: `${template}-${of.driver.split('.')[0]}` };
  const manifest = pod({
    name: of.name,
    namespace: of.namespace,
    node: host,
    graceSeconds,
    labels: { app: 'fleet' },
    ...reference,
  });
  const metadata = { ...mapAt(manifest, 'metadata'), uid: of.uid };
  return { ...manifest, metadata, status: runningStatus(shared ? undefined : of.claim) };
}

function nodeName(index: number): string {
  return `node-${String(index).padStart(3, '0')}`;
}

function deviceName(index: number): string {
  return `device-${index}`;
}

function every(n: number, index: number): boolean {
  return n > 0 && index % n === n - 1;
}

function pick(list: readonly string[], index: number): string {
  return list[index % list.length] ?? '';
}

/** A UUID derived from the name. */
function uidOf(namespace: string, name: string): string {
  const hex = createHash('sha256').update(`${namespace}/${name}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
