// What was read from the state table for one picture of a cluster, before anything is made of it.
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

/** One limiter as the table has it. */
export interface LimiterFacts {
  readonly limiter: LimiterId;
  /** The rule behind it, or its last state; absent for slice taints and for rules that are not remembered. */
  readonly rule?: TaintRule;
  /** For taints of slices. */
  readonly policies?: readonly EvictionPolicy[];
  /** That keep taints of slices, if any do; those of other drivers and keys among them. */
  readonly waves?: readonly Wave[];
  /** The rule is deleted, or not known any more. */
  readonly gone: boolean;
  readonly isEvaluating: boolean;
  readonly listed: readonly { readonly uid: string; readonly sk: string; readonly deleting?: true }[];
  readonly isPartial: boolean;
  readonly evicted: number;
  /** Of its canary, where its policy asks for one. */
  readonly seats?: readonly CanarySeat[];
  /** That a person has to approve it, in words; only for taints of slices. */
  readonly unapproved?: string;
  /** Why it is held, in the words of a condition, where conditions are all that is read. */
  readonly held?: string;
  /** Absent before its first token. */
  readonly bucket?: Bucket;
  /** Evicted and listed when the rule was last seen alive. */
  readonly lastTotal?: number;
}

export interface ClusterFacts {
  readonly plans: ClusterProgress['plans'];
  readonly cluster: ClusterName;
  readonly now: Instant;
  readonly modes?: Modes;
  /** Heartbeat of its watcher; `NotRead`: only the state table has it. */
  readonly heardAt?: Instant | 'NotRead';
  /** Pauses of this cluster and of everything, in words; empty where there are none. */
  readonly pauses: string;
  /** What stopped pods lately, beside pauses. */
  readonly stopped?: string;
  /** Objects that are too large to be kept, `ResourceClaim ml/a`. */
  readonly refused?: readonly string[];
  readonly limiters: readonly LimiterFacts[];
  /** Newest first, none older than `window`. */
  readonly recent: readonly RecentEviction[];
  readonly recentIsPartial: boolean;
  /** Of a reader with a memory: all that it has read. */
  readonly total?: { readonly evicted: number; readonly since: Instant };
  readonly window: number;
}
