// Which devices a rule's selector matches.
import type { DeviceId } from '../model/identity.ts';
import type { DeviceTaintSelector } from '../model/objects.ts';

/**
 * Whether a selector matches a device, by the names in an allocation result (docs/reference/rules.md 1.1 and 1.2):
 * - an absent selector matches nothing, an empty one everything;
 * - each present criterion must be equal, case-sensitively.
 */
export function selects(selector: DeviceTaintSelector | undefined, device: DeviceId): boolean {
  if (!selector) return false;
  return (
    (selector.driver === undefined || selector.driver === device.driver) &&
    (selector.pool === undefined || selector.pool === device.pool) &&
    (selector.device === undefined || selector.device === device.device)
  );
}
