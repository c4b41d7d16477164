// Manifests of the demo's fleet: GPU nodes and two TPU racks with a pool each, and the workloads of teams.
import {
  deviceClass,
  namespace,
  node,
  resourceClaimTemplate,
  resourceSlice,
  type SliceSpec,
} from '../cluster/builders.ts';
import { type JsonMap, mapAt } from '../cluster/object.ts';

export const drivers = { gpu: 'gpu.example.com', tpu: 'tpu.example.com' } as const;

/** Workload of a team: a number of pods with one device each. */
export interface Workload {
  readonly namespace: string;
  readonly app: string;
  readonly driver: string;
  readonly replicas: number;
  /** maxUnavailable of its PodDisruptionBudget; absent: no budget. */
  readonly maxUnavailable?: number;
  /** Node for its first pods. */
  readonly firstNode?: string;
}

const devicesPerNode = 8;
export const driverVersions = { good: '550.1.0', bad: '560.0.1' } as const;
export const racks = ['rack-a', 'rack-b'] as const;
const nodesPerRack = 5;

export const gpuNodes: readonly string[] = Array.from({ length: 30 }, (_, i) => nodeName('gpu', i));

/** Node names in drawing order. */
export const nodes: readonly string[] = [...gpuNodes, ...racks.flatMap(rackNodes)];

export const chatNode = nodeName('gpu', 2);

export const workloads: readonly Workload[] = [
  { namespace: 'serving', app: 'chat', driver: drivers.gpu, replicas: 8, maxUnavailable: 2, firstNode: chatNode },
  { namespace: 'serving', app: 'ranker', driver: drivers.gpu, replicas: 34 },
  { namespace: 'vision', app: 'train', driver: drivers.gpu, replicas: 66 },
  { namespace: 'robotics', app: 'simulate', driver: drivers.gpu, replicas: 52 },
  { namespace: 'search', app: 'embed', driver: drivers.tpu, replicas: 30 },
  { namespace: 'vision', app: 'finetune', driver: drivers.tpu, replicas: 20 },
];

export const teams: readonly string[] = [...new Set(workloads.map((one) => one.namespace))];

/** All objects except pods and claims, in creation order. */
export function fleetManifests(): readonly JsonMap[] {
  const templates = workloads.map((one) =>
    resourceClaimTemplate({ name: templateName(one), namespace: one.namespace, deviceClass: one.driver }),
  );
  return [
    ...teams.map(namespace),
    ...Object.values(drivers).map(deviceClass),
    ...templates,
    ...nodes.map(node),
    ...gpuNodes.map((name) => gpuSlice(name, driverVersions.good)),
    ...racks.flatMap((rack) => rackNodes(rack).map((name) => rackSlice(rack, name))),
    ...workloads.flatMap(budgetOf),
  ];
}

export function templateName({ app }: Workload): string {
  return `${app}-device`;
}

/** ResourceSlice of a node's GPUs with their driver version. */
export function gpuSlice(name: string, driverVersion: string): JsonMap {
  const devices = deviceNames('gpu').map((device) => ({
    name: device,
    attributes: { driverVersion: { version: driverVersion } },
  }));
  return resourceSlice({ name, driver: drivers.gpu, node: name, devices });
}

export function rackNodes(rack: string): readonly string[] {
  return Array.from({ length: nodesPerRack }, (_, i) => nodeName(rack, i));
}

/** Device names of a rack; each begins with its node's name, to be unique in the pool. */
export function rackDevices(rack: string): readonly string[] {
  return rackNodes(rack).flatMap(rackDeviceNames);
}

function rackDeviceNames(name: string): readonly string[] {
  return deviceNames(`${name}-tpu`);
}

function rackSlice(rack: string, name: string): JsonMap {
  const devices: SliceSpec['devices'] = rackDeviceNames(name).map((device) => ({ name: device }));
  const slice = resourceSlice({ name, driver: drivers.tpu, node: name, pool: rack, devices });
  const spec = mapAt(slice, 'spec') ?? {};
  return { ...slice, spec: { ...spec, pool: { ...mapAt(spec, 'pool'), resourceSliceCount: nodesPerRack } } };
}

function budgetOf({ namespace: space, app, maxUnavailable }: Workload): readonly JsonMap[] {
  if (maxUnavailable === undefined) return [];
  const spec = { maxUnavailable, selector: { matchLabels: { app } } };
  return [{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: app, namespace: space }, spec }];
}

function deviceNames(prefix: string): readonly string[] {
  return Array.from({ length: devicesPerNode }, (_, i) => `${prefix}-${i}`);
}

function nodeName(prefix: string, index: number): string {
  return `${prefix}-${String(index + 1).padStart(2, '0')}`;
}
