// Every kind of object that Sluice keeps, and what tells them apart.
import type { Namespace } from './namespace.ts';
import type { DeviceClass, DeviceTaintRule, Pod, ResourceClaim, ResourceSlice } from './objects.ts';
import type { EvictionPolicy } from './policy.ts';
import type { PacedTaintRule } from './rule.ts';
import type { DeviceTaintSlice } from './taintSlice.ts';

/** Every kind Sluice keeps in its table. */
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
