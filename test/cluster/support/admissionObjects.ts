// Rules, claims, templates and slices for the admission policies to refuse or accept.
import type { JsonMap } from '../../../lib/local/cluster/object.ts';

interface Place {
  readonly name?: string;
  readonly namespace?: string;
  readonly annotations?: JsonMap;
}

export const everyDevice = { deviceSelector: {}, taint: { key: 'example.com/bad', effect: 'NoExecute' } };
export const oneDriver = { deviceSelector: { driver: 'gpu.example.com' }, taint: everyDevice.taint };

export function rule(spec: JsonMap, { name = 'r', annotations = {} }: Place = {}, version = 'v1'): JsonMap {
  return { apiVersion: `resource.k8s.io/${version}`, kind: 'DeviceTaintRule', metadata: { name, annotations }, spec };
}

export function ofCluster(kind: string, name: string, body: JsonMap): JsonMap {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'sluice' }, ...body };
}

const request = (tolerations: readonly JsonMap[]) => ({ exactly: { deviceClassName: 'gpu', tolerations } });
const specOf = (tolerations: readonly JsonMap[]) => ({
  devices: { requests: [{ name: 'gpu', ...request(tolerations) }] },
});
const placed = ({ name = 'c', namespace = 'research', annotations = {} }: Place) => ({ name, namespace, annotations });

export function claim(tolerations: readonly JsonMap[], place: Place = {}): JsonMap {
  const metadata = placed(place);
  return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, spec: specOf(tolerations) };
}

/** Its annotations are those for its claims. */
export function template(tolerations: readonly JsonMap[], { annotations = {}, ...place }: Place = {}): JsonMap {
  const spec = { metadata: { annotations }, spec: specOf(tolerations) };
  return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaimTemplate', metadata: placed(place), spec };
}

/** A request with one alternative. */
export const alternative = (tolerations: readonly JsonMap[]) => ({
  ...claim([]),
  spec: {
    devices: {
      requests: [{ name: 'gpu', firstAvailable: [{ name: 'big', deviceClassName: 'gpu', tolerations }] }],
    },
  },
});

/** v1beta1 has no `exactly`. */
export const older = (tolerations: readonly JsonMap[]) => ({
  ...claim([]),
  apiVersion: 'resource.k8s.io/v1beta1',
  spec: { devices: { requests: [{ name: 'gpu', deviceClassName: 'gpu', tolerations }] } },
});

export const slice = (...keys: readonly string[]) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 's' },
  spec: {
    driver: 'gpu.example.com',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    allNodes: true,
    devices: keys.map((key, index) => ({ name: `gpu-${index}`, taints: [{ key, effect: 'NoSchedule' }] })),
  },
});

/** Has no devices at all. */
export const counters = (() => {
  const { devices: _, ...spec } = slice().spec;
  const sharedCounters = [{ name: 'memory', counters: { size: { value: '80Gi' } } }];
  return { ...slice(), spec: { ...spec, sharedCounters } };
})();

export const annotated = (text: string): JsonMap => ({ 'sluice.dev/tolerations': text });
export const key = (name: string) => ({ key: name, operator: 'Exists' });
export const many = (count: number) => Array.from({ length: count }, (_, index) => key(`example.com/k${index}`));
export const approved = (word: string) => ({ annotations: { 'sluice.dev/approve': word } });
export const keyed = (name: string) => ({ ...oneDriver, taint: { key: name, effect: 'NoSchedule' } });

/** An API server refuses an object when the expressions of a policy exceed their cost limit. */
const long = (index: number) => `example.com/${'k'.repeat(50)}-${index}`;
export const crowded = (() => {
  const taints = Array.from({ length: 16 }, (_, index) => ({ key: long(index), effect: 'None' }));
  const devices = Array.from({ length: 64 }, (_, index) => ({ name: `gpu-${index}`, taints }));
  return { ...slice(), spec: { ...slice().spec, devices } };
})();
export const largest = (() => {
  const tolerations = Array.from({ length: 16 }, (_, index) => key(long(index)));
  const firstAvailable = Array.from({ length: 8 }, (_, index) => ({
    name: `a${index}`,
    deviceClassName: 'gpu',
    tolerations,
  }));
  const requests = Array.from({ length: 32 }, (_, index) => ({ name: `r${index}`, firstAvailable }));
  return { ...claim([]), spec: { devices: { requests } } };
})();

export const paced = (annotations: JsonMap) => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'p', annotations },
  spec: { taints: [everyDevice.taint] },
});

const tainted = (data: JsonMap | undefined, i: number) => ({
  key: `example.com/bad-${i}`,
  effect: 'NoExecute',
  ...(data && { data }),
});

/** A rule of Sluice with a taint for each of these. */
export const withData = (...data: readonly (JsonMap | undefined)[]): JsonMap => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'with-data' },
  spec: { deviceSelector: { driver: 'gpu.example.com' }, taints: data.map(tainted) },
});

/** A slice of taints with one for each of these. */
export const sliceWithData = (...data: readonly JsonMap[]): JsonMap => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'DeviceTaintSlice',
  metadata: { name: 'with-data' },
  spec: {
    driver: 'gpu.example.com',
    pool: 'node-a',
    taints: data.map((one, i) => ({ device: `gpu-${i}`, taint: tainted(one, i) })),
  },
});
