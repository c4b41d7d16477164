// Where one cluster's state lives, and what every stored object's row carries.

import type { Memory } from '../memory.ts';
import { type Known, type MirrorState, type Seen, versionText } from '../mirror/order.ts';
import type { ClusterId, Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import type { Row, Table } from '../table.ts';

export type { Seen } from '../mirror/order.ts';

export interface State {
  readonly table: Table;
  readonly cluster: ClusterId;
  /** Of the process that reads and writes; without it each call reads the table again. */
  readonly memory?: Memory;
}

/** A stored object, as it is or as it was at last. `ver` grows with every write of the row. */
export interface ObjectRow<T> extends Known {
  readonly key: string;
  readonly object: T;
  readonly uid: Uid;
  readonly at: string;
  readonly mirror: MirrorState;
  /** The cluster does not have it any more. */
  readonly gone: boolean;
  readonly ver: number;
  /** When this version was taken in; absent where it was not noted. */
  readonly storedAt?: Instant;
  /** It was too large to be kept: `object` says where it is, and not what it says. */
  readonly refused?: true;
}

/** What is stored about an object: what a message showed of it, and its end where `gone` says when that was noticed. */
export interface Storing {
  readonly seen: Seen;
  readonly now: Instant;
  readonly gone?: Instant;
  /** It is too large to be kept. */
  readonly refused?: true;
  /**
   * `ver` of the row that is not so: the API server was asked after it was read, so this is stored in its place whatever version it
   * claims, unless it has moved since.
   */
  readonly over?: number;
}

/** Tombstones outlive any queue and dead-letter queue (14 days), so that a late message costs no request. */
export const tombstoneSeconds = 15 * 24 * 3600;

/** What a row says about its object; `undefined` for a row that is an index or a counter so far. */
export function readKnown(row: Row | undefined): Known | undefined {
  if (!row || row.at === undefined || row.mirror === undefined) return undefined;
  return { uid: row.uid as string, at: row.at as string, mirror: row.mirror as MirrorState };
}

/** Reads the common attributes; `undefined` for a row without an object. */
export function readObjectRow<T>(row: Row | undefined, key: string): ObjectRow<T> | undefined {
  const known = readKnown(row);
  if (!row || !known || row.object === undefined) return undefined;
  const object = row.object as T & { readonly uid?: Uid };
  // Of an object that was made again and has not arrived the last one's identity goes with its content.
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

/** Whether a row holds what the cluster has, as far as messages and manifests have said. */
export function isLive({ mirror }: Pick<Known, 'mirror'>): boolean {
  return mirror === 'Live';
}

/** A row that also says which verdicts its last writes may have changed and no step has evaluated yet. */
export interface DirtyRow<T, D> extends ObjectRow<T> {
  readonly dirty?: D;
}

/** `Stale`: the table has a newer version. Every other result needs an evaluation, a repeated one too. */
export type Stored<T> = { readonly kind: 'Stored'; readonly row: T } | { readonly kind: 'Stale' };

export function readDirtyRow<T, D>(row: Row | undefined, key: string): DirtyRow<T, D> | undefined {
  const common = readObjectRow<T>(row, key);
  return common && row?.dirty !== undefined ? { ...common, dirty: row.dirty as D } : common;
}

/** What a tombstone has beside the last state of its object. */
export function tombstoneAttributes(seen: Seen, now: Instant): Record<string, unknown> {
  const ttl = Math.floor(now / 1000) + tombstoneSeconds;
  return { mirror: 'Gone', uid: seen.uid, at: versionText(seen.resourceVersion), ttl };
}
