// ResourceSlice of resource.k8s.io v1, v1beta2 or v1beta1 as Sluice keeps it.
import type { Device, DeviceTaint, ResourceSlice } from '../../model/objects.ts';
import {
  type Json,
  listOf,
  metaOf,
  numberOf,
  objectOf,
  type Projected,
  present,
  taintOf,
  textOf,
  unreadable,
} from './read.ts';

export function projectSlice(value: unknown): Projected<ResourceSlice> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('ResourceSlice', object);
  const { namespace: _, ...identity } = meta;
  const spec = objectOf(object.spec);
  const pool = objectOf(spec.pool);
  const slice: ResourceSlice = {
    kind: 'ResourceSlice',
    ...identity,
    driver: textOf(spec.driver) ?? '',
    pool: { name: textOf(pool.name) ?? '', generation: numberOf(pool.generation) ?? 0 },
    devices: listOf(spec.devices).map(deviceOf),
  };
  return { kind: 'Projected', object: slice };
}

/** v1beta1 keeps everything but the name under `basic`. */
function deviceOf(device: Json): Device {
  const taints = device.taints ?? objectOf(device.basic).taints;
  const read = listOf(taints).map(taintOf);
  return {
    name: textOf(device.name) ?? '',
    ...present<{ taints: readonly DeviceTaint[] }>({ taints: read.length > 0 ? read : undefined }),
  };
}
