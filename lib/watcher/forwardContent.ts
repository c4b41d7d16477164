// A projection's content for the watcher: its fingerprint, its size, and its reduced forms for large or unreadable objects.
import { pausePrefix } from '../decide/pauses.ts';
import type { ResourceSlice } from '../model/objects.ts';
import type { ObjectProjection } from '../model/projection.ts';

/**
 * 53 bits of two mixed 32-bit lanes. It is compared only with the fingerprint of the same object's previous content, so about one change in
 * 10^16 is missed.
 */
export function fingerprint(text: string): number {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 2 ** 32 * (b & 0x1fffff) + (a >>> 0);
}

/**
 * The content that makes a new version worth sending. For slices without the author: a driver's write that changes nothing else is not
 * sent, and the author is sent with the next change.
 */
export function contentOf(object: ObjectProjection): object {
  const { resourceVersion: _, ...content } = object;
  if (content.kind !== 'ResourceSlice' && content.kind !== 'DeviceTaintSlice') return content;
  const { author: __, ...rest } = content;
  return rest;
}

const encoder = new TextEncoder();

/** Size in bytes of UTF-8. */
export function sizeOf(text: string): number {
  return encoder.encode(text).length;
}

/** A placeholder with the object's identity only; it can never cause an eviction. */
export function emptied(object: ObjectProjection): ObjectProjection {
  const { name, uid, resourceVersion } = object;
  const meta = { name, uid, resourceVersion };
  switch (object.kind) {
    case 'Pod':
      return { kind: 'Pod', namespace: object.namespace, ...meta, resourceClaims: [], resourceClaimStatuses: [] };
    case 'ResourceClaim':
      return { kind: 'ResourceClaim', namespace: object.namespace, ...meta, reservedFor: [] };
    case 'ResourceSlice':
      return { kind: 'ResourceSlice', ...meta, driver: object.driver, pool: object.pool, devices: [] };
    case 'DeviceTaintRule':
      return {
        kind: 'DeviceTaintRule',
        ...meta,
        generation: object.generation,
        taint: { key: object.taint.key, effect: 'None' },
      };
    case 'PacedTaintRule':
      return { kind: 'PacedTaintRule', ...meta, generation: object.generation, taints: [], seen: [] };
    case 'DeviceTaintSlice': {
      const { driver, pool, generation } = object;
      return { kind: 'DeviceTaintSlice', ...meta, generation, driver, pool, taints: [], seen: [] };
    }
    case 'EvictionPolicy': {
      const { generation, taints } = object;
      return { kind: 'EvictionPolicy', ...meta, generation, taints, unreadable: 'it is too large to be kept' };
    }
    case 'DeviceClass':
      return { kind: 'DeviceClass', ...meta, selectors: ['false'] };
    case 'Namespace':
      return { kind: 'Namespace', ...meta, annotations: { [`${pausePrefix}unread`]: 'it is too large to be kept' } };
    default:
      return object satisfies never;
  }
}

/** A slice with device names and taints only; for CEL selectors its devices count as never seen. */
export function stripped(slice: ResourceSlice): ResourceSlice {
  const devices = slice.devices.map(({ name, taints }) => ({
    name,
    ...(taints ? { taints } : {}),
    isStripped: true as const,
  }));
  return { ...slice, devices };
}
