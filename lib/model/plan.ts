// What a rule would do to the cluster as it is now, before anything is deleted: pods, their budgets, and free devices.
import type { DeviceId, PodRef, Uid } from './identity.ts';
import type { Instant, Milliseconds } from './time.ts';

/** A device that a rule reaches, with the class that it was asked for by. */
export interface PlannedDevice extends DeviceId {
  readonly deviceClassName?: string;
}

/** One pod that a rule would evict. */
export interface PlannedPod {
  readonly pod: PodRef;
  readonly node: string;
  /** The pod's controller, `ReplicaSet web-5d9`; absent for a pod that has none. */
  readonly owner?: { readonly kind: string; readonly name: string };
  /** spec.priority; absent where the pod has none. */
  readonly priority?: number;
  /** Claims through which the rule reaches the pod, with the devices that are not tolerated forever. */
  readonly claims: readonly { readonly name: string; readonly devices: readonly PlannedDevice[] }[];
  /** How long the pod's tolerations hold the rule off. */
  readonly tolerated: Milliseconds;
  /** Among pods that are due together the smaller goes first, see `Ledger`. */
  readonly order: string;
}

/** A PodDisruptionBudget (policy/v1) with the pods that its selector picks, as the API server evaluates it. */
export interface DisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  /** status.disruptionsAllowed. */
  readonly allowed: number;
  /** Names of pods. */
  readonly pods: readonly string[];
}

/** The tightest budget of a pod. Sluice deletes, so a budget stops nothing: it says how much a plan would hurt. */
export type Headroom =
  | { readonly kind: 'None' }
  | { readonly kind: 'Budget'; readonly name: string; readonly allowed: number }
  | { readonly kind: 'Unknown'; readonly why: string };

export interface BudgetedPod extends PlannedPod {
  readonly headroom: Headroom;
}

/**
 * Devices that could take over: published, allocated to none, without a taint that keeps pods away. Of the DeviceClass that was
 * asked for, or, where no claim says which that was or there is no such class any more, of the driver.
 */
export type FreeDevices =
  | { readonly deviceClassName: string; readonly free: number }
  | { readonly driver: string; readonly free: number };

export interface RulePlan {
  readonly rule: { readonly name: string; readonly uid: Uid; readonly generation: number };
  /** When the cluster was looked at. */
  readonly at: Instant;
  /** In the order in which they would go. */
  readonly pods: readonly PlannedPod[];
  readonly namespaces: number;
  /** Pods that are undecided; they stay. */
  readonly undecided: number;
  /** By class of the devices in the plan, then by driver. */
  readonly free: readonly FreeDevices[];
  /** From the first second to the last token; absent where the rule's rate is 0. */
  readonly takes?: Milliseconds;
}

/** A plan in numbers, as the rule's condition and lists show it. */
export interface PlanSummary {
  readonly pods: number;
  readonly namespaces: number;
  readonly undecided: number;
  /** Pods more than their tightest budgets allow to be disrupted. */
  readonly beyondBudgets: number;
  /** Pods whose budgets could not be read. */
  readonly unbudgeted: number;
  readonly free: readonly FreeDevices[];
  readonly takes?: Milliseconds;
}
