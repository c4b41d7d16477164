// Joins the reads requested in one turn of the event loop: fifty pods of an evictor need as many calls as one.
import type { Key, Row, RowPage, Table } from '../../table.ts';

/** The reads of one turn, without duplicate keys and ranges. */
interface Turn {
  readonly keys: Map<string, Key>;
  readonly ranges: Map<string, Promise<RowPage>>;
  /** When the reads are sent: after everything triggered by this turn's responses, and before the loop waits for new ones. */
  readonly over: Promise<void>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Every read is sent after it was requested, so it sees all earlier writes. Several callers may receive the same row, and an error fails
 * all reads that were sent together.
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

/** A single row is read in a batch of one too, so that the IAM role needs one action only. */
async function readAll(table: Table, keys: readonly Key[]): Promise<ReadonlyMap<string, Row>> {
  const rows = keys.length === 0 ? [] : await table.getMany(keys);
  return new Map(rows.map((row) => [nameOf(row), row]));
}

function nameOf({ pk, sk }: Key): string {
  return `${pk}\n${sk}`;
}
