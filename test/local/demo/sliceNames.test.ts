// The terminal of the demo names the DeviceTaintSlice of a taint before its first eviction.
import { expect, it } from 'vitest';
import type { KubeObject } from '../../../lib/local/cluster/object.ts';
import { withSliceNames } from '../../../lib/local/demo/sliceNames.ts';
import type { LimiterProgress } from '../../../lib/view/progress.ts';
import { aLimiter, aPicture, at } from '../../view/pictures.ts';

const taint = { key: 'example.com/unhealthy', value: 'no-heartbeat', effect: 'NoExecute' };
const slice = (name: string, driver: string, of: object = taint): KubeObject => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'DeviceTaintSlice',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { driver, pool: 'rack-a', taints: [{ device: 'a', taint: of }] },
});
const limiter = aLimiter({
  kind: 'Slice',
  name: 'tpu.example.com',
  place: 'slices of driver tpu.example.com',
  taint: 'example.com/unhealthy=no-heartbeat:NoExecute',
});
const { lastEvictionAt: _, ...neverEvicted } = limiter;
const fresh: LimiterProgress = neverEvicted;
const placeOf = (of: LimiterProgress, ...slices: readonly KubeObject[]) =>
  withSliceNames(aPicture({ limiters: [of] }), slices).limiters[0]?.place;

it('a taint in slices has the names of its DeviceTaintSlices before it has evicted a pod', () => {
  const [a, b] = [slice('agent-a', 'tpu.example.com'), slice('agent-b', 'tpu.example.com')];
  expect(placeOf(fresh, a)).toBe('DeviceTaintSlice agent-a');
  expect(placeOf(fresh, a, b)).toBe('DeviceTaintSlice agent-a, agent-b');
});

it('a taint of another driver, value or effect, and one that has evicted a pod, keep their place', () => {
  const others = [
    slice('a', 'gpu.example.com'),
    slice('b', 'tpu.example.com', { ...taint, value: '' }),
    slice('c', 'tpu.example.com', { ...taint, effect: 'None' }),
  ];
  expect(placeOf(fresh, ...others)).toBe('slices of driver tpu.example.com');
  expect(placeOf({ ...fresh, lastEvictionAt: at }, slice('d', 'tpu.example.com'))).toBe(
    'slices of driver tpu.example.com',
  );
});
