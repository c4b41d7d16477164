// Walks over all rows of one kind page by page; another invocation can continue where this one ends.
import type { ClusterId } from '../model/identity.ts';
import { pageSize, type Row } from '../table.ts';
import { shards } from './keys.ts';
import { isLive, readObjectRow, type State } from './state.ts';

/** Where the next page begins. */
export interface Place {
  /** The walk ends after the last shard. */
  readonly shard: number;
  /** Sort key, or pool, with which the last page ended. */
  readonly after?: string;
}

export interface Placed<T> {
  readonly part: T;
  /** Where the next part begins; `undefined` after the last one. Some walks skip empty parts. */
  readonly behind: Place | undefined;
}

export const beginning: Place = { shard: 0 };

type Partition = (cluster: ClusterId, shard: number) => string;

/** The rows of all shards of a kind. */
export async function* placedRows(
  state: State,
  partition: Partition,
  from: Place = beginning,
): AsyncGenerator<Placed<readonly Row[]>> {
  for (const shard of shards.slice(from.shard)) {
    const pk = partition(state.cluster, shard);
    let after = shard === from.shard ? from.after : undefined;
    do {
      const page = await state.table.query({ pk, limit: pageSize, ...(after === undefined ? {} : { after }) });
      after = page.next;
      yield { part: page.rows, behind: after === undefined ? nextShard(shard) : { shard, after } };
    } while (after !== undefined);
  }
}

/** Yields only the parts. */
export async function* partsOf<T>(walk: AsyncIterable<Placed<T>>): AsyncGenerator<T> {
  for await (const { part } of walk) yield part;
}

export function nextShard(shard: number): Place | undefined {
  return shard + 1 < shards.length ? { shard: shard + 1 } : undefined;
}

export function livesIn<T>(rows: readonly Row[]): readonly T[] {
  return rows.flatMap((row) => {
    const read = readObjectRow<T>(row, row.sk);
    return read && isLive(read) ? [read.object] : [];
  });
}
