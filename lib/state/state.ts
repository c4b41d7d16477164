// Where one cluster's state lives, and what every stored object's row carries.
import type { ClusterName, ResourceVersion, Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { absent, all, any, type Condition, compare, type Key, type Row, type Table, type Write } from '../table.ts';
import { versionText } from './keys.ts';

export interface State {
  readonly table: Table;
  readonly cluster: ClusterName;
}

/** Which version of an object a message shows, and after which of the watcher's lists. */
export interface Seen {
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  readonly generation: Instant;
  /** When it was taken in, by the clock of whoever takes it. */
  readonly at?: Instant;
  /**
   * `ver` of the row that is not so: the API server was asked after it was read, so this is stored in its place whatever version it
   * claims, unless it has moved since.
   */
  readonly over?: number;
}

/** A stored object or its tombstone. `ver` grows with every write of the row. */
export interface ObjectRow<T> {
  readonly key: string;
  readonly object: T;
  readonly uid: Uid;
  /** Padded, see `versionText`. */
  readonly rv: string;
  readonly gen: Instant;
  readonly gone: boolean;
  readonly ver: number;
  /** When this version was taken in; absent where nobody noted it. */
  readonly storedAt?: Instant;
}

/** Tombstones outlive any queue and dead-letter queue (14 days), so that a late message cannot bring an object back. */
export const tombstoneSeconds = 15 * 24 * 3600;

/**
 * A newer version, or the same one again (a redelivery after a crash must go on and evaluate). Of the same version the
 * message of the later list wins, so that a watermark can tell an old listing's row from a new one's.
 */
export function notNewerThan(seen: Seen): Condition {
  if (seen.over !== undefined) return compare('ver', '=', seen.over);
  const rv = versionText(seen.resourceVersion);
  return any(absent('rv'), compare('rv', '<', rv), all(compare('rv', '=', rv), compare('gen', '<=', seen.generation)));
}

export function objectAttributes(object: unknown, seen: Seen): Record<string, unknown> {
  const stored = seen.at === undefined ? {} : { storedAt: seen.at };
  return { object, uid: seen.uid, rv: versionText(seen.resourceVersion), gen: seen.generation, ...stored };
}

export function tombstoneAttributes(seen: Seen, now: Instant): Record<string, unknown> {
  const ttl = Math.floor(now / 1000) + tombstoneSeconds;
  return { gone: true, uid: seen.uid, rv: versionText(seen.resourceVersion), gen: seen.generation, ttl };
}

/** Reads the common attributes; a row without an object (only an index or a counter so far) is `undefined`. */
export function readObjectRow<T>(row: Row | undefined, key: string): ObjectRow<T> | undefined {
  if (!row || row.rv === undefined || row.object === undefined) return undefined;
  return {
    key,
    object: row.object as T,
    uid: row.uid as string,
    rv: row.rv as string,
    gen: (row.gen as number | undefined) ?? 0,
    gone: row.gone === true,
    ver: (row.ver as number | undefined) ?? 0,
    ...(typeof row.storedAt === 'number' ? { storedAt: row.storedAt } : {}),
  };
}

/** What a message says about a stored row. */
export function ageOf(
  row: { readonly rv: string; readonly gen: Instant; readonly ver: number } | undefined,
  seen: Seen,
): 'Newer' | 'Same' | 'Older' {
  if (seen.over !== undefined) return row?.ver === seen.over ? 'Newer' : 'Older';
  if (!row) return 'Newer';
  const rv = versionText(seen.resourceVersion);
  if (row.rv !== rv) return row.rv < rv ? 'Newer' : 'Older';
  return row.gen <= seen.generation ? 'Same' : 'Older';
}

/** A row that also says which verdicts its last writes may have moved and nobody has evaluated yet (protocol 3). */
export interface DirtyRow<T, D> extends ObjectRow<T> {
  readonly dirty?: D;
}

/** `Stale`: the table has a newer version. Any other result is to be evaluated, a repeated one too. */
export type Stored<T> = { readonly kind: 'Stored'; readonly row: T } | { readonly kind: 'Stale' };

/** `gone`: the object was deleted, and when that was noticed; the row becomes a tombstone that keeps the last state. */
export interface Replacement<T, D> {
  readonly rowKey: Key;
  readonly key: string;
  readonly object: T;
  readonly seen: Seen;
  readonly gone?: Instant;
  /** What is stored of the object beside what is stored already; the object itself by default. */
  readonly objectAfter?: (stored: DirtyRow<T, D> | undefined) => T;
  readonly dirty: (stored: DirtyRow<T, D> | undefined) => D;
  /** Writes that must happen in the same transaction. */
  readonly with?: (stored: DirtyRow<T, D> | undefined, dirty: D) => readonly Write[];
}

const replaceAttempts = 8;

/**
 * Replaces a stored object by a version that is not older, reading before each attempt, and records what it makes dirty.
 * Throws after eight lost races, so that the message comes back.
 */
export async function replaceObject<T, D>(
  state: State,
  by: Replacement<T, D>,
): Promise<Stored<DirtyRow<T, D>> & { readonly before?: DirtyRow<T, D> }> {
  for (let attempt = 0; attempt < replaceAttempts; attempt++) {
    const before = readDirtyRow<T, D>(await state.table.get(by.rowKey), by.key);
    if (ageOf(before, by.seen) === 'Older') return { kind: 'Stale' };
    const dirty = by.dirty(before);
    const object = by.objectAfter?.(before) ?? by.object;
    const update = replacementWrite({ ...by, object }, { before, dirty });
    const others = by.with?.(before, dirty) ?? [];
    const result =
      others.length === 0 ? await state.table.write(update) : await state.table.transact([update, ...others]);
    if (result.kind === 'Lost') continue;
    const { key, seen } = by;
    const common = { object, key, uid: seen.uid, rv: versionText(seen.resourceVersion), gen: seen.generation };
    const row = { ...common, gone: by.gone !== undefined, ver: (before?.ver ?? 0) + 1, dirty };
    return before ? { kind: 'Stored', row, before } : { kind: 'Stored', row };
  }
  throw new Error(`${by.key}: the row changed under ${replaceAttempts} attempts; the message is retried`);
}

function replacementWrite<T, D>(by: Replacement<T, D>, from: { before: DirtyRow<T, D> | undefined; dirty: D }): Write {
  const attributes =
    by.gone === undefined
      ? objectAttributes(by.object, by.seen)
      : { object: by.object, ...tombstoneAttributes(by.seen, by.gone) };
  return {
    kind: 'Update',
    key: by.rowKey,
    change: {
      set: { ...attributes, dirty: from.dirty },
      add: { ver: 1 },
      remove: by.gone === undefined ? ['gone', 'ttl'] : [],
    },
    when: from.before ? compare('ver', '=', from.before.ver) : absent('ver'),
  };
}

export function readDirtyRow<T, D>(row: Row | undefined, key: string): DirtyRow<T, D> | undefined {
  const common = readObjectRow<T>(row, key);
  return common && row?.dirty !== undefined ? { ...common, dirty: row.dirty as D } : common;
}

/** Says that everything dirty is evaluated or handed to a queue, unless the row was written again meanwhile. */
export async function clearDirty(state: State, rowKey: Key, row: ObjectRow<unknown>): Promise<void> {
  const change = { remove: ['dirty'], add: { ver: 1 } };
  await state.table.write({ kind: 'Update', key: rowKey, change, when: compare('ver', '=', row.ver) });
}
