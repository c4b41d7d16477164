// Copies of the table that a history takes from time to time, to put the table back to one of them.
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import type { Row } from '../../lib/table.ts';
import type { InMemoryTable } from '../support/fakes/table.ts';
import type { VirtualTime } from './virtualTime.ts';

interface TableCopy {
  readonly at: Instant;
  readonly rows: readonly Row[];
  /** Whether the cluster was paused: the pause is in the table. */
  readonly isPaused: boolean;
}

export interface TableCopies {
  /** Takes copies from now on. */
  begin(isPaused: () => boolean): void;
  end(): void;
  /** Puts the table back to the newest copy that is at least this old; there may be none. */
  restore(back: Milliseconds): TableCopy | undefined;
  /** From each copy to its restore. */
  readonly lost: readonly { readonly from: Instant; readonly until: Instant }[];
}

const copyEvery: Milliseconds = 10_000;

export function createTableCopies({
  time,
  table,
}: {
  readonly time: Pick<VirtualTime, 'now' | 'at'>;
  readonly table: InMemoryTable;
}): TableCopies {
  const copies: TableCopy[] = [];
  const lost: { from: Instant; until: Instant }[] = [];
  let isEnded = false;
  const take = (isPaused: () => boolean) => {
    if (isEnded) return;
    copies.push({ at: time.now(), rows: table.rows(), isPaused: isPaused() });
    time.at(time.now() + copyEvery, () => take(isPaused));
  };
  return {
    begin: take,
    end() {
      isEnded = true;
      copies.length = 0;
    },
    restore(back) {
      const copy = copies.findLast(({ at }) => at <= time.now() - back);
      if (!copy) return undefined;
      table.replaceAll(copy.rows);
      lost.push({ from: copy.at, until: time.now() });
      return copy;
    },
    lost,
  };
}
