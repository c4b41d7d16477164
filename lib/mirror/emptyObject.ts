// A placeholder for an object of which only key and UID are known; no pod is ever evicted because of it.
import type { ObjectKind, ObjectProjection } from '../model/projection.ts';
import type { Seen } from './order.ts';

/** `key` as in manifests: `namespace/name`, `driver|pool|name` or `name`. */
export function emptyObject(kind: ObjectKind, key: string, { uid, resourceVersion }: Seen): ObjectProjection {
  const slash = key.indexOf('/');
  const place = { namespace: key.slice(0, slash), name: key.slice(slash + 1), uid, resourceVersion };
  const meta = { name: key, uid, resourceVersion };
  switch (kind) {
    case 'Pod':
      return { kind, ...place, resourceClaims: [], resourceClaimStatuses: [] };
    case 'ResourceClaim':
      return { kind, ...place, reservedFor: [] };
    case 'ResourceSlice': {
      const [driver = '', pool = '', name = ''] = key.split('|');
      return { kind, name, uid, resourceVersion, driver, pool: { name: pool, generation: 0 }, devices: [] };
    }
    case 'DeviceTaintSlice': {
      const [driver = '', pool = '', ref = ''] = key.split('|');
      const name = ref.slice(ref.indexOf('/') + 1);
      return { kind, name, uid, resourceVersion, generation: 0, driver, pool, taints: [], seen: [] };
    }
    case 'DeviceTaintRule':
      return { kind, ...meta, generation: 0, taint: { key: '', effect: 'None' } };
    case 'PacedTaintRule':
      return { kind, ...meta, generation: 0, taints: [], seen: [] };
    case 'EvictionPolicy':
      return { kind, ...meta, generation: 0, taints: {} };
    case 'DeviceClass':
      return { kind, ...meta, selectors: [] };
    case 'Namespace':
      return { kind, ...meta };
    default:
      return kind satisfies never;
  }
}
