// What a gate is: one reason for which pods of a limiter, or one pod, may not be evicted now.

import type { CanaryState } from '../decide/canary.ts';
import type { Census } from '../decide/census.ts';
import type { Ledger, LimiterId, Loop, Rate } from '../model/eviction.ts';
import type { Hold } from '../model/hold.ts';
import type { Pod } from '../model/objects.ts';
import type { Modes } from '../model/ownership.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';

/** An operator has paused a whole cluster, or all clusters. */
export interface Stop {
  readonly name: string;
  readonly why: string;
  readonly of: 'cluster' | 'everything';
}

/** What is known about one limiter. */
export interface LimiterFacts {
  readonly now: Instant;
  readonly limiter: LimiterId;
  /** Its rule; absent for taints in slices. */
  readonly rule?: TaintRule;
  readonly policy?: EvictionPolicy;
  /** Name of the policy that was deleted while pods waited under it; only for taints in slices. */
  readonly policyGone?: string;
  /** As written, whatever holds it. */
  readonly rate: Rate;
  readonly modes: Modes;
  /** The watcher of the cluster has been heard lately. */
  readonly isWatched: boolean;
  readonly pauses: readonly Stop[];
  /** Why an EvictionStop stops the cluster, or why it is unknown whether one does. */
  readonly stop?: string;
  /** What waits for a person's approval. */
  readonly approval?: Hold;
  /** Absent where there is no canary, or it has passed. */
  readonly canary?: { readonly policy: EvictionPolicy; readonly state: CanaryState; readonly waiting: number };
  /** Evictions per second of the whole cluster. */
  readonly clusterLimit?: number;
}

export type Reason =
  | Hold['reason']
  | 'NotOwned'
  | 'WatcherSilent'
  | 'Stopped'
  | 'StandsStill'
  | 'TooManyInFlight'
  | 'BudgetExhausted'
  | 'RetryingLater'
  | 'Looping'
  | 'NotDue';

/** Why no pod, or one pod, may be evicted now. */
export interface Because {
  readonly reason: Reason;
  /** A sentence for people. */
  readonly message: string;
  /** Said of the rule itself, so that people have to be told which. */
  readonly of?: 'Rule';
  /** Asking earlier gives the same answer; absent where it changes only by another event. */
  readonly until?: Instant;
}

/** How many pods may be started now; `because` where it is none. */
export interface Room {
  readonly most: number;
  readonly because?: Because;
}

export const unlimited: Room = { most: Number.POSITIVE_INFINITY };

export function none(because: Because): Room {
  return { most: 0, because };
}

/** Evictions that count together, of which a policy allows so many at once. */
export interface Scope {
  readonly kind: 'Node' | 'Workload' | 'Pool';
  /** The node's name, the UID of the pods' controller, or `driver|pool`. */
  readonly of: string;
}

/** The evictions of an owner from one device that count as rounds of a loop. */
export interface Rounds {
  /** `driver|pool|device`. */
  readonly device: string;
  readonly times: readonly Instant[];
  readonly ver: number;
}

/** What is known about one pod of a limiter. */
export interface PodFacts {
  readonly pod: Pod;
  readonly ledger: Ledger;
  /** Other pods whose eviction is in flight; 0 where they were not read. */
  readonly inFlight: (scope: Scope) => readonly string[];
  /** Where a percentage is asked for. */
  readonly census?: Census;
  readonly rounds: readonly Rounds[];
}

/** What has to be read before a pod can be admitted, and counted with its intent. */
export interface Asked {
  readonly scopes?: readonly Scope[];
  readonly isRelative?: boolean;
  /** Owner and devices whose rounds count. */
  readonly rounds?: { readonly owner: string; readonly devices: readonly string[] };
}

/** What an eviction counts for from its intent on. Places in flight come back when the pod is gone. */
export type Counted =
  | { readonly kind: 'InFlight'; readonly scope: Scope }
  | { readonly kind: 'Round'; readonly owner: string; readonly rounds: Rounds; readonly window: number };

export type Admission =
  | { readonly kind: 'Admitted'; readonly counted?: readonly Counted[] }
  /** `loop`: belongs in the ledger. `full`: keeps every other pod that counts there. */
  | { readonly kind: 'Kept'; readonly because: Because; readonly loop?: Loop; readonly full?: Scope };

export const admitted: Admission = { kind: 'Admitted' };

export interface Gate {
  readonly name: string;
  readonly room?: (facts: LimiterFacts) => Room;
  readonly asks?: (pod: Pick<PodFacts, 'pod' | 'ledger'>, facts: LimiterFacts) => Asked;
  readonly admits?: (pod: PodFacts, facts: LimiterFacts) => Admission;
}
