// Messages of the watcher about a cluster. They are hints, never commands.
import type { Incarnation, ResourceVersion, Uid } from './identity.ts';
import type { InTreeSeen } from './ownership.ts';
import type { ObjectKind, ObjectProjection } from './projection.ts';
import type { EvictionStop } from './stop.ts';
import type { Instant } from './time.ts';

/** An object from a list or watch. */
export interface Upserted {
  readonly type: 'Upserted';
  readonly object: ObjectProjection;
  /** The object is too large to store: `object` has its identity, not its content. */
  readonly refused?: true;
}

/** Many objects of one kind from a first list, so that a large cluster needs few messages. */
export interface Listed {
  readonly type: 'Listed';
  readonly objects: readonly ObjectProjection[];
}

/** The last state of a deleted object; its resourceVersion is that of the deletion. */
export interface Deleted {
  readonly type: 'Deleted';
  readonly object: ObjectProjection;
}

/** A list at this version did not contain the object. Sent as the answer to a request, and for objects that a relist lacks. */
export interface Absent {
  readonly type: 'Absent';
  readonly kind: ObjectKind;
  /** The key used in manifests. */
  readonly key: string;
  readonly resourceVersion: ResourceVersion;
}

/** At this version the ranges `from` to `to` of a kind held exactly these objects (lib/mirror/ranges.ts). */
export interface Manifest {
  readonly type: 'Manifest';
  readonly kind: ObjectKind;
  readonly from: number;
  readonly to: number;
  readonly resourceVersion: ResourceVersion;
  readonly entries: readonly ManifestEntry[];
}

/** `resourceVersion` is that of the content last sent; an update that changes nothing Sluice stores does not raise it. */
export interface ManifestEntry {
  readonly key: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
}

/** Sent every few seconds while all watches are established. */
export interface Heartbeat {
  readonly type: 'Heartbeat';
  /** By the API server's clock. */
  readonly at: Instant;
  /** Difference between the API server's clock and the watcher's, ms; from its Date header. */
  readonly clockOffset: number;
  /** Kinds that the API server serves and the watcher watches, with their API version. */
  readonly watched: Readonly<Partial<Record<ObjectKind | 'PodGroup', string>>>;
  /** Kinds that the API server does not serve; absent if it serves all. */
  readonly notServed?: readonly ObjectKind[];
  /**
   * Kinds for which the API server returned lower versions than the watcher has seen, because etcd was restored; absent if there are none.
   */
  readonly wentBack?: readonly ObjectKind[];
  /** The newest trace of the in-tree controller; absent if none was seen. */
  readonly inTree?: InTreeSeen;
  /** At most 20 EvictionStops of the cluster, for readers of the table; absent while the watcher cannot read them. */
  readonly stops?: readonly EvictionStop[];
}

/** A person switched a mode of the cluster; ingest applies it at once instead of at the next heartbeat. */
export interface Switched {
  readonly type: 'Switched';
}

/** From the sweep: rows of the mirror that are due. A hint like all others: each row contains what to do. */
export interface Due {
  readonly type: 'Due';
  readonly rows: readonly { readonly pk: string; readonly sk: string }[];
}

/** A message to ingest, with the incarnation that it belongs to. */
export type ChangeMessage = Change & { readonly incarnation: Incarnation };

export type Change = Upserted | Listed | Deleted | Absent | Manifest | Heartbeat | Switched | Due;

/** The state of one object or one range, split from the other objects of its message. */
export type SingleChange = Exclude<Change, Listed>;

export function singleChanges(change: Change): readonly SingleChange[] {
  if (change.type !== 'Listed') return [change];
  return change.objects.map((object) => ({ type: 'Upserted', object }));
}
