// The pending pods of a limiter, in eviction order over all partitions of its list.
import type { LimiterId } from '../model/eviction.ts';
import { compareText } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { groupPartition } from './keys.ts';
import { type Listed, listed } from './listedRows.ts';
import { pendingPrefix, waitingPrefix, waitingUpTo } from './listingRows.ts';
import { otherListShards } from './listKeys.ts';
import { queryList, queryOthers } from './listPages.ts';
import type { State } from './state.ts';

/** Where the next page begins: the position in each partition, and rows that were read ahead. */
export interface PendingPlace {
  readonly parts: readonly Part[];
}

interface Part {
  readonly shard: number;
  /** Rows in order that are not returned yet. */
  readonly ahead: readonly Listed[];
  readonly after?: string;
  readonly isEnd: boolean;
}

export interface PendingPage {
  readonly rows: readonly Listed[];
  readonly next?: PendingPlace;
  /** The list has more than one partition. */
  readonly isSpread: boolean;
}

/**
 * Pending pods in eviction order, without those being deleted; a page with a next page is full. `isGlance`: reads only the first
 * partition, and returns no rows for a list that has others.
 */
export async function readPending(
  state: State,
  limiter: LimiterId,
  by: { readonly limit: number; readonly after?: PendingPlace | undefined; readonly isGlance?: boolean },
): Promise<PendingPage> {
  const { limit, after, isGlance = false } = by;
  const rows: Listed[] = [];
  let parts = after?.parts ?? (await openParts(state, limiter, limit));
  const isSpread = parts.length > 1;
  if (isGlance && isSpread) return { rows, isSpread };
  for (;;) {
    parts = await Promise.all(parts.map((part) => fill(state, limiter, { part, limit })));
    const merged = merge(parts, limit - rows.length);
    rows.push(...merged.rows);
    parts = merged.parts;
    const isOver = parts.every(({ isEnd, ahead }) => isEnd && ahead.length === 0);
    if (isOver) return { rows, isSpread };
    if (rows.length === limit) return { rows, next: { parts }, isSpread };
  }
}

async function openParts(state: State, limiter: LimiterId, limit: number): Promise<readonly Part[]> {
  const part = { shard: 0, ahead: [], isEnd: false };
  const first = await more(state, limiter, { part, limit });
  if (!first.isSpread) return [first.part];
  return [first.part, ...otherListShards.map((shard) => ({ ...part, shard }))];
}

/** Reads a partition until it has a row that is not being deleted, or ends. */
async function fill(
  state: State,
  limiter: LimiterId,
  { part, limit }: { readonly part: Part; readonly limit: number },
): Promise<Part> {
  let filled = part;
  while (filled.ahead.length === 0 && !filled.isEnd)
    filled = (await more(state, limiter, { part: filled, limit })).part;
  return filled;
}

async function more(
  state: State,
  limiter: LimiterId,
  { part, limit }: { readonly part: Part; readonly limit: number },
): Promise<{ readonly part: Part; readonly isSpread: boolean }> {
  const { shard, ahead, after } = part;
  const range = { shard, prefix: pendingPrefix, limit, ...(after === undefined ? {} : { after }) };
  const { rows, next, isSpread } = await queryList(state, limiter, range);
  const found = rows.map((row) => listed(row, shard)).filter(({ deleting }) => !deleting);
  const end = next === undefined ? { isEnd: true } : { isEnd: false, after: next };
  return { part: { shard, ahead: [...ahead, ...found], ...end }, isSpread };
}

/** Merges by sort key; ends where a partition must be read before the next row is known. */
function merge(
  parts: readonly Part[],
  most: number,
): { readonly rows: readonly Listed[]; readonly parts: readonly Part[] } {
  const rows: Listed[] = [];
  const taken = new Map<number, number>();
  const headOf = ({ shard, ahead }: Part) => ahead[taken.get(shard) ?? 0];
  while (rows.length < most) {
    if (parts.some((part) => !part.isEnd && headOf(part) === undefined)) break;
    const [first] = parts
      .flatMap((part) => {
        const head = headOf(part);
        return head ? [{ shard: part.shard, head }] : [];
      })
      .toSorted((a, b) => compareText(a.head.sk, b.head.sk));
    if (!first) break;
    rows.push(first.head);
    taken.set(first.shard, (taken.get(first.shard) ?? 0) + 1);
  }
  return { rows, parts: parts.map((part) => ({ ...part, ahead: part.ahead.slice(taken.get(part.shard) ?? 0) })) };
}

/** Rows at the front of a list that are checked; pods being deleted are skipped. */
const lookedAt = 20;

/** Whether any pod is pending. */
export async function hasPending(state: State, limiter: LimiterId): Promise<boolean> {
  const range = { prefix: pendingPrefix, limit: lookedAt };
  const { rows, isSpread } = await queryList(state, limiter, range);
  if (rows.some(({ deleting }) => deleting !== true)) return true;
  return isSpread && (await queryOthers(state, limiter, range)).some(({ deleting }) => deleting !== true);
}

/** Pending pods of one group, in no particular order. */
export async function readGroup(
  state: State,
  limiter: LimiterId,
  by: { readonly group: string; readonly limit: number },
): Promise<readonly Listed[]> {
  const { rows } = await state.table.query({ pk: groupPartition(state.cluster, limiter, by.group), limit: by.limit });
  return rows.map((row) => listed(row));
}

/** Waiting pods that are due by `now`; `isGlance` as above. */
export async function readDue(
  state: State,
  limiter: LimiterId,
  by: { readonly now: Instant; readonly limit: number; readonly isGlance?: boolean },
): Promise<readonly Listed[]> {
  const range = { from: waitingPrefix, to: waitingUpTo(by.now), limit: by.limit };
  const { rows, isSpread } = await queryList(state, limiter, range);
  if (!isSpread) return rows.map((row) => listed(row));
  if (by.isGlance) return [];
  const all = [...rows, ...(await queryOthers(state, limiter, range))];
  return all
    .toSorted((a, b) => compareText(a.sk, b.sk))
    .slice(0, by.limit)
    .map((row) => listed(row));
}
