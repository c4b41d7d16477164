// What the watcher says about a cluster: hints to look at, never orders.
import type { Incarnation, ResourceVersion, Uid } from './identity.ts';
import type { InTreeSeen } from './ownership.ts';
import type { ObjectKind, ObjectProjection } from './projection.ts';
import type { Instant } from './time.ts';

/** An object as a list or watch showed it. */
export interface Upserted {
  readonly type: 'Upserted';
  readonly object: ObjectProjection;
  /** It is too large to be kept: `object` says where it is, and not what it says. */
  readonly refused?: true;
}

/** Many objects of one kind as a first list showed them, so that a large cluster is few messages. */
export interface Listed {
  readonly type: 'Listed';
  readonly objects: readonly ObjectProjection[];
}

/** The last state of an object that is gone; its resourceVersion is that of the deletion. */
export interface Deleted {
  readonly type: 'Deleted';
  readonly object: ObjectProjection;
}

/** A list of this version did not show the object: an answer to a request, or what a list after a lost watch lacked. */
export interface Absent {
  readonly type: 'Absent';
  readonly kind: ObjectKind;
  /** As in manifests. */
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

/** The version is that of the content that was sent: what changes nothing that Sluice keeps moves it on no further. */
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
  /** Kinds that the API server serves and the watcher watches, with the API version used. */
  readonly watched: Readonly<Partial<Record<ObjectKind | 'PodGroup', string>>>;
  /** Kinds that the API server says it does not serve; absent where it serves all. */
  readonly notServed?: readonly ObjectKind[];
  /** Kinds of which the API server has shown lower versions than the watcher has seen: etcd was restored. Absent where there are none. */
  readonly wentBack?: readonly ObjectKind[];
  /** The last trace of the in-tree controller; absent where none was seen. */
  readonly inTree?: InTreeSeen;
}

/** A person has switched a mode of the cluster: look at it now rather than with the next heartbeat. */
export interface Switched {
  readonly type: 'Switched';
}

/** From the sweep: rows of the mirror that are due. A hint like all others: each row says what to do. */
export interface Due {
  readonly type: 'Due';
  readonly rows: readonly { readonly pk: string; readonly sk: string }[];
}

/** On its way to ingest, with the incarnation that it is about. */
export type ChangeMessage = Change & { readonly incarnation: Incarnation };

export type Change = Upserted | Listed | Deleted | Absent | Manifest | Heartbeat | Switched | Due;

/** What one object or one range is said to be, apart from the others of its message. */
export type SingleChange = Exclude<Change, Listed>;

export function singleChanges(change: Change): readonly SingleChange[] {
  if (change.type !== 'Listed') return [change];
  return change.objects.map((object) => ({ type: 'Upserted', object }));
}
