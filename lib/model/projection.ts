// The kinds of objects that Sluice stores, as a union by `kind`.
import type { Namespace } from './namespace.ts';
import type { Device, DeviceClass, DeviceTaintRule, Pod, ResourceClaim, ResourceSlice } from './objects.ts';
import type { EvictionPolicy } from './policy.ts';
import type { PacedTaintRule } from './rule.ts';
import type { DeviceTaintSlice } from './taintSlice.ts';

/** Every kind that Sluice stores in its table. */
export type ObjectProjection =
  | Pod
  | ResourceClaim
  | ResourceSlice
  | DeviceTaintRule
  | PacedTaintRule
  | DeviceTaintSlice
  | EvictionPolicy
  | DeviceClass
  | Namespace;
export type ObjectKind = ObjectProjection['kind'];

/** The objects of one kind. */
export type ObjectOf<K extends ObjectKind> = Extract<ObjectProjection, { readonly kind: K }>;

/** Whether it is a slice of whose devices only names and taints are kept. */
export function isStrippedSlice({
  devices,
}: {
  readonly kind: string;
  readonly devices?: readonly Pick<Device, 'isStripped'>[];
}): boolean {
  return devices?.some(({ isStripped }) => isStripped) === true;
}
