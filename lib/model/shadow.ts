// Sluice's decision on a pod in mode `shadow`, and how it compares with what happened.
import type { PodRef, Uid } from './identity.ts';
import type { Instant } from './time.ts';
import type { Reason } from './verdict.ts';

export type Difference =
  /** Sluice would have evicted the pod, and it still exists after the slack time. */
  | 'NotDeleted'
  /** Sluice would have evicted the pod, and a client other than Sluice and the in-tree controller deleted it. */
  | 'DeletedByOther'
  /** The in-tree controller deleted it well before Sluice would have. */
  | 'DeletedEarly'
  /** The in-tree controller deleted it, and Sluice would have kept it. */
  | 'NotExpected';

/** Stored in the pod's row, like the ledger. */
export interface ShadowDecision {
  readonly podUid: Uid;
  /** When Sluice would have evicted the pod; absent if it would have kept it. */
  readonly at?: Instant;
  /** The first reasons. */
  readonly because: readonly Reason[];
  /** When the pod was first seen terminating or gone. */
  readonly endedAt?: Instant;
  /** When to compare again if nothing happens before. */
  readonly check?: Instant;
  /** Result of the comparison, which is made once. */
  readonly found?: Difference | 'Agreed';
}

/** One row of the list of differences. */
export interface ShadowDifference {
  readonly kind: Difference;
  readonly pod: PodRef;
  readonly node?: string;
  /** When the comparison was made. */
  readonly foundAt: Instant;
  /** When Sluice would have evicted the pod. */
  readonly at?: Instant;
  readonly because: readonly Reason[];
}
