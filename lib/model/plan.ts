// What a rule would do in the cluster's current state, before any pod is deleted: pods, their PDBs, and free devices.
import type { DeviceId, PodRef, Uid } from './identity.ts';
import type { Instant, Milliseconds } from './time.ts';

/** A device that a rule reaches, with the DeviceClass of its request. */
export interface PlannedDevice extends DeviceId {
  readonly deviceClassName?: string;
}

/** One pod that a rule would evict. */
export interface PlannedPod {
  readonly pod: PodRef;
  readonly node: string;
  /** The pod's controller, such as `ReplicaSet web-5d9`; absent if it has none. */
  readonly owner?: { readonly kind: string; readonly name: string };
  /** spec.priority; absent if not set. */
  readonly priority?: number;
  /** Claims through which the rule reaches the pod, with the devices that are not tolerated forever. */
  readonly claims: readonly { readonly name: string; readonly devices: readonly PlannedDevice[] }[];
  /** Its namespace is paused: the pod is kept until that ends, and an approval of the plan covers it. Absent: it is not. */
  readonly paused?: true;
  /** How long the pod's tolerations delay the rule. */
  readonly tolerated: Milliseconds;
  /** Among pods with the same due time the smaller is evicted first, see `Ledger`. */
  readonly order: string;
}

/** A PodDisruptionBudget (policy/v1) with the pods that its selector matches, evaluated as the API server does. */
export interface DisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  /** status.disruptionsAllowed. */
  readonly allowed: number;
  /** Names of pods. */
  readonly pods: readonly string[];
}

/** The tightest PDB of a pod. Sluice deletes by default, so a PDB stops nothing: it shows the plan's disruption. */
export type Headroom =
  | { readonly kind: 'None' }
  | { readonly kind: 'Budget'; readonly name: string; readonly allowed: number }
  | { readonly kind: 'Unknown'; readonly why: string };

export interface BudgetedPod extends PlannedPod {
  readonly headroom: Headroom;
}

/**
 * Devices that could replace the planned ones: published, not allocated, without a NoSchedule or NoExecute taint. Counted for the requested
 * DeviceClass, or for the driver if no claim names the class or the class no longer exists.
 */
export type FreeDevices =
  | { readonly deviceClassName: string; readonly free: number }
  | { readonly driver: string; readonly free: number };

export interface RulePlan {
  readonly rule: { readonly name: string; readonly uid: Uid; readonly generation: number };
  /** When the cluster's state was read. */
  readonly at: Instant;
  /** In order of eviction. */
  readonly pods: readonly PlannedPod[];
  readonly namespaces: number;
  /** Pods with verdict Unknown; they are kept. */
  readonly undecided: number;
  /** By class of the devices in the plan, then by driver. */
  readonly free: readonly FreeDevices[];
  /** Time until the last token of the pods that are not kept because their namespaces are paused; absent if the rule's rate is 0. */
  readonly takes?: Milliseconds;
}

/** A plan in numbers, for the rule's condition and for lists. */
export interface PlanSummary {
  readonly pods: number;
  readonly namespaces: number;
  readonly undecided: number;
  /** Pods in excess of what their tightest PDBs allow. */
  readonly beyondBudgets: number;
  /** Pods whose PDBs could not be read. */
  readonly unbudgeted: number;
  readonly free: readonly FreeDevices[];
  readonly takes?: Milliseconds;
  /** Pods of `pods` in paused namespaces; absent: none. */
  readonly paused?: number;
  /** Why none of the pods is evicted now; absent: not all are held, or it is not known. */
  readonly held?: string;
}
