// The fields of each Kubernetes object that Sluice's decisions read, spelled as in the API.

import type { NamespacedName, ResourceVersion, Uid } from './identity.ts';
import type { EventReason } from './reasons.ts';
import type { Instant } from './time.ts';

/** Common to all projections. */
export interface ObjectMeta {
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
}

/** The last writer of an object's spec, from metadata.managedFields: the name of a program, not of a person. */
export interface SpecAuthor {
  readonly manager: string;
  /** `Update` or `Apply`. */
  readonly operation: string;
  readonly at?: Instant;
}

/** DeviceTaint of resource.k8s.io. Effects other than `NoExecute` never evict; unknown ones act as `None`. */
export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  /** Absent only in objects that bypassed the API server's defaulting. */
  readonly timeAdded?: Instant;
}

/** DeviceToleration as the scheduler copied it into an allocation result. */
export interface DeviceToleration {
  readonly key?: string;
  /** `Exists` or `Equal`; empty means Equal, anything else never tolerates. */
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  /** int64 on the wire, clamped to ±2^53 by the projection; absent means forever. */
  readonly tolerationSeconds?: number;
}

/** status.allocation.devices.results[] of a ResourceClaim. */
export interface AllocatedDevice {
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** DeviceClass of the request or subrequest; absent if the claim's spec has no such request. */
  readonly deviceClassName?: string;
  readonly adminAccess?: boolean;
  readonly shareID?: string;
  readonly tolerations?: readonly DeviceToleration[];
}

/** status.reservedFor[] of a ResourceClaim. */
export interface ConsumerReference {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: Uid;
}

/** The API server's answer about a consumer. */
export type ConsumerState =
  | { readonly kind: 'NotFound' }
  | { readonly kind: 'Found'; readonly uid: Uid }
  /** Forbidden, unanswered, or a kind that is not served: the entry is kept for now. */
  | { readonly kind: 'Unknown'; readonly why: string };

/** The owner with `controller: true`. */
export interface ControllerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: Uid;
}

export interface ResourceClaim extends ObjectMeta, NamespacedName {
  readonly kind: 'ResourceClaim';
  readonly controller?: ControllerReference;
  readonly reservedFor: readonly ConsumerReference[];
  /** Absent while the claim is not allocated. */
  readonly allocation?: {
    readonly devices: readonly AllocatedDevice[];
    /** KEP-5194; only if the API server serves it. */
    readonly reservedForAnyPod?: boolean;
  };
  /** spec.reservedFor of KEP-5194; only if the API server serves it. */
  readonly specReservedFor?: ConsumerReference;
  /** Only annotations under `sluice.dev/`. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Reason and message of an Event about an ignored annotation of a claim. */
export interface ClaimProblem {
  readonly reason: Extract<EventReason, 'ReservedForMalformed' | 'TolerationsIgnored'>;
  readonly why: string;
}

/** spec.resourceClaims[] of a Pod. */
export interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface Pod extends ObjectMeta, NamespacedName {
  readonly kind: 'Pod';
  readonly creationTimestamp?: Instant;
  readonly deletionTimestamp?: Instant;
  /** Empty or absent until the pod is scheduled. */
  readonly nodeName?: string;
  readonly priority?: number;
  /** The API server defaults it to 30. */
  readonly terminationGracePeriodSeconds?: number;
  readonly controller?: ControllerReference;
  /** spec.schedulingGroup.podGroupName (KEP-5729). */
  readonly podGroupName?: string;
  /** spec.workloadRef of Kubernetes 1.35, replaced by schedulingGroup (KEP-4671). */
  readonly workloadRef?: { readonly name: string; readonly podGroup: string; readonly podGroupReplicaKey?: string };
  readonly resourceClaims: readonly PodResourceClaim[];
  /** status.resourceClaimStatuses[]; an entry without resourceClaimName means that no claim is needed. */
  readonly resourceClaimStatuses: readonly { readonly name: string; readonly resourceClaimName?: string }[];
  /** status.extendedResourceClaimStatus.resourceClaimName (KEP-5004). */
  readonly extendedResourceClaimName?: string;
  /** The in-tree controller has set the condition DisruptionTarget. */
  readonly markedBy?: 'InTree';
  /** Absent if there are none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** `spec.devices[].attributes` values of resource.k8s.io: exactly one field is set. */
export interface DeviceAttribute {
  readonly int?: number | bigint | string;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly (number | bigint | string)[];
  readonly bools?: readonly boolean[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

/** The properties that CEL selectors read; names without a domain belong to the driver's domain. */
export interface DeviceProperties {
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>>;
  readonly allowMultipleAllocations?: boolean;
}

/** spec.devices[] of a ResourceSlice. */
export interface Device extends DeviceProperties {
  readonly name: string;
  readonly taints?: readonly DeviceTaint[];
  /** The slice was too large, so these properties were dropped: CEL selectors treat the device as never seen. */
  readonly isStripped?: true;
}

export interface ResourceSlice extends ObjectMeta {
  readonly kind: 'ResourceSlice';
  readonly driver: string;
  readonly pool: { readonly name: string; readonly generation: number };
  readonly devices: readonly Device[];
  readonly author?: SpecAuthor;
}

/** Absent criteria match anything; all present ones must match (DeviceTaintSelector). */
export interface DeviceTaintSelector {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

export interface DeviceTaintRule extends ObjectMeta {
  readonly kind: 'DeviceTaintRule';
  readonly generation: number;
  /** Absent: matches nothing. `{}`: matches every device. */
  readonly deviceSelector?: DeviceTaintSelector;
  readonly taint: DeviceTaint;
  /** Sluice created it for the scheduler, from the PacedTaintRule or DeviceTaintSlice with this UID. */
  readonly projectedFrom?: Uid;
  readonly author?: SpecAuthor;
  /** Only annotations under `sluice.dev/`. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** By taint key, since when Sluice has seen effect NoExecute; set when the rule is stored. */
  readonly actsSince?: Readonly<Record<string, Instant>>;
}

/** CEL expressions of DeviceClasses, by class name. */
export type DeviceClasses = ReadonlyMap<string, readonly string[]>;

/** DeviceClass of resource.k8s.io: its CEL expressions, all of which a device must match. */
export interface DeviceClass extends ObjectMeta {
  readonly kind: 'DeviceClass';
  readonly selectors: readonly string[];
}
