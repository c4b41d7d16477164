// What the watcher says about a cluster: hints to look at, never orders.
import type { ResourceVersion, Uid } from './identity.ts';
import type { InTreeSeen } from './ownership.ts';
import type { ObjectKind, ObjectProjection } from './projection.ts';
import type { Instant } from './time.ts';

/** An object as a list or watch showed it. */
export interface Upserted {
  readonly type: 'Upserted';
  readonly object: ObjectProjection;
  /** Generation of the list after which the watcher saw it, see `Relisted`; absent counts as 0, the oldest. */
  readonly generation?: Instant;
}

/** The last state of an object that is gone; its resourceVersion is that of the deletion. */
export interface Deleted {
  readonly type: 'Deleted';
  readonly object: ObjectProjection;
  readonly generation?: Instant;
}

/**
 * The end of a list: every key of one kind between two keys, as of the list's resourceVersion.
 * Rows of absent keys that are not newer than the list are tombstoned (protocol: manifests with a watermark).
 */
export interface Relisted {
  readonly type: 'Relisted';
  readonly kind: ObjectKind;
  /** Grows with each list of this kind by any watcher of the cluster; epoch ms of its start. */
  readonly generation: Instant;
  readonly resourceVersion: ResourceVersion;
  /** Keys k with from <= k < to; an absent bound is open. Sorted by UTF-16 code unit. */
  readonly from?: string;
  readonly to?: string;
  readonly keys: readonly { readonly key: string; readonly uid: Uid }[];
}

/** Sent every few seconds while all watches are established. */
export interface Heartbeat {
  readonly type: 'Heartbeat';
  readonly at: Instant;
  /** Difference between the API server's clock and the watcher's, ms; from its Date header. */
  readonly clockOffset: number;
  /** Kinds that the API server serves and the watcher watches, with the API version used. */
  readonly watched: Readonly<Partial<Record<ObjectKind | 'PodGroup', string>>>;
  /** The last trace of the in-tree controller; absent where none was seen. */
  readonly inTree?: InTreeSeen;
}

/** A person has switched a mode of the cluster: it is to be looked at now rather than with the next heartbeat. */
export interface Switched {
  readonly type: 'Switched';
}

export type Change = Upserted | Deleted | Relisted | Heartbeat | Switched;
