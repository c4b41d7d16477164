// Joins the reads that one turn of the event loop asks for: an evictor's fifty pods take the calls of one.
import type { Key, Row, RowPage, Table } from '../../table.ts';

/** The reads of one turn, each key and each range once. */
interface Turn {
  readonly keys: Map<string, Key>;
  readonly ranges: Map<string, Promise<RowPage>>;
  /** When they are sent: after all that the turn's answers set off, and before the loop waits for the next ones. */
  readonly over: Promise<void>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Every read is sent after it was asked for, so that it sees whatever was written before. A row may be answered to several callers,
 * and a failure is the failure of all reads that were sent together.
 */
export function joinReads(table: Table): Table {
  let open: Turn | undefined;
  const turn = (): Turn => {
    open ??= openTurn(table, () => {
      open = undefined;
    });
    return open;
  };
  const ask = (wanted: readonly Key[]) => {
    const { keys, rows } = turn();
    for (const key of wanted) keys.set(nameOf(key), key);
    return rows;
  };
  return {
    ...table,
    get: async (key) => (await ask([key])).get(nameOf(key)),
    async getMany(keys) {
      if (keys.length === 0) return [];
      const rows = await ask(keys);
      return [...new Set(keys.map(nameOf))].flatMap((name) => rows.get(name) ?? []);
    },
    query(range) {
      const { ranges, over } = turn();
      const name = JSON.stringify(Object.entries(range).sort(([a], [b]) => (a < b ? -1 : 1)));
      const page = ranges.get(name) ?? over.then(() => table.query(range));
      ranges.set(name, page);
      return page;
    },
  };
}

function openTurn(table: Table, close: () => void): Turn {
  const keys = new Map<string, Key>();
  const over = new Promise<void>((resolve) => setImmediate(resolve)).then(close);
  return { keys, ranges: new Map(), over, rows: over.then(() => readAll(table, [...keys.values()])) };
}

/** A row alone is read in a batch of one, so that a role needs one action. */
async function readAll(table: Table, keys: readonly Key[]): Promise<ReadonlyMap<string, Row>> {
  const rows = keys.length === 0 ? [] : await table.getMany(keys);
  return new Map(rows.map((row) => [nameOf(row), row]));
}

function nameOf({ pk, sk }: Key): string {
  return `${pk}\n${sk}`;
}
