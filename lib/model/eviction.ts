// What Sluice remembers about one pod's eviction, and the values that pace it.
import type { Uid } from './identity.ts';
import type { Instant, Milliseconds } from './time.ts';
import type { Reason } from './verdict.ts';

/** `rule|<uid>` or `slice|<driver>|<key>|<value>|<effect>`: a source of taints whose pods go at a rate of their own. */
export type LimiterId = string;

/** One limiter at which a pod is listed. */
export interface Listing {
  readonly limiter: LimiterId;
  /** Not before this instant under this limiter. */
  readonly dueAt: Instant;
  /** Where the pod stands here, in place of the ledger's `order`. */
  readonly order?: string;
  /** With whom the pod goes here; see `groupOf`. */
  readonly group?: string;
}

/**
 * `Pending → Deleting → Evicted | Gone`, and from Pending `→ Cancelled`, which may be opened again by a later evaluation. A Pending
 * pod whose listings are not due yet is what operators call waiting. From Deleting a pod may also go back to Pending.
 */
export type EvictionState = 'Pending' | 'Deleting' | 'Evicted' | 'Gone' | 'Cancelled';

/** The right to start one eviction, or those of a group of pods, taken from the bucket of a limiter. */
export interface Token {
  readonly limiter: LimiterId;
  /** Generation of the limiter's rule when the token was taken. */
  readonly epoch: number;
  /** Not used before; the tokens of a burst lie before `takenAt`. */
  readonly at: Instant;
  readonly takenAt: Instant;
  /** Of the permits of the limiter's canary; absent where there is none, or it has passed. */
  readonly canarySeat?: number;
}

/** What the API server is asked for, fixed with the intent, so that an evictor that takes over sends the same request. */
export interface EvictionRequest {
  readonly kind: 'Delete' | 'Evict';
  /** Absent: the pod's own applies. */
  readonly gracePeriodSeconds?: number;
}

/** Pods of one owner that were evicted from one device again and again, and came back. */
export interface Loop {
  readonly limiter: LimiterId;
  /** `driver|pool|device`. */
  readonly device: string;
  readonly times: number;
  /** No further one goes before. */
  readonly until: Instant;
}

/** One pod's eviction, kept in the pod's own row so that storing a pod moves the version as well. */
export interface Ledger {
  readonly podUid: Uid;
  readonly state: EvictionState;
  readonly listings: readonly Listing[];
  readonly because: readonly Reason[];
  /** While Deleting: the token that it was started with. */
  readonly token?: Token;
  /** While Deleting: no one else may act before this instant. */
  readonly leaseUntil?: Instant;
  /** While Deleting. */
  readonly request?: EvictionRequest;
  /** Since its disruption budgets kept it: not before this instant, after so many refusals in a row. */
  readonly blocked?: { readonly until: Instant; readonly times: number };
  /** Since the API server failed to evict it: not before this instant, after so many failures in a row. */
  readonly failed?: { readonly until: Instant; readonly times: number };
  /** What keeps it under some of its limiters. */
  readonly loops?: readonly Loop[];
  /** When an evictor first set out to delete it: where the index rows of its record lie. */
  readonly openedAt?: Instant;
  /** Why it is unknown in what way the pod goes; it stays. */
  readonly problem?: string;
  /** Cancelled, and no Event says so yet: the pod may be listed again in a moment. */
  readonly untold?: true;
  /** Where a pod stands among the due ones of a limiter: smaller goes first. */
  readonly order: string;
}

/** How fast one limiter lets pods go. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** KEP-5055 in its rate-limited revision (evictionsPerSecond): ten pods per second, burst ten. */
export const defaultRate: Rate = { perSecond: 10, burst: 10 };

/**
 * A token bucket as a generic cell rate algorithm: `tat` is when the bucket is full again, `period` the time in which a token comes, and
 * `at` when both were written; whole microseconds, so that rates such as 3 per second do not drift.
 */
export interface Bucket {
  readonly tat: number;
  readonly period: number;
  readonly at: number;
}

/** `status`: of the API server's answer; absent where there was none. */
interface Answered {
  readonly status?: number;
}

/** What became of one eviction; the record's outcome. */
export type EvictionOutcome = Answered &
  (
    | { readonly kind: 'Evicted' }
    /** The pod was gone, terminating or replaced before Sluice's DELETE. */
    | { readonly kind: 'Gone'; readonly why: 'NotFound' | 'Replaced' | 'Terminating' }
    /** The API server refused for now; try again after `after`. */
    | { readonly kind: 'RetryLater'; readonly after: Milliseconds; readonly why: string }
    /** The API server will refuse until a person changes something (403); parked with an alarm, retried by the sweep. */
    | { readonly kind: 'Refused'; readonly why: string }
  );

/** Status codes of the API server's answers; one is absent where the call was not made, or had no answer. */
export interface ApiAnswers {
  readonly patch?: number;
  readonly delete?: number;
  readonly eviction?: number;
}

/**
 * `Evicted` by Sluice's DELETE; `Gone` before it; `OutcomeUnknown` when a crash hid whose DELETE it was. These three are final.
 * `Abandoned`: the pod was kept this time, and the same record is opened again when its turn comes again.
 */
export type RecordOutcome = 'Evicted' | 'Gone' | 'OutcomeUnknown' | 'Abandoned';
