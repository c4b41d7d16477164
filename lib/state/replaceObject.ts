// Replaces a stored object with that of a newer message, and records which evaluations the change owes.
import { type Heard, hearGone, hearShown, type Known, versionText } from '../mirror/order.ts';
import type { ObjectKind } from '../model/projection.ts';
import { absent, compare, type Key, type Row, type Write } from '../table.ts';
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

/** `gone`: when the deletion was noticed; the row becomes a tombstone that keeps the last state. */
export interface Replacement<T, D> extends Storing {
  readonly rowKey: Key;
  readonly key: string;
  readonly object: T;
  /** The object to store, given the current row; by default the object itself. */
  readonly objectAfter?: (stored: DirtyRow<T, D> | undefined) => T;
  readonly dirty: (stored: DirtyRow<T, D> | undefined, known: Known | undefined, row: Row | undefined) => D;
  /** Runs before the row is written, in each attempt. */
  readonly first?: (stored: DirtyRow<T, D> | undefined) => Promise<unknown>;
  /** Most objects of the kind are new: read the watermark in parallel with the row. */
  readonly isOftenNew?: true;
  /** Started once the row is written, in parallel with the second check of the watermark; not awaited. */
  readonly beside?: (row: DirtyRow<T, D>) => void;
  /** Writes that must happen in the same transaction. */
  readonly with?: (stored: DirtyRow<T, D> | undefined, dirty: D) => readonly Write[];
}

type Replaced<T, D> = Extract<Stored<DirtyRow<T, D>>, { kind: 'Stored' }> & {
  readonly before?: DirtyRow<T, D>;
  /** The row after the write. */
  readonly raw: Row;
};

const attempts = 8;

/** After this time, the handler that stored the row has evaluated the affected pods, or was interrupted. */
export const leftDirtyAfter = 60_000;

/** Throws after eight lost races, so that SQS redelivers the message. */
export async function replaceObject<T extends { readonly kind: ObjectKind }, D>(
  state: State,
  by: Replacement<T, D>,
): Promise<Replaced<T, D> | { readonly kind: 'Stale' }> {
  for (let i = 0; i < attempts; i++) {
    const [row, mark] = await Promise.all([
      state.table.get(by.rowKey),
      by.isOftenNew && by.gone === undefined ? readMark(state, by) : undefined,
    ]);
    const heard = await hear(state, by, { row, mark });
    if (heard === 'Stale') return { kind: 'Stale' };
    const stored = await attempt(state, by, row);
    if (!stored) continue;
    by.beside?.(stored.row);
    return heard === 'Inserts' && (await isGhost(state, by)) ? { kind: 'Stale' } : stored;
  }
  throw new Error(`${by.key}: the row changed under ${attempts} attempts; the message is retried`);
}

/** An insert at or below the watermark of its range is stale: a manifest listed the object, which is expected then, or it is gone. */
async function hear(
  state: State,
  by: Stating,
  { row, mark }: { readonly row: Row | undefined; readonly mark: Mark | undefined },
): Promise<Heard> {
  if (by.over !== undefined) return row?.ver === by.over ? 'Newer' : 'Stale';
  const known = readKnown(row);
  if (by.gone !== undefined) return hearGone(known, by.seen);
  const heard = hearShown(known, by.seen);
  return heard === 'Inserts' && isPassed(by, mark ?? (await readMark(state, by))) ? 'Stale' : heard;
}

type Stating = Storing & { readonly key: string; readonly object: { readonly kind: ObjectKind } };

interface Mark {
  /** Absent where no manifest covered the range yet. */
  readonly at: string | undefined;
}

async function readMark(state: State, { key, object }: Stating): Promise<Mark> {
  return { at: await readWatermark(state, object.kind, key) };
}

function isPassed({ seen }: Stating, { at }: Mark): boolean {
  return at !== undefined && versionText(seen.resourceVersion) <= at;
}

/** A manifest applied between the first watermark check and the write did not see the row: the object may be gone already. */
async function isGhost(state: State, by: Stating): Promise<boolean> {
  if (!isPassed(by, await readMark(state, by))) return false;
  const { seen, key, now, object } = by;
  const known = { uid: seen.uid, at: versionText(seen.resourceVersion), mirror: 'Live' } as const;
  await expectObject(state, { kind: object.kind, key }, { known, entry: seen, now });
  return true;
}

/** `undefined` where the row has changed since it was read. */
async function attempt<T extends { readonly kind: ObjectKind }, D>(
  state: State,
  by: Replacement<T, D>,
  row: Row | undefined,
): Promise<Replaced<T, D> | undefined> {
  const before = readDirtyRow<T, D>(row, by.key);
  await by.first?.(before);
  await noteRefused(state, by, before);
  const dirty = by.dirty(before, readKnown(row), row);
  const object = by.objectAfter?.(before) ?? by.object;
  const update = replacementWrite(state, { ...by, object }, { row, dirty });
  const others = by.with?.(before, dirty) ?? [];
  const result = await state.table.transact([update, ...others]);
  if (result.kind === 'Lost') return undefined;
  return storedAs({ ...by, object }, { before, dirty, raw: rowAfter(row, update) });
}

function storedAs<T, D>(
  by: Replacement<T, D>,
  after: { before: DirtyRow<T, D> | undefined; dirty: D; raw: Row },
): Replaced<T, D> {
  const { key, object, seen } = by;
  const gone = by.gone !== undefined;
  const known = { uid: seen.uid, at: versionText(seen.resourceVersion), mirror: gone ? 'Gone' : 'Live' } as const;
  const row = { ...known, key, object, gone, ver: Number(after.raw.ver), dirty: after.dirty };
  return { kind: 'Stored', row, raw: after.raw, ...(after.before ? { before: after.before } : {}) };
}

/** Computes the written row, since a DynamoDB transaction does not return it. */
function rowAfter(row: Row | undefined, write: Exclude<Write, { kind: 'Delete' }>): Row {
  if (write.kind === 'Put') return JSON.parse(JSON.stringify(write.row));
  const { key, change } = write;
  const kept = Object.entries(row ?? {}).filter(([name]) => !change.remove?.includes(name));
  const ver = Number(row?.ver ?? 0) + 1;
  // As the table returns it: undefined attributes are not stored.
  return JSON.parse(JSON.stringify({ ...Object.fromEntries(kept), ...change.set, ...key, ver }));
}

function replacementWrite<T extends { readonly kind: ObjectKind }, D>(
  state: State,
  by: Replacement<T, D>,
  from: { readonly row: Row | undefined; readonly dirty: D },
): Exclude<Write, { kind: 'Delete' }> {
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
  // A new row has no attributes to keep and no version to increase.
  if (!from.row) return { kind: 'Put', row: { ...set, ...rowKey, ver: 1 }, when: absent('pk') };
  const remove = [
    'expectedSince',
    'asked',
    ...(by.refused ? [] : ['refused']),
    ...(isOwing ? [] : noDue),
    ...(by.gone === undefined ? ['ttl'] : []),
  ];
  const ver = from.row.ver as number | undefined;
  const when = ver === undefined ? absent('ver') : compare('ver', '=', ver);
  return { kind: 'Update', key: rowKey, change: { set, add: { ver: 1 }, remove }, when };
}

/** Whether pods must be evaluated because of it. */
export function owes(dirty: unknown): boolean {
  return Array.isArray(dirty) ? dirty.length > 0 : dirty !== undefined && dirty !== false && dirty !== '';
}
