// How pods are evicted for some taints: how fast, when, and how many without approval.
import type { ObjectMeta } from './objects.ts';
import type { Milliseconds } from './time.ts';

/** Kinds of objects that put taints on devices. */
export type TaintSource = 'DeviceTaintRule' | 'PacedTaintRule' | 'ResourceSlice' | 'DeviceTaintSlice';

/** When pods may go: from each start of the schedule on, for a while. */
export interface EvictionWindow {
  /** Five fields of cron. */
  readonly schedule: string;
  readonly duration: Milliseconds;
  /** IANA name; UTC by default. */
  readonly timeZone?: string;
}

/** Which taints a policy is for; absent members match any. */
export interface PolicySelector {
  /** Keys, or beginnings of keys with a `*` at the end. */
  readonly keys?: readonly string[];
  readonly drivers?: readonly string[];
  readonly sources?: readonly TaintSource[];
}

/** How many evictions may be in flight at once: a number of pods, or a part of those that use devices there. */
export type AtOnce = { readonly count: number } | { readonly percent: number };

/** More pods, namespaces or percent than this wait for an approval. */
export interface EvictionLimits {
  readonly maxPods?: number;
  readonly maxNamespaces?: number;
  /** 1 to 100, of the pods that use what the rule selects from: its class, else its driver, else any device. */
  readonly maxPercent?: number;
  /** Evictions of one node in flight at once: pods beyond it wait until one of the earlier ones is gone. */
  readonly maxPerNode?: AtOnce;
  /** The same of one owner, the pods' controller. */
  readonly maxPerWorkload?: AtOnce;
  /** The same of the tainted devices of one pool of one driver. */
  readonly maxPerPool?: AtOnce;
}

/** The first pods of each taint go alone; then no pod is evicted for a while. */
export interface Canary {
  /** How many; at least 1. */
  readonly pods: number;
  /** From the deletion of the last of them on. */
  readonly hold: Milliseconds;
}

/** Which of the pods that are due get the next tokens: those of low priority and then young ones, or those that have been due for longest. */
export type EvictionOrder = 'PriorityThenAge' | 'DueTime';

/** What goes together: a whole workload, or of a LeaderWorkerSet one replica, a leader with its workers. */
export type GroupBy = 'Workload' | 'Replica';

/** Eviction mode. */
export type EvictionMode = 'Delete' | 'Evict' | 'WaitForCompletion' | 'Skip';

/** When so many devices of a pool or class are tainted alike at once, the observer is in doubt. */
export interface ObserverLimits {
  /** At least 1. */
  readonly minDevices: number;
  /** Of the devices of the pool or class, 1 to 100. */
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
  /** Caps every rate, wherever it was written. */
  readonly maxEvictionsPerSecond?: number;
  readonly paused?: true;
  readonly windows?: readonly EvictionWindow[];
  readonly canary?: Canary;
  readonly limits?: EvictionLimits;
  readonly approval?: 'Required';
  /** A taint must have stood for so long before it evicts. */
  readonly minimumAge?: Milliseconds;
  /** The taint of a device that was healed for less than this must stand for as long before it evicts. */
  readonly healthyDelay?: Milliseconds;
  /** For pods that neither their own label nor their namespace's says it of. */
  readonly mode?: EvictionMode;
  readonly modeDeadline?: Milliseconds;
  /** `PriorityThenAge` where it says none. */
  readonly order?: EvictionOrder;
  /** Pods of one workload go together, and take one token. */
  readonly groupBy?: GroupBy;
  /** In place of a pod's own, where that is longer; 0 does not wait for its containers at all. */
  readonly gracePeriodSeconds?: number;
  /** How often pods of one owner may be evicted from one device and come back, within `loopWindow`; 3 by default, 0: no limit. */
  readonly loopLimit?: number;
  /** 10 minutes where it says none. */
  readonly loopWindow?: Milliseconds;
  /** Only for taints in slices. */
  readonly observer?: ObserverLimits;
  /** Only those under `sluice.dev/`. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Name of another that is as specific for the taint at hand and says something else: then no pod is evicted for it. */
  readonly rival?: string;
  /** Only where it was deleted: what waited under it and has no other policy since, see `desertedKey`. */
  readonly deserted?: readonly string[];
  /** Why it could not be read: then no pod is evicted for the taints that it selects. */
  readonly unreadable?: string;
}

const prefix = 'EvictionPolicy/';

/** Under which name its status is asked for, among rules of all kinds. */
export function policyRef(name: string): string {
  return `${prefix}${name}`;
}

/** `undefined` for the ref of anything else. */
export function parsePolicyRef(ref: string): string | undefined {
  return ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined;
}
