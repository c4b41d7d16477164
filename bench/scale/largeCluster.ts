// What `npm run bench:scale` puts into the simulated cluster beside pods: rules, of which one hits a tenth of all pods.
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import type { JsonMap } from '../../lib/local/cluster/object.ts';
import { driver } from './manifests.ts';

/** One in so many rules hits a pod; the others select devices that no pool publishes, as of nodes that are gone. */
const hitsOneIn = 100;

export function* smallRules(rules: number, pods: number): Generator<JsonMap> {
  for (let i = 0; i < rules; i++) {
    const isHitting = i % hitsOneIn === 0;
    // From the end, where the large rule hits none.
    const node = Math.ceil(pods / 8) - 1 - i / hitsOneIn;
    const deviceSelector = isHitting
      ? { driver, pool: `node-${node}`, device: 'gpu-0' }
      : { driver, pool: `gone-${i}` };
    yield rule(`small-${i}`, deviceSelector);
  }
}

/** Of the driver that `manifestsOf` gives to the first tenth of all nodes. */
export const largeRule = (largeDriver: string): JsonMap => rule('large', { driver: largeDriver });

function rule(name: string, deviceSelector: { driver: string; pool?: string; device?: string }): JsonMap {
  return deviceTaintRule({ name, deviceSelector, taint: { key: `example.com/${name}`, effect: 'NoExecute' } });
}

/** A policy under which every change of a slice asks whether its observer is in doubt. */
export const observerPolicy: JsonMap = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'EvictionPolicy',
  metadata: { name: 'doubtful-observer' },
  spec: {
    taints: { sources: ['ResourceSlice'] },
    observer: { minDevices: 8, percent: 80, window: '60s' },
  },
};
