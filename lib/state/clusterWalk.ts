// A walk through all rows of one kind, a page at a time, that another invocation may continue from where this one ends.
import type { ClusterId } from '../model/identity.ts';
import { pageSize, type Row } from '../table.ts';
import { shards } from './keys.ts';
import { isLive, readObjectRow, type State } from './state.ts';

/** Where the next page begins. */
export interface Place {
  /** Past the last shard the walk is over. */
  readonly shard: number;
  /** Sort key, or the pool, that the last page ended with. */
  readonly after?: string;
}

export interface Placed<T> {
  readonly part: T;
  /** `undefined`: there is nothing behind it. Parts without anything are left out by some walks. */
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

/** The parts alone. */
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
