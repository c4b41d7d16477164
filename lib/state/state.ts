// The state of one cluster, and the attributes common to all rows of objects.

import type { Memory } from '../memory.ts';
import { type Known, type MirrorState, type Seen, versionText } from '../mirror/order.ts';
import type { ClusterId, Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import type { Row, Table } from '../table.ts';

export type { Seen } from '../mirror/order.ts';

export interface State {
  readonly table: Table;
  readonly cluster: ClusterId;
  /** Caches of this process; without them, each call reads the table. */
  readonly memory?: Memory;
}

/** A stored object in its current or last state. `ver` increases with every write of the row. */
export interface ObjectRow<T> extends Known {
  readonly key: string;
  readonly object: T;
  readonly uid: Uid;
  readonly at: string;
  readonly mirror: MirrorState;
  /** The object no longer exists in the cluster. */
  readonly gone: boolean;
  readonly ver: number;
  /** When this version was stored; absent where that was not recorded. */
  readonly storedAt?: Instant;
  /** The object was too large to store: `object` has only its identity. */
  readonly refused?: true;
}

/** How to store an object: the version seen, and `gone`, the time at which its deletion was noticed. */
export interface Storing {
  readonly seen: Seen;
  readonly now: Instant;
  readonly gone?: Instant;
  /** The object is too large to store. */
  readonly refused?: true;
  /**
   * `ver` of a row that is wrong: the API server was read after the row, so this object replaces it whatever version the row
   * claims, unless the row has changed since.
   */
  readonly over?: number;
}

/** Tombstones are kept longer than any queue or dead-letter queue keeps messages (14 days), so that a late message is dropped. */
export const tombstoneSeconds = 15 * 24 * 3600;

/** The ordering fields of a row; `undefined` for an index or counter row. */
export function readKnown(row: Row | undefined): Known | undefined {
  if (!row || row.at === undefined || row.mirror === undefined) return undefined;
  return { uid: row.uid as string, at: row.at as string, mirror: row.mirror as MirrorState };
}

/** Reads the common attributes; `undefined` for a row without an object. */
export function readObjectRow<T>(row: Row | undefined, key: string): ObjectRow<T> | undefined {
  const known = readKnown(row);
  if (!row || !known || row.object === undefined) return undefined;
  const object = row.object as T & { readonly uid?: Uid };
  // For a re-created object that has not arrived, content and UID are those of the previous object.
  const uid = object.uid ?? known.uid;
  return {
    ...known,
    uid,
    key,
    object,
    gone: known.mirror === 'Gone',
    ver: (row.ver as number | undefined) ?? 0,
    ...(typeof row.storedAt === 'number' ? { storedAt: row.storedAt } : {}),
    ...(row.refused === true ? { refused: true } : {}),
  };
}

/** Whether a row's object exists in the cluster, as far as messages and manifests show. */
export function isLive({ mirror }: Pick<Known, 'mirror'>): boolean {
  return mirror === 'Live';
}

/** A row that also records which evaluations its last writes owe. */
export interface DirtyRow<T, D> extends ObjectRow<T> {
  readonly dirty?: D;
}

/** `Stale`: the table has a newer version. Any other result needs an evaluation, also for a redelivery. */
export type Stored<T> = { readonly kind: 'Stored'; readonly row: T } | { readonly kind: 'Stale' };

export function readDirtyRow<T, D>(row: Row | undefined, key: string): DirtyRow<T, D> | undefined {
  const common = readObjectRow<T>(row, key);
  return common && row?.dirty !== undefined ? { ...common, dirty: row.dirty as D } : common;
}

/** The attributes of a tombstone besides the object's last state. */
export function tombstoneAttributes(seen: Seen, now: Instant): Record<string, unknown> {
  const ttl = Math.floor(now / 1000) + tombstoneSeconds;
  return { mirror: 'Gone', uid: seen.uid, at: versionText(seen.resourceVersion), ttl };
}
