// The type of a gate: one reason for which no pod of a limiter, or one pod, may be evicted now.

import type { CanaryState } from '../decide/canary.ts';
import type { Census } from '../decide/census.ts';
import type { Ledger, LimiterId, Loop, Rate } from '../model/eviction.ts';
import type { Hold } from '../model/hold.ts';
import type { Namespace } from '../model/namespace.ts';
import type { Pod } from '../model/objects.ts';
import type { Modes } from '../model/ownership.ts';
import type { Pause } from '../model/pause.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';

/** The facts about one limiter that gates decide on. */
export interface LimiterFacts {
  readonly now: Instant;
  readonly limiter: LimiterId;
  /** Its rule; absent for taints in slices. */
  readonly rule?: TaintRule;
  readonly policy?: EvictionPolicy;
  /** Name of the policy that was deleted while pods were pending under it; only for taints in slices. */
  readonly policyGone?: string;
  /** As written in the rule or policy, even while a hold applies. */
  readonly rate: Rate;
  readonly modes: Modes;
  /** The watcher of the cluster has sent a heartbeat within 90 seconds. */
  readonly isWatched: boolean;
  readonly pauses: readonly Pause[];
  /** Why evictions are stopped: an EvictionStop exists in the cluster, or EvictionStops cannot be read. */
  readonly stop?: string;
  /** Present while the rule or taint waits for an approval. */
  readonly approval?: Hold;
  /** Absent where the policy has no canary, or the canary has passed. */
  readonly canary?: { readonly policy: EvictionPolicy; readonly state: CanaryState; readonly waiting: number };
  /** Evictions per second of the whole cluster. */
  readonly clusterLimit?: number;
}

export type Reason =
  | Hold['reason']
  | 'NotOwned'
  | 'WatcherSilent'
  | 'StandsStill'
  | 'TooManyInFlight'
  | 'BudgetExhausted'
  | 'RetryingLater'
  | 'Looping'
  | 'NotDue';

/** Why no pod, or one pod, may be evicted now. */
export interface Because {
  readonly reason: Reason;
  /** A sentence for operators. */
  readonly message: string;
  /** The hold is set on the rule itself, so a message about several rules must name the rule. */
  readonly of?: 'Rule';
  /** The gate gives the same answer until then; absent where only an event changes the answer. */
  readonly until?: Instant;
}

/** How many pods may be evicted now; `because` is present where `most` is 0. */
export interface Room {
  readonly most: number;
  readonly because?: Because;
}

export const unlimited: Room = { most: Number.POSITIVE_INFINITY };

export function none(because: Because): Room {
  return { most: 0, because };
}

/** A group of evictions whose number in flight a policy limits. */
export interface Scope {
  readonly kind: 'Node' | 'Workload' | 'Pool';
  /** The node's name, the UID of the pods' controller, or `driver|pool`. */
  readonly of: string;
}

/** The evictions of one owner's pods from one device, which loop detection counts. */
export interface Rounds {
  /** `driver|pool|device`. */
  readonly device: string;
  readonly times: readonly Instant[];
  readonly ver: number;
}

/** The facts about one pod of a limiter that gates decide on. */
export interface PodFacts {
  readonly pod: Pod;
  readonly ledger: Ledger;
  /** Absent where the namespace has no label and no pause of Sluice. */
  readonly namespace?: Pick<Namespace, 'name' | 'annotations'> | undefined;
  /** Other pods whose eviction is in flight in the scope; empty where the scope was not read. */
  readonly inFlight: (scope: Scope) => readonly string[];
  /** Present where a limit is a percentage. */
  readonly census?: Census;
  readonly rounds: readonly Rounds[];
}

/** What the caller must read before a gate can admit a pod; the scopes and rounds are counted with the intent. */
export interface Asked {
  readonly scopes?: readonly Scope[];
  readonly isRelative?: boolean;
  /** The owner and the devices whose rounds to read. */
  readonly rounds?: { readonly owner: string; readonly devices: readonly string[] };
}

/** What an eviction is counted in from its intent on. A place in flight is freed when the pod is gone. */
export type Counted =
  | { readonly kind: 'InFlight'; readonly scope: Scope }
  | { readonly kind: 'Round'; readonly owner: string; readonly rounds: Rounds; readonly window: number };

export type Admission =
  | { readonly kind: 'Admitted'; readonly counted?: readonly Counted[] }
  /** `loop`: the caller stores it in the ledger. `full`: this scope has no free place, so its other pods are held too. */
  | { readonly kind: 'Kept'; readonly because: Because; readonly loop?: Loop; readonly full?: Scope };

export const admitted: Admission = { kind: 'Admitted' };

export interface Gate {
  readonly name: string;
  readonly room?: (facts: LimiterFacts) => Room;
  readonly asks?: (pod: Pick<PodFacts, 'pod' | 'ledger'>, facts: LimiterFacts) => Asked;
  readonly admits?: (pod: PodFacts, facts: LimiterFacts) => Admission;
}

/** `once`, `3 times`. */
export function timesText(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}
