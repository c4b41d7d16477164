// EvictionPolicy: how pods are evicted for the taints it selects: rate, windows, limits, approval.
import type { Hold } from './hold.ts';
import type { ObjectMeta } from './objects.ts';
import type { Milliseconds } from './time.ts';

/** Kinds of objects that put taints on devices. */
export type TaintSource = 'DeviceTaintRule' | 'PacedTaintRule' | 'ResourceSlice' | 'DeviceTaintSlice';

/** When evictions are allowed: from each start of the schedule, for `duration`. */
export interface EvictionWindow {
  /** Cron expression with five fields. */
  readonly schedule: string;
  readonly duration: Milliseconds;
  /** IANA name; UTC by default. */
  readonly timeZone?: string;
}

/** Which taints a policy selects; absent fields match all. */
export interface PolicySelector {
  /** Keys, or key prefixes that end with `*`. */
  readonly keys?: readonly string[];
  readonly drivers?: readonly string[];
  readonly sources?: readonly TaintSource[];
}

/** How many evictions may be in flight at once: a number of pods, or a percentage of the pods that use devices there. */
export type AtOnce = { readonly count: number } | { readonly percent: number };

/** Above these limits an approval is needed. */
export interface EvictionLimits {
  readonly maxPods?: number;
  readonly maxNamespaces?: number;
  /** 1 to 100. Percentage of the pods that use what the rule selects from: its class, else its driver, else any device. */
  readonly maxPercent?: number;
  /** Evictions in flight per node; further pods wait until earlier ones are gone. */
  readonly maxPerNode?: AtOnce;
  /** The same per workload (the pods' controller). */
  readonly maxPerWorkload?: AtOnce;
  /** The same per pool of a driver, for its tainted devices. */
  readonly maxPerPool?: AtOnce;
}

/** The first pods of each taint are evicted alone; then no pod is evicted for `hold`. */
export interface Canary {
  /** Number of pods, at least 1. */
  readonly pods: number;
  /** Starts at the deletion of the last canary pod. */
  readonly hold: Milliseconds;
}

/** Order of due pods: low priority first, then the younger pod; or the longest due first. */
export type EvictionOrder = 'PriorityThenAge' | 'DueTime';

/** What is evicted together: a whole workload, or one replica of a LeaderWorkerSet (a leader with its workers). */
export type GroupBy = 'Workload' | 'Replica';

/** Eviction mode. */
export type EvictionMode = 'Delete' | 'Evict' | 'WaitForCompletion' | 'Skip';

/** If this many devices of a pool or class get the same taint within `window`, their observer may be broken. */
export interface ObserverLimits {
  /** At least 1. */
  readonly minDevices: number;
  /** Percentage of the devices of the pool or class, 1 to 100. */
  readonly percent: number;
  readonly window: Milliseconds;
}

/** EvictionPolicy of sluice.dev/v1alpha1. */
export interface EvictionPolicy extends ObjectMeta {
  readonly kind: 'EvictionPolicy';
  readonly generation: number;
  readonly taints: PolicySelector;
  readonly evictionsPerSecond?: number;
  readonly burst?: number;
  /** Upper limit for every rate, wherever it is set. */
  readonly maxEvictionsPerSecond?: number;
  readonly paused?: true;
  /**
   * While it is paused, it pauses the taints that it selects, and does nothing else: their settings come from the policy that applies
   * without it.
   */
  readonly pauseOnly?: true;
  readonly windows?: readonly EvictionWindow[];
  readonly canary?: Canary;
  readonly limits?: EvictionLimits;
  readonly approval?: 'Required';
  /** A taint must have been present for this long before it evicts. */
  readonly minimumAge?: Milliseconds;
  /** If a device was free of the taint for less than this, the taint must be present for this long before it evicts. */
  readonly healthyDelay?: Milliseconds;
  /** For pods without a mode label on the pod or its namespace. */
  readonly mode?: EvictionMode;
  readonly modeDeadline?: Milliseconds;
  /** Default: `PriorityThenAge`. */
  readonly order?: EvictionOrder;
  /** Pods of one workload are evicted together with one token. */
  readonly groupBy?: GroupBy;
  /** Replaces a pod's longer own period; 0: do not wait for the kubelet. */
  readonly gracePeriodSeconds?: number;
  /** How often pods of one owner may be evicted from one device and return to it, within `loopWindow`; default 3, 0: no limit. */
  readonly loopLimit?: number;
  /** Default: 10 minutes. */
  readonly loopWindow?: Milliseconds;
  /** For slice taints only. */
  readonly observer?: ObserverLimits;
  /** Only annotations under `sluice.dev/`. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** How policies with `pauseOnly` hold the taint that this policy was found for. */
  readonly pausedBeside?: Hold;
  /** Name of another policy that is equally specific for the taint and has different settings: then no pod is evicted for the taint. */
  readonly rival?: string;
  /** What was pending under a deleted policy of this name and has no other policy, see `desertedKey`. */
  readonly deserted?: readonly string[];
  /** The policy is deleted, and only `deserted` is left of it. */
  readonly isGone?: true;
  /** Why the policy could not be read: then no pod is evicted for the taints it selects. */
  readonly unreadable?: string;
}

const prefix = 'EvictionPolicy/';

/** Ref under which the policy's status is requested, among rules of all kinds. */
export function policyRef(name: string): string {
  return `${prefix}${name}`;
}

/** `undefined` for any other ref. */
export function parsePolicyRef(ref: string): string | undefined {
  return ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined;
}
