// The ledger of a pod's eviction, and the types for rates, tokens and outcomes.
import type { Uid } from './identity.ts';
import type { Instant, Milliseconds } from './time.ts';
import type { Reason } from './verdict.ts';

/** A source of taints that has its own rate: `rule|<uid>` or `slice|<driver>|<key>|<value>|<effect>`. */
export type LimiterId = string;

/** A pod's entry in the backlog of one limiter. */
export interface Listing {
  readonly limiter: LimiterId;
  /** The pod is not evicted through this limiter before this instant. */
  readonly dueAt: Instant;
  /** The pod's order at this limiter; replaces the ledger's `order`. */
  readonly order?: string;
  /** The group that the pod is evicted with at this limiter; see `groupOf`. */
  readonly group?: string;
}

/**
 * `Pending → Deleting → Evicted | Gone`, and `Pending → Cancelled`, which a later evaluation may reopen. Operators call a Pending pod
 * without a due listing "waiting". Deleting may also return to Pending.
 */
export type EvictionState = 'Pending' | 'Deleting' | 'Evicted' | 'Gone' | 'Cancelled';

/** The right to start one eviction, or those of one group of pods, taken from a limiter's bucket. */
export interface Token {
  readonly limiter: LimiterId;
  /** Generation of the limiter's rule when the token was taken. */
  readonly epoch: number;
  /** Earliest use. The tokens of a burst have times before `takenAt`. */
  readonly at: Instant;
  readonly takenAt: Instant;
  /** Number of the limiter's canary permit; absent if there is no canary, or it has passed. */
  readonly canarySeat?: number;
}

/** The request to the API server. It is stored with the intent, so that an evictor that takes over sends the same request. */
export interface EvictionRequest {
  readonly kind: 'Delete' | 'Evict';
  /** Absent: the pod's own period applies. */
  readonly gracePeriodSeconds?: number;
}

/** An eviction loop: pods of one owner that are evicted from one device and return to it. */
export interface Loop {
  readonly limiter: LimiterId;
  /** `driver|pool|device`. */
  readonly device: string;
  readonly times: number;
  /** No further pod is evicted before this instant. */
  readonly until: Instant;
}

/** One pod's eviction, stored in the pod's row, so that storing the pod changes the version too. */
export interface Ledger {
  readonly podUid: Uid;
  readonly state: EvictionState;
  readonly listings: readonly Listing[];
  readonly because: readonly Reason[];
  /** Number of further reasons, which the row has no room for; absent if `because` has all. */
  readonly more?: number;
  /** While Deleting: the token used. */
  readonly token?: Token;
  /** While Deleting: no other evictor may act before this instant. */
  readonly leaseUntil?: Instant;
  /** While Deleting. */
  readonly request?: EvictionRequest;
  /** A PDB refused the eviction `times` times in a row: no attempt before `until`. */
  readonly blocked?: { readonly until: Instant; readonly times: number };
  /** The API server failed to evict the pod `times` times in a row: no attempt before `until`. */
  readonly failed?: { readonly until: Instant; readonly times: number };
  /** Loops that delay the pod at some of its limiters. */
  readonly loops?: readonly Loop[];
  /** When an evictor first started the eviction; part of the keys of the record's index rows. */
  readonly openedAt?: Instant;
  /** Why the eviction mode is unknown; the pod is kept. */
  readonly problem?: string;
  /** Cancelled, but no Event is written yet, because the pod may be listed again in a moment. */
  readonly untold?: true;
  /** The pod's order among the due pods of a limiter: smaller is evicted first. */
  readonly order: string;
}

/** The rate of a limiter. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** From KEP-5055, rate-limited revision (evictionsPerSecond): 10 pods per second, burst 10. */
export const defaultRate: Rate = { perSecond: 10, burst: 10 };

/**
 * A token bucket (generic cell rate algorithm): `tat` is when the bucket is full again, `period` the time between tokens, and `at` when
 * both were written. Whole microseconds, so that rates such as 3 per second do not drift.
 */
export interface Bucket {
  readonly tat: number;
  readonly period: number;
  readonly at: number;
}

/** `status`: HTTP status of the API server's answer; absent if there was none. */
interface Answered {
  readonly status?: number;
}

/** The result of one eviction; the record's outcome. */
export type EvictionOutcome = Answered &
  (
    | { readonly kind: 'Evicted' }
    /** The pod was gone, terminating or replaced before Sluice's DELETE. */
    | { readonly kind: 'Gone'; readonly why: 'NotFound' | 'Replaced' | 'Terminating' }
    /** The API server refused temporarily; retry after `after`. */
    | { readonly kind: 'RetryLater'; readonly after: Milliseconds; readonly why: string }
    /** The API server will refuse until a person changes something (403); the pod is parked with an alarm and retried by the sweep. */
    | { readonly kind: 'Refused'; readonly why: string }
  );

/** HTTP status codes of the API server's answers; absent if the call was not made or not answered. */
export interface ApiAnswers {
  readonly patch?: number;
  readonly delete?: number;
  readonly eviction?: number;
}

/**
 * `Evicted`: by Sluice's DELETE. `Gone`: before it. `OutcomeUnknown`: a crash hid which DELETE succeeded. These three are final.
 * `Abandoned`: the pod was kept this time; the record is reopened at its next attempt.
 */
export type RecordOutcome = 'Evicted' | 'Gone' | 'OutcomeUnknown' | 'Abandoned';
