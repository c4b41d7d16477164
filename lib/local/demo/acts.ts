// Objects of the demo's three acts, as a user would apply them with kubectl.
import { burstAnnotation, rateAnnotation } from '../../decide/rate.ts';
import { deviceKey } from '../../model/identity.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { JsonMap } from '../cluster/object.ts';
import { type Devices, readDevices } from './devices.ts';
import { chatNode, drivers, driverVersions, gpuNodes, gpuSlice, rackDevices, racks } from './fleet.ts';
import { writtenRules } from './operator.ts';

const sluiceApi = 'sluice.dev/v1alpha1';

/** Number of nodes with the bad driver. */
const badNodes = 7;

/** The busiest nodes, so that each round of the acts evicts about as many pods. */
export function nodesForBadDriver(devices: Devices): readonly string[] {
  return busiestNodes(devices).slice(0, badNodes);
}

/** GPU nodes except that of the third act, sorted by number of untainted devices in use, most first. */
export function busiestNodes({ taken, tainted }: Devices): readonly string[] {
  const inUse = new Map<string, number>();
  for (const key of taken) {
    const [driver, node = ''] = key.split('|');
    if (driver === drivers.gpu && !tainted.has(key)) inUse.set(node, (inUse.get(node) ?? 0) + 1);
  }
  return gpuNodes.filter((node) => node !== chatNode).toSorted((a, b) => (inUse.get(b) ?? 0) - (inUse.get(a) ?? 0));
}

/** The busiest node without a rule for its GPUs. */
export function nextNode(cluster: Cluster): string {
  const named = new Set(writtenRules(cluster).map(({ metadata }) => metadata.name));
  return busiestNodes(readDevices(cluster)).find((name) => !named.has(`tainted-${name}`)) ?? chatNode;
}

export const canaryPods = 3;
/** Time between the last canary pod and the others. */
export const canaryHold: Milliseconds = 6000;

// Demo pods are often evicted again, so the policies set no loop limit.
export const driverCanary = policy(
  'driver-canary',
  { keys: ['example.com/bad-driver'] },
  { canary: { pods: canaryPods, hold: `${canaryHold / 1000}s` } },
);
export const agentsInDoubt = policy(
  'agents-in-doubt',
  { sources: ['DeviceTaintSlice', 'ResourceSlice'] },
  { minimumAge: '3s', observer: { minDevices: 16, percent: 50, window: '60s' }, evictionsPerSecond: 4, burst: 1 },
);
/** Applied before any taint, and again by their acts, because a person may end the canary or change the rate. */
export const policies: readonly JsonMap[] = [driverCanary, agentsInDoubt];

function policy(name: string, taints: JsonMap, spec: JsonMap): JsonMap {
  const kind = 'EvictionPolicy';
  return { apiVersion: sluiceApi, kind, metadata: { name }, spec: { taints, loopLimit: 0, ...spec } };
}

export function gpuDriver(on: readonly string[], version: keyof typeof driverVersions): readonly JsonMap[] {
  return on.map((node) => gpuSlice(node, driverVersions[version]));
}

/** Selects devices by CEL over attributes in the ResourceSlices. */
export const badDriver: JsonMap = {
  apiVersion: sluiceApi,
  kind: 'PacedTaintRule',
  metadata: { name: 'bad-driver', annotations: { [rateAnnotation]: '4', [burstAnnotation]: '3' } },
  spec: {
    deviceSelector: {
      driver: drivers.gpu,
      selectors: [
        { cel: { expression: `device.attributes["${drivers.gpu}"].driverVersion == semver("${driverVersions.bad}")` } },
      ],
    },
    taints: [{ key: 'example.com/bad-driver', value: driverVersions.bad, effect: 'NoExecute' }],
  },
};

/** Half of the TPUs of the busiest rack, used ones first, tainted at the same time by one agent. */
export function doubtful({ taken }: Devices): { readonly rack: string; readonly manifest: JsonMap } {
  const isTaken = (rack: string, device: string) => taken.has(deviceKey({ driver: drivers.tpu, pool: rack, device }));
  const inUse = (rack: string) => rackDevices(rack).filter((device) => isTaken(rack, device));
  const [rack = racks[0]] = racks.toSorted((a, b) => inUse(b).length - inUse(a).length);
  const devices = rackDevices(rack);
  const first = [...inUse(rack), ...devices.filter((device) => !isTaken(rack, device))];
  // Every second device, used or not: a broken agent does not distinguish.
  const tainted = first.filter((_, i) => i % 2 === 0);
  const taint = { key: 'example.com/unhealthy', value: 'no-heartbeat', effect: 'NoExecute' };
  return {
    rack,
    manifest: {
      apiVersion: sluiceApi,
      kind: 'DeviceTaintSlice',
      metadata: { name: 'tpu-health-agent' },
      spec: { driver: drivers.tpu, pool: rack, taints: tainted.map((device) => ({ device, taint })) },
    },
  };
}

export const brokenGpu: JsonMap = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name: 'broken-gpus', annotations: { [rateAnnotation]: '2', [burstAnnotation]: '1' } },
  spec: {
    deviceSelector: { driver: drivers.gpu, pool: chatNode },
    taint: { key: 'example.com/broken-gpu', value: 'xid-79', effect: 'NoExecute' },
  },
};

/** Respects PodDisruptionBudgets, in a window that opens with the next full minute. */
export function brokenGpuPolicy(now: Instant): { readonly manifest: JsonMap; readonly opensAt: Instant } {
  const opensAt = (Math.floor(now / 60_000) + 1) * 60_000;
  const opening = new Date(opensAt);
  const window = { schedule: `${opening.getUTCMinutes()} ${opening.getUTCHours()} * * *`, duration: '10m' };
  const spec = { mode: 'Evict', modeDeadline: '10m', windows: [window] };
  return { manifest: policy('broken-gpus', { keys: ['example.com/broken-gpu'] }, spec), opensAt };
}
