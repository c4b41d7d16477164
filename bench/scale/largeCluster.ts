// Rules and policies of `npm run bench:scale`; one rule matches a tenth of all pods.
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import type { JsonMap } from '../../lib/local/cluster/object.ts';
import { driver } from './manifests.ts';

/** One of this many rules matches a pod; the others select unpublished devices, as of deleted nodes. */
const hitsOneIn = 100;

export function* smallRules(rules: number, pods: number): Generator<JsonMap> {
  for (let i = 0; i < rules; i++) {
    const isHitting = i % hitsOneIn === 0;
    // Nodes from the end, which the large rule does not match.
    const node = Math.ceil(pods / 8) - 1 - i / hitsOneIn;
    const deviceSelector = isHitting
      ? { driver, pool: `node-${node}`, device: 'gpu-0' }
      : { driver, pool: `gone-${i}` };
    yield rule(`small-${i}`, deviceSelector);
  }
}

/** Matches the driver that `manifestsOf` gives to the first tenth of all nodes. */
export const largeRule = (largeDriver: string): JsonMap => rule('large', { driver: largeDriver });

function rule(name: string, deviceSelector: { driver: string; pool?: string; device?: string }): JsonMap {
  return deviceTaintRule({ name, deviceSelector, taint: { key: `example.com/${name}`, effect: 'NoExecute' } });
}

/** A policy with observer-failure protection, evaluated on every slice change. */
export const observerPolicy: JsonMap = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'EvictionPolicy',
  metadata: { name: 'doubtful-observer' },
  spec: {
    taints: { sources: ['ResourceSlice'] },
    observer: { minDevices: 8, percent: 80, window: '60s' },
  },
};
