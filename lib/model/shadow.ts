// What Sluice would have done with a pod whose taints it only watches, and how that compares with what happened.
import type { PodRef, Uid } from './identity.ts';
import type { Instant } from './time.ts';
import type { Reason } from './verdict.ts';

export type Difference =
  /** It was to go, and is still there a while after. */
  | 'NotDeleted'
  /** It was to go, and a client other than Sluice and the in-tree controller deleted it. */
  | 'DeletedByOther'
  /** The in-tree controller deleted it well before Sluice would have. */
  | 'DeletedEarly'
  /** The in-tree controller deleted it, and Sluice would have kept it. */
  | 'NotExpected';

/** Kept in the pod's own row, like the ledger. */
export interface ShadowDecision {
  readonly podUid: Uid;
  /** When Sluice would have evicted it; absent where it would not. */
  readonly at?: Instant;
  /** The first reasons. */
  readonly because: readonly Reason[];
  /** When it was first seen to be terminating or gone. */
  readonly endedAt?: Instant;
  /** When it has to be looked at again, should nothing happen before. */
  readonly check?: Instant;
  /** What the comparison came to; it is not made again. */
  readonly found?: Difference | 'Agreed';
}

/** One row of the list of differences. */
export interface ShadowDifference {
  readonly kind: Difference;
  readonly pod: PodRef;
  readonly node?: string;
  /** When the comparison was made. */
  readonly foundAt: Instant;
  /** When Sluice would have evicted it. */
  readonly at?: Instant;
  readonly because: readonly Reason[];
}
