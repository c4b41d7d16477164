// Replaces a stored object by what a message shows, if that is newer, and records what the change makes dirty.
import { type Heard, hearGone, hearShown, type Known, versionText } from '../mirror/order.ts';
import type { ObjectKind } from '../model/projection.ts';
import { absent, compare, type Key, type Row, type Write, type WriteResult } from '../table.ts';
import { dueAttributes, noDue } from './dueIndex.ts';
import { expectObject } from './expectedRows.ts';
import { headAttributes } from './mirrorKeys.ts';
import { noteRefused } from './refusedRows.ts';
import {
  type DirtyRow,
  readDirtyRow,
  readKnown,
  type State,
  type Stored,
  type Storing,
  tombstoneAttributes,
} from './state.ts';
import { readWatermark } from './watermarks.ts';

/** `gone`: the object was deleted, and when that was noticed; the row becomes a tombstone that keeps the last state. */
export interface Replacement<T, D> extends Storing {
  readonly rowKey: Key;
  readonly key: string;
  readonly object: T;
  /** What is stored of the object beside what is stored already; the object itself by default. */
  readonly objectAfter?: (stored: DirtyRow<T, D> | undefined) => T;
  readonly dirty: (stored: DirtyRow<T, D> | undefined, known: Known | undefined, row: Row | undefined) => D;
  /** What has to be written or known before the row is written; called in each attempt. */
  readonly first?: (stored: DirtyRow<T, D> | undefined) => Promise<unknown>;
  /** Writes that must happen in the same transaction. */
  readonly with?: (stored: DirtyRow<T, D> | undefined, dirty: D) => readonly Write[];
}

type Replaced<T, D> = Stored<DirtyRow<T, D>> & {
  readonly before?: DirtyRow<T, D>;
  /** The row after it, where it was written alone. */
  readonly raw?: Row;
};

const attempts = 8;

/** By then the handler that stored it has evaluated what it makes dirty, or has ended half way. */
export const leftDirtyAfter = 60_000;

/** Throws after eight lost races, so that the message comes back. */
export async function replaceObject<T extends { readonly kind: ObjectKind }, D>(
  state: State,
  by: Replacement<T, D>,
): Promise<Replaced<T, D>> {
  for (let i = 0; i < attempts; i++) {
    const row = await state.table.get(by.rowKey);
    const heard = await hear(state, by, row);
    if (heard === 'Stale') return { kind: 'Stale' };
    const stored = await attempt(state, by, row);
    if (!stored) continue;
    return heard === 'Inserts' && (await isGhost(state, by)) ? { kind: 'Stale' } : stored;
  }
  throw new Error(`${by.key}: the row changed under ${attempts} attempts; the message is retried`);
}

/** What is inserted at or below the watermark of its range is stale: a manifest showed it, and it is expected, or it is gone. */
async function hear(state: State, by: Stating, row: Row | undefined): Promise<Heard> {
  if (by.over !== undefined) return row?.ver === by.over ? 'Newer' : 'Stale';
  const known = readKnown(row);
  if (by.gone !== undefined) return hearGone(known, by.seen);
  const heard = hearShown(known, by.seen);
  return heard === 'Inserts' && (await isPassed(state, by)) ? 'Stale' : heard;
}

type Stating = Storing & { readonly key: string; readonly object: { readonly kind: ObjectKind } };

async function isPassed(state: State, { key, seen, object }: Stating): Promise<boolean> {
  const mark = await readWatermark(state, object.kind, key);
  return mark !== undefined && versionText(seen.resourceVersion) <= mark;
}

/** A manifest that came between the first look at the watermark and the write has not seen the row: it may be gone already. */
async function isGhost(state: State, by: Stating): Promise<boolean> {
  if (!(await isPassed(state, by))) return false;
  const { seen, key, now, object } = by;
  const known = { uid: seen.uid, at: versionText(seen.resourceVersion), mirror: 'Live' } as const;
  await expectObject(state, { kind: object.kind, key }, { known, entry: seen, now });
  return true;
}

/** `undefined` where the row has moved since it was read. */
async function attempt<T extends { readonly kind: ObjectKind }, D>(
  state: State,
  by: Replacement<T, D>,
  row: Row | undefined,
): Promise<Replaced<T, D> | undefined> {
  const before = readDirtyRow<T, D>(row, by.key);
  await by.first?.(before);
  await noteRefused(state, by, before?.refused);
  const dirty = by.dirty(before, readKnown(row), row);
  const object = by.objectAfter?.(before) ?? by.object;
  const update = replacementWrite(state, { ...by, object }, { row, dirty });
  const others = by.with?.(before, dirty) ?? [];
  const result: WriteResult =
    others.length === 0 ? await state.table.write(update) : await state.table.transact([update, ...others]);
  const ver = ((row?.ver as number | undefined) ?? 0) + 1;
  return result.kind === 'Lost' ? undefined : storedAs({ ...by, object }, { before, dirty, ver, raw: result.row });
}

function storedAs<T, D>(
  by: Replacement<T, D>,
  after: { before: DirtyRow<T, D> | undefined; dirty: D; ver: number; raw: Row | undefined },
): Replaced<T, D> {
  const { key, object, seen } = by;
  const gone = by.gone !== undefined;
  const known = { uid: seen.uid, at: versionText(seen.resourceVersion), mirror: gone ? 'Gone' : 'Live' } as const;
  const row = { ...known, key, object, gone, ver: after.ver, dirty: after.dirty };
  return {
    kind: 'Stored',
    row,
    ...(after.before ? { before: after.before } : {}),
    ...(after.raw ? { raw: after.raw } : {}),
  };
}

function replacementWrite<T extends { readonly kind: ObjectKind }, D>(
  state: State,
  by: Replacement<T, D>,
  from: { readonly row: Row | undefined; readonly dirty: D },
): Write {
  const { object, seen, rowKey } = by;
  const known =
    by.gone === undefined
      ? { mirror: 'Live', uid: seen.uid, at: versionText(seen.resourceVersion) }
      : tombstoneAttributes(seen, by.gone);
  const isOwing = owes(from.dirty);
  const due = isOwing ? dueAttributes(state, rowKey, by.now + leftDirtyAfter) : {};
  const set = {
    ...known,
    ...headAttributes(state.cluster, object.kind, by.key),
    object,
    dirty: from.dirty,
    storedAt: by.now,
    ...(by.refused ? { refused: true } : {}),
    ...due,
  };
  const remove = [
    'expectedSince',
    'asked',
    ...(by.refused ? [] : ['refused']),
    ...(isOwing ? [] : noDue),
    ...(by.gone === undefined ? ['ttl'] : []),
  ];
  const ver = from.row?.ver as number | undefined;
  const when = ver === undefined ? absent('ver') : compare('ver', '=', ver);
  return { kind: 'Update', key: rowKey, change: { set, add: { ver: 1 }, remove }, when };
}

/** Whether pods have to be evaluated for it. */
export function owes(dirty: unknown): boolean {
  return Array.isArray(dirty) ? dirty.length > 0 : dirty !== undefined && dirty !== false && dirty !== '';
}
