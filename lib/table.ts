// The port to the state table: rows under two string keys, conditional writes, transactions. DynamoDB is one adapter.

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** A row's attributes are JSON values; absent means absent, never null. */
export type Row = Key & { readonly [attribute: string]: unknown };

/** A condition on the row as it is before the write; attributes are top-level names. */
export type Condition =
  | { readonly kind: 'absent'; readonly name: string }
  | { readonly kind: 'present'; readonly name: string }
  | {
      readonly kind: 'compare';
      readonly name: string;
      readonly op: ComparisonOperator;
      readonly value: string | number;
    }
  | { readonly kind: 'all'; readonly of: readonly Condition[] }
  | { readonly kind: 'any'; readonly of: readonly Condition[] };

/** False where the attribute is absent, as in DynamoDB; `<>` alone is true there. */
export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export const absent = (name: string): Condition => ({ kind: 'absent', name });
export const present = (name: string): Condition => ({ kind: 'present', name });
export const all = (...of: Condition[]): Condition => ({ kind: 'all', of });
export const any = (...of: Condition[]): Condition => ({ kind: 'any', of });
export function compare(name: string, op: ComparisonOperator, value: string | number): Condition {
  return { kind: 'compare', name, op, value };
}

/** `set` replaces attributes, `add` adds to numbers (absent counts as 0), `remove` drops attributes. */
export interface AttributeChange {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

export type Write =
  | { readonly kind: 'Put'; readonly row: Row; readonly when?: Condition }
  | { readonly kind: 'Update'; readonly key: Key; readonly change: AttributeChange; readonly when?: Condition }
  | { readonly kind: 'Delete'; readonly key: Key; readonly when?: Condition };

/** `Lost`: the condition did not hold, or another transaction held the row; nothing was written. */
export type WriteResult =
  | { readonly kind: 'Written'; readonly row?: Row }
  | { readonly kind: 'Lost'; readonly row?: Row };

/** Sort keys between `from` and `to` inclusive, or with a prefix; at most one of the two forms. */
export interface RowRange {
  readonly pk: string;
  readonly prefix?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  /** Sort key of the last row of the page before. */
  readonly after?: string;
}

export interface RowPage {
  readonly rows: readonly Row[];
  /** Present while there may be more. */
  readonly next?: string;
}

/** The key of a row with unfinished work, and since when it is due. */
export interface DueRow extends Key {
  readonly dueAt: number;
}

/** Rows with the attribute `due` = `pk` and `dueAt` ≤ `upTo`, the earliest first. */
export interface DueRange {
  readonly pk: string;
  readonly upTo: number;
  readonly limit: number;
  /** The last row of the page before. */
  readonly after?: DueRow;
}

export interface DuePage {
  readonly rows: readonly DueRow[];
  /** Present while there may be more. */
  readonly next?: DueRow;
}

/** The key of a row and the few attributes that the index of heads projects of it. */
export interface HeadRow extends Key {
  readonly headKey: string;
  readonly uid: string;
  readonly at: string;
  readonly mirror: string;
}

/** Rows with the attribute `head` = `pk` and `headKey` between `from` and `to`, inclusive, ascending. */
export interface HeadRange {
  readonly pk: string;
  readonly from: string;
  readonly to: string;
  readonly limit: number;
  readonly after?: HeadRow;
}

export interface HeadPage {
  readonly rows: readonly HeadRow[];
  /** Present while there may be more. */
  readonly next?: HeadRow;
}

/** All reads but those of indexes are strongly consistent. Throws only where the table cannot be reached, is throttled or refuses. */
export interface Table {
  get(key: Key): Promise<Row | undefined>;
  /** Any number of keys, duplicates allowed; absent rows are left out; no order. */
  getMany(keys: readonly Key[]): Promise<readonly Row[]>;
  /** One page in ascending order of sort keys. */
  query(range: RowRange): Promise<RowPage>;
  /** One page of a sparse index. It lags behind the rows: an entry is a hint: read the row before acting on it. */
  queryDue(range: DueRange): Promise<DuePage>;
  /** One page of an index that lags as well; writes that follow from it are conditional on what it said. */
  queryHeads(range: HeadRange): Promise<HeadPage>;
  /** `Written.row` is the row after an Update; `Lost.row` the row that refused, where there is one. */
  write(write: Write): Promise<WriteResult>;
  /** All or nothing; 1 to 100 writes, no two on one row (DynamoDB TransactWriteItems). */
  transact(writes: readonly Write[]): Promise<{ readonly kind: 'Written' | 'Lost' }>;
}

/** Every row of a range, page by page. */
export async function queryAll(table: Table, range: RowRange): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after = range.after;
  for (;;) {
    const page = await table.query(after === undefined ? range : { ...range, after });
    rows.push(...page.rows);
    if (page.next === undefined) return rows;
    after = page.next;
  }
}

/** Rows of one page; DynamoDB ends a page at 1 MB all the same. */
export const pageSize = 100;

/** The same, of which no more than a page is held at once. */
export async function* queryPages(table: Table, range: Omit<RowRange, 'limit'>): AsyncGenerator<readonly Row[]> {
  let after = range.after;
  do {
    const page = await table.query({ ...range, limit: pageSize, ...(after === undefined ? {} : { after }) });
    yield page.rows;
    after = page.next;
  } while (after !== undefined);
}
