// Model of a cluster's evictions at one instant, the only input of every renderer.
import type { LimiterId, Rate } from '../model/eviction.ts';
import type { ClusterName, PodRef } from '../model/identity.ts';
import type { Modes } from '../model/ownership.ts';
import type { BudgetedPod, PlanSummary } from '../model/plan.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/**
 * `Evicting`: pods are pending or deleting. `Waiting`: the remaining pods still tolerate it. `Completed`: none is left.
 * `NotStarted`: no pod matches. `Stopped`: the rule was deleted, or the slice taint taken back, before it was completed.
 * `NoEffect`: the taint never evicts.
 */
export type ProgressState = 'Evicting' | 'Waiting' | 'Completed' | 'NotStarted' | 'Stopped' | 'NoEffect';

/** Number of pods by state; each pod counts in one of them. */
export interface PodCounts {
  /** Evicted by Sluice, in total. */
  readonly evicted: number;
  /** DELETE or eviction in flight. */
  readonly deleting: number;
  /** Due, but not started. */
  readonly pending: number;
  /** Not due: the pod still tolerates the taint, or a hold or a disruption budget keeps it until later. */
  readonly waiting: number;
}

/** Progress of one rule's taint or one slice taint. */
export interface LimiterProgress {
  readonly limiter: LimiterId;
  readonly kind: 'Rule' | 'Slice';
  /** The rule's name; for slice taints the driver. */
  readonly name: string;
  /** Where the taint stands: `PacedTaintRule a`, `DeviceTaintSlice b`, or `slices of driver c` if it is not known which. */
  readonly place: string;
  /** `driver gpu.example.com, pool node-1`; empty if not known. */
  readonly selector: string;
  /** `key=value:effect`, and the description if there is one. */
  readonly taint: string;
  readonly effect: string;
  readonly rate: Rate;
  /** Tokens in its bucket: pods that can be evicted at once; absent while held. */
  readonly tokens?: number;
  readonly state: ProgressState;
  readonly counts: PodCounts;
  /** Evicted plus listed pods; of a stopped rule, evicted plus kept pods. */
  readonly total: number;
  /** Not all listed pods were read: counts and estimates are lower bounds. */
  readonly isPartial: boolean;
  /** A change of the rule is still being evaluated against the pods. */
  readonly isEvaluating: boolean;
  /** Why no pod is evicted although pods are pending. */
  readonly heldBecause?: string;
  /** Estimated time of the next eviction. */
  readonly nextAt?: Instant;
  /** Estimated time of the last eviction; absent while held. */
  readonly finishAt?: Instant;
  /** `finishAt` follows the pace of the last seconds, which other limits keep below the rate. */
  readonly isSlowed?: true;
  /** Of a stopped rule or slice taint: listed pods that were not evicted. */
  readonly kept?: number;
  /** Once no pod is listed: evicted pods, and listed pods that were not evicted. `took`: absent if not all evictions are listed. */
  readonly done?: {
    readonly pods: number;
    readonly took?: Milliseconds;
    readonly missed: number;
    /** Evicted with tokens of other rules that reach them too; absent: none. */
    readonly byOthers?: number;
  };
  /** Evictions per second in the last minutes, oldest first; the last entry is the second before `at`. */
  readonly perSecond: readonly number[];
  readonly lastEvictionAt?: Instant;
}

/** One evicted pod with its leading reason. */
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
  /** Number of further reasons. */
  readonly moreReasons: number;
  /** All sources among its reasons: `DeviceTaintRule/bad-gpus`. */
  readonly sources: readonly string[];
}

export interface WatcherProgress {
  /** Time of the last heartbeat by the watcher's clock; absent before the first one. */
  readonly lastHeard?: Instant;
  readonly age?: Milliseconds;
  /** While false, no pod is evicted. */
  readonly isAlive: boolean;
  /** The state table was not read, so the last heartbeat is unknown. */
  readonly isUnread?: true;
}

/** Live plan of a dry-run or held rule: the pods it would evict with effect NoExecute. */
export interface PlanProgress {
  readonly rule: string;
  /** When the plan was computed. */
  readonly at: Instant;
  readonly summary: PlanSummary;
  /** The pods that would be evicted first. */
  readonly first: readonly BudgetedPod[];
}

export interface ClusterProgress {
  readonly cluster: ClusterName;
  readonly at: Instant;
  /** Modes of Sluice in this cluster; absent if unknown. */
  readonly modes?: Modes;
  readonly watcher: WatcherProgress;
  /** Counts each pod once, even if several limiters list it. */
  readonly pods: Omit<PodCounts, 'evicted'>;
  /** Pods in the numbers of several limiters, whose sum is therefore higher; absent if there are none. */
  readonly shared?: number;
  readonly recent: {
    /** Pods evicted in the last `window`. */
    readonly evicted: number;
    readonly window: Milliseconds;
    readonly isPartial: boolean;
    /** For a reader with memory: evictions since the first known one, or since the reader started; never falls. */
    readonly total?: {
      readonly evicted: number;
      /** Those of them that several rules reached. */
      readonly shared: number;
      readonly since: Instant;
    };
  };
  /** Active limiters first, then finished ones. */
  readonly limiters: readonly LimiterProgress[];
  /** Newest first. */
  readonly last: readonly LastEviction[];
  /** Sorted by rule name. */
  readonly plans: readonly PlanProgress[];
  /** Objects too large to store, such as `ResourceClaim ml/a`; pods that depend on them are kept. */
  readonly refused?: readonly string[];
}
