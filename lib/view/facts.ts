// Raw facts read from the state table for one ClusterProgress.
import type { CanarySeat } from '../decide/canary.ts';
import type { Bucket, LimiterId } from '../model/eviction.ts';
import type { ClusterName } from '../model/identity.ts';
import type { Modes } from '../model/ownership.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import type { Wave } from '../model/wave.ts';
import type { RecentEviction } from '../state/recentRows.ts';
import type { ClusterProgress } from './progress.ts';

/** Facts about one limiter. */
export interface LimiterFacts {
  readonly limiter: LimiterId;
  /** The limiter's rule, or its last known state; absent for slice taints and forgotten rules. */
  readonly rule?: TaintRule;
  /** Only for slice taints. */
  readonly policies?: readonly EvictionPolicy[];
  /** Waves that hold slice taints, including those of other drivers and keys; only for slice taints. */
  readonly waves?: readonly Wave[];
  /** The rule is deleted or forgotten. */
  readonly gone: boolean;
  readonly isEvaluating: boolean;
  readonly listed: readonly { readonly uid: string; readonly sk: string; readonly deleting?: true }[];
  readonly isPartial: boolean;
  readonly evicted: number;
  /** Canary permits, if the policy has a canary. */
  readonly seats?: readonly CanarySeat[];
  /** Text about the required approval; only for slice taints. */
  readonly unapproved?: string;
  /** Why its selector selects no device: its CEL expression cannot be used. */
  readonly refused?: string;
  /** Why it is held, from a condition; only if the state table is not read. */
  readonly held?: string;
  /** Absent before its first token. */
  readonly bucket?: Bucket;
  /** Evicted plus listed pods when the rule was last seen before its deletion. */
  readonly lastTotal?: number;
  /** Start of the episode that the numbers cover; absent: all of them. Only for slice taints. */
  readonly since?: Instant;
  /** End of the episode; absent for the current one. */
  readonly until?: Instant;
}

export interface ClusterFacts {
  readonly plans: ClusterProgress['plans'];
  readonly cluster: ClusterName;
  readonly now: Instant;
  readonly modes?: Modes;
  /** Time of the watcher's last heartbeat; `NotRead` if the state table is not read. */
  readonly heardAt?: Instant | 'NotRead';
  /** Text about pauses of this cluster and of every cluster; empty if there are none. */
  readonly pauses: string;
  /** What else stops evictions, such as an EvictionStop. */
  readonly stopped?: string;
  /** Objects too large to store, such as `ResourceClaim ml/a`. */
  readonly refused?: readonly string[];
  readonly limiters: readonly LimiterFacts[];
  /** Newest first, none older than `window`. */
  readonly recent: readonly RecentEviction[];
  readonly recentIsPartial: boolean;
  /** Only for a reader with memory: all evictions that it has read. */
  readonly total?: NonNullable<ClusterProgress['recent']['total']>;
  readonly window: number;
}
