// The objects of the demo's three acts, as a person would apply them with kubectl.
import { burstAnnotation, rateAnnotation } from '../../decide/rate.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { JsonMap } from '../cluster/object.ts';
import { chatNode, drivers, driverVersions, gpuNodes, gpuSlice, rackDevices, racks } from './fleet.ts';

const sluiceApi = 'sluice.dev/v1alpha1';

/** Nodes that get the bad driver. */
export const badNodes: readonly string[] = gpuNodes.filter((_, i) => i % 4 === 3);
/** From the last canary pod to the others. */
export const canaryHold: Milliseconds = 6000;

/** There before anything is tainted. Pods of the demo come back often, so their policies set no limit on loops. */
export const policies: readonly JsonMap[] = [
  policy('driver-canary', { keys: ['example.com/bad-driver'] }, { canary: { pods: 3, hold: `${canaryHold / 1000}s` } }),
  policy(
    'agents-in-doubt',
    { sources: ['DeviceTaintSlice', 'ResourceSlice'] },
    { minimumAge: '3s', observer: { minDevices: 16, percent: 50, window: '60s' }, evictionsPerSecond: 4 },
  ),
];

function policy(name: string, taints: JsonMap, spec: JsonMap): JsonMap {
  const kind = 'EvictionPolicy';
  return { apiVersion: sluiceApi, kind, metadata: { name }, spec: { taints, loopLimit: 0, ...spec } };
}

export function gpuDriver(version: keyof typeof driverVersions): readonly JsonMap[] {
  return badNodes.map((node) => gpuSlice(node, driverVersions[version]));
}

/** By CEL over what the nodes' slices publish. */
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

/** Every second TPU of the first rack, tainted at one moment by one agent. */
export const doubtful: JsonMap = {
  apiVersion: sluiceApi,
  kind: 'DeviceTaintSlice',
  metadata: { name: 'tpu-health-agent' },
  spec: {
    driver: drivers.tpu,
    pool: racks[0],
    taints: rackDevices(racks[0])
      .filter((_, i) => i % 2 === 0)
      .map((device) => ({
        device,
        taint: { key: 'example.com/unhealthy', value: 'no-heartbeat', effect: 'NoExecute' },
      })),
  },
};

export const brokenGpu: JsonMap = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name: 'broken-gpus', annotations: { [rateAnnotation]: '1', [burstAnnotation]: '1' } },
  spec: {
    deviceSelector: { driver: drivers.gpu, pool: chatNode },
    taint: { key: 'example.com/broken-gpu', value: 'xid-79', effect: 'NoExecute' },
  },
};

/** Asks disruption budgets, in a window that opens with the next full minute. */
export function brokenGpuPolicy(now: Instant): { readonly manifest: JsonMap; readonly opensAt: Instant } {
  const opensAt = (Math.floor(now / 60_000) + 1) * 60_000;
  const opening = new Date(opensAt);
  const window = { schedule: `${opening.getUTCMinutes()} ${opening.getUTCHours()} * * *`, duration: '10m' };
  const spec = { mode: 'Evict', modeDeadline: '10m', windows: [window] };
  return { manifest: policy('broken-gpus', { keys: ['example.com/broken-gpu'] }, spec), opensAt };
}
