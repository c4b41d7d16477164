// Reads the list of a limiter over all its partitions. The first partition shows whether there are others.
import type { LimiterId } from '../model/eviction.ts';
import type { Row, RowRange } from '../table.ts';
import { isSpreadMark, listPartition, listShardCount, otherListShards } from './listKeys.ts';
import type { State } from './state.ts';

interface ListRange extends Omit<RowRange, 'pk'> {
  /** If absent, the first partition. */
  readonly shard?: number;
}

/** A page of one partition. */
export async function queryList(
  state: State,
  limiter: LimiterId,
  { shard, ...range }: ListRange,
): Promise<{ readonly rows: readonly Row[]; readonly next?: string; readonly isSpread: boolean }> {
  const page = await state.table.query({ pk: listPartition(state.cluster, limiter, shard), ...range });
  const rows = page.rows.filter(({ sk }) => !isSpreadMark(sk));
  return { ...page, rows, isSpread: rows.length < page.rows.length };
}

/** Reads the same range of the other partitions. */
export async function queryOthers(
  state: State,
  limiter: LimiterId,
  range: Omit<ListRange, 'shard'>,
): Promise<readonly Row[]> {
  const pages = await Promise.all(otherListShards.map((shard) => queryList(state, limiter, { ...range, shard })));
  return pages.flatMap(({ rows }) => rows);
}

/** Two markers may precede the first pod. */
const front = 3;

/** Rows at the front of the list; reads the other partitions unless one row is enough. */
export async function readFront(
  state: State,
  limiter: LimiterId,
  isEnough: (row: Row) => boolean = () => true,
): Promise<{ readonly rows: readonly Row[]; readonly isSpread: boolean }> {
  const { rows, isSpread } = await queryList(state, limiter, { limit: front });
  if (!isSpread || rows.some(isEnough)) return { rows, isSpread };
  return { rows: [...rows, ...(await queryOthers(state, limiter, { limit: 1 }))], isSpread };
}

/** A row and its partition. */
export interface ListRow {
  readonly row: Row;
  readonly shard: number;
}

/** A page of the whole list, partition by partition; `after`: `next` of the previous page. */
export async function readListPage(
  state: State,
  limiter: LimiterId,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<{ readonly rows: readonly ListRow[]; readonly next?: string }> {
  const { shard, sk, isSpread } = placeIn(after);
  const page = await queryList(state, limiter, { shard, limit, ...(sk === undefined ? {} : { after: sk }) });
  const rows = page.rows.map((row) => ({ row, shard }));
  const next = nextPlace({ shard, sk: page.next, isSpread: isSpread || page.isSpread });
  return next === undefined ? { rows } : { rows, next };
}

interface Place {
  readonly shard: number;
  /** The last sort key that was read; absent at the beginning of a partition. */
  readonly sk: string | undefined;
  readonly isSpread: boolean;
}

/** A plain sort key belongs to a list that is not spread, or was not when the walk passed its markers. */
function placeIn(after: string | undefined): Place {
  if (!after?.startsWith('#')) return { shard: 0, sk: after, isSpread: false };
  const end = after.indexOf('#', 1);
  const sk = after.slice(end + 1);
  return { shard: Number(after.slice(1, end)), sk: sk === '' ? undefined : sk, isSpread: true };
}

function nextPlace({ shard, sk, isSpread }: Place): string | undefined {
  if (!isSpread) return sk;
  if (sk !== undefined) return `#${shard}#${sk}`;
  return shard + 1 < listShardCount ? `#${shard + 1}#` : undefined;
}
