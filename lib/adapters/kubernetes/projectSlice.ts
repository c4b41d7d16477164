// Projects a ResourceSlice of resource.k8s.io v1, v1beta2 or v1beta1.
import type { Device, DeviceProperties, ResourceSlice } from '../../model/objects.ts';
import { authorOf } from './author.ts';
import {
  type Json,
  metaOf,
  noIdentity,
  objectOf,
  type Problems,
  type Projected,
  present,
  type Reader,
  readerOf,
  unreadable,
} from './read.ts';
import { readTaint } from './readTaint.ts';

export function projectSlice(value: unknown): Projected<ResourceSlice> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('ResourceSlice', value, { problems: noIdentity });
  const { namespace: _, ...identity } = meta;
  const problems: Problems = [];
  const whole = readerOf(object, problems);
  const spec = whole.object('spec') ?? readerOf({}, problems, 'spec');
  const pool = spec.object('pool') ?? readerOf({}, problems, 'spec.pool');
  // JSON omits a generation of 0.
  const place = {
    driver: spec.text('driver'),
    pool: { name: pool.text('name'), generation: pool.optionalNumber('generation') ?? 0 },
  };
  const isPlaced = problems.length === 0;
  const devices = spec.list('devices').map(deviceOf);
  const author = present<Required<Pick<ResourceSlice, 'author'>>>({ author: authorOf(object) });
  if (problems.length === 0)
    return { kind: 'Projected', object: { kind: 'ResourceSlice', ...identity, ...place, devices, ...author } };
  // Without its pool it is unknown which slices it replaces: then there is no harmless form.
  const harmless: ResourceSlice = { kind: 'ResourceSlice', ...identity, ...place, devices: [] };
  return unreadable('ResourceSlice', value, isPlaced ? { problems, harmless } : { problems });
}

/** v1beta1 has all fields except the name under `basic`. */
function deviceOf(device: Reader): Device {
  const holder = device.members.basic ? device.object('basic') : device;
  const taints = holder?.list('taints').map(readTaint) ?? [];
  return {
    name: device.text('name'),
    ...present<Pick<Required<Device>, 'taints'>>({ taints: taints.length > 0 ? taints : undefined }),
    ...propertiesOf(objectOf(holder?.members)),
  };
}

/** Unchanged from the API: the CEL code validates each value when it builds a device, and reports errors. */
function propertiesOf(holder: Readonly<Record<string, unknown>>): DeviceProperties {
  return present<Required<DeviceProperties>>({
    attributes: some<DeviceProperties['attributes']>(exact(objectOf(holder.attributes))),
    capacity: some<DeviceProperties['capacity']>(holder.capacity),
    allowMultipleAllocations:
      typeof holder.allowMultipleAllocations === 'boolean' ? holder.allowMultipleAllocations : undefined,
  });
}

/**
 * Large ints arrive as text (`parseJson`). An unsafe int that is a number was rounded: it is dropped, so no selector is evaluated on the
 * device.
 */
function exact(attributes: Json): Json {
  const rounded = Object.entries(attributes).filter(([, attribute]) => {
    const { int, ints } = objectOf(attribute);
    return [int, ints].flat().some((value) => typeof value === 'number' && !Number.isSafeInteger(value));
  });
  return { ...attributes, ...Object.fromEntries(rounded.map(([name]) => [name, {}])) };
}

function some<T>(value: unknown): T | undefined {
  const object = objectOf(value);
  return Object.keys(object).length > 0 ? (object as T) : undefined;
}
