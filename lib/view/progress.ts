// What a person wants to know about a cluster's evictions at one instant; every renderer draws this and nothing else.
import type { LimiterId, Rate } from '../model/eviction.ts';
import type { ClusterName, PodRef } from '../model/identity.ts';
import type { Modes } from '../model/ownership.ts';
import type { BudgetedPod, PlanSummary } from '../model/plan.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/**
 * `Evicting`: pods may go now. `Waiting`: all that is left is tolerated for a while. `Completed`: none is left, some went.
 * `NotStarted`: no pod is concerned. `Stopped`: the rule was deleted. `NoEffect`: a taint that never evicts.
 */
export type ProgressState = 'Evicting' | 'Waiting' | 'Completed' | 'NotStarted' | 'Stopped' | 'NoEffect';

/** Pods by what they wait for; a pod is in one of them. */
export interface PodCounts {
  /** Deleted by Sluice, ever. */
  readonly evicted: number;
  /** Being deleted. */
  readonly deleting: number;
  /** Due, and not started yet. */
  readonly pending: number;
  /** Tolerates the taint for a while. */
  readonly waiting: number;
}

/** One rule, or one taint that a driver set in its slices. */
export interface LimiterProgress {
  readonly limiter: LimiterId;
  readonly kind: 'Rule' | 'Slice';
  /** The rule's name; for slice taints the driver. */
  readonly name: string;
  /** `driver gpu.example.com, pool node-1`. */
  readonly selector: string;
  /** `key=value:effect`, and why its author put it there. */
  readonly taint: string;
  readonly effect: string;
  readonly rate: Rate;
  /** Tokens in its bucket, of which each lets one pod be evicted at once; absent while held. */
  readonly tokens?: number;
  readonly state: ProgressState;
  readonly counts: PodCounts;
  /** Evicted and still listed; of a stopped rule evicted and kept. */
  readonly total: number;
  /** More pods are listed than were read: counts and estimates are lower bounds. */
  readonly isPartial: boolean;
  /** A change of the rule is still being compared with the pods. */
  readonly isEvaluating: boolean;
  /** Why nothing moves although pods could go. */
  readonly heldBecause?: string;
  /** When the next pod goes, as far as it is known. */
  readonly nextAt?: Instant;
  /** When the last one goes if nothing changes; absent while held. */
  readonly finishAt?: Instant;
  /** Of a stopped rule: pods that it had listed and did not evict. */
  readonly kept?: number;
  /** Once no pod is left: how many were evicted, within what time, and how many that it had listed were not. */
  readonly done?: { readonly pods: number; readonly took: Milliseconds; readonly missed: number };
  /** Evictions in each second of the last minutes, oldest first; the last entry is the second before `at`. */
  readonly perSecond: readonly number[];
  readonly lastEvictionAt?: Instant;
}

/** One pod that went, with the reason that a person would be told first. */
export interface LastEviction {
  readonly pod: PodRef;
  readonly node?: string;
  readonly at: Instant;
  readonly outcome: string;
  /** `DeviceTaintRule bad-gpus`. */
  readonly source: string;
  readonly taint: string;
  /** `driver/pool/device`. */
  readonly device: string;
  /** Reasons besides this one. */
  readonly moreReasons: number;
}

export interface WatcherProgress {
  /** By the watcher's clock; absent before the first heartbeat. */
  readonly lastHeard?: Instant;
  readonly age?: Milliseconds;
  /** Nothing is evicted while false. */
  readonly isAlive: boolean;
  /** The picture is of the API server alone, which does not know when the watcher was heard. */
  readonly isUnread?: true;
}

/** What a rule would do if its effect were NoExecute, kept up to date while it only asks. */
export interface PlanProgress {
  readonly rule: string;
  /** When the cluster was looked at. */
  readonly at: Instant;
  readonly summary: PlanSummary;
  /** The pods that would go first. */
  readonly first: readonly BudgetedPod[];
}

export interface ClusterProgress {
  readonly cluster: ClusterName;
  readonly at: Instant;
  /** Who acts on this cluster; absent where the reader does not know. */
  readonly modes?: Modes;
  readonly watcher: WatcherProgress;
  /** Each pod once, however many limiters list it. */
  readonly pods: Omit<PodCounts, 'evicted'>;
  readonly recent: {
    /** Pods evicted in the last `window`. */
    readonly evicted: number;
    readonly window: Milliseconds;
    readonly isPartial: boolean;
    /** Of one that reads again and again: evicted since the first of them that it knows, or since it began; this never falls. */
    readonly total?: { readonly evicted: number; readonly since: Instant };
  };
  /** Those that move first, then what is done. */
  readonly limiters: readonly LimiterProgress[];
  /** Newest first. */
  readonly last: readonly LastEviction[];
  /** By name of the rule. */
  readonly plans: readonly PlanProgress[];
  /** Objects that are too large to be kept, `ResourceClaim ml/a`; pods that depend on them stay. */
  readonly refused?: readonly string[];
}
