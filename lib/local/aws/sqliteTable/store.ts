// Tables in SQLite: items by key, global secondary indexes, and pages in sort key order.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Attribute, type Item, ServiceError, sizeOf, ValidationError } from './attribute.ts';
import { type KeyNames, type KeyValue, keyOf, keyValue } from './keys.ts';

export interface IndexSchema extends KeyNames {
  readonly name: string;
  /** Projected attributes besides the keys; undefined: all. */
  readonly projected: readonly string[] | undefined;
}

export interface TableSchema {
  readonly name: string;
  readonly keys: KeyNames;
  readonly indexes: readonly IndexSchema[];
}

/** Partition and sort key bounds of a page; all bounds must hold. */
export interface Page {
  readonly hash: KeyValue;
  readonly bounds: readonly { readonly op: '=' | '<' | '<=' | '>' | '>='; readonly value: KeyValue }[];
  readonly ascending: boolean;
  readonly limit: number | undefined;
  readonly after: Item | undefined;
}

/**
 * False where a text of that many UTF-16 code units cannot hold more bytes than the limit, so that they need not be counted: a value is longer
 * in DynamoDB's JSON than in its own count, and a code unit has at most three bytes.
 */
const mayExceed = (limit: number, length: number): boolean => length * 3 > limit;

/** DynamoDB limits. */
const itemLimit = 400 * 1024;
const pageLimit = 1024 * 1024;

export class Store {
  readonly #database = new DatabaseSync(':memory:');
  readonly #tables = new Map<string, TableSchema>();
  readonly #statements = new Map<string, StatementSync>();

  createTable(schema: TableSchema): void {
    if (this.#tables.has(schema.name))
      throw new ServiceError('ResourceInUseException', `Table already exists: ${schema.name}`);
    for (const [i, index] of [undefined, ...schema.indexes].entries())
      this.#database.exec(
        index === undefined
          ? `CREATE TABLE "${schema.name}" (h, r, item TEXT, PRIMARY KEY (h, r)) WITHOUT ROWID`
          : `CREATE TABLE "${schema.name}#${i}" (h, r, pk, sk, item TEXT, PRIMARY KEY (h, r, pk, sk)) WITHOUT ROWID`,
      );
    this.#tables.set(schema.name, schema);
  }

  table(name: string): TableSchema {
    const found = this.#tables.get(name);
    if (!found)
      throw new ServiceError('ResourceNotFoundException', `Cannot do operations on a non-existent table: ${name}`);
    return found;
  }

  /** Runs `work` in a transaction, which is rolled back if `work` throws. */
  atomically<T>(work: () => T): T {
    this.#database.exec('BEGIN');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  get({ name, keys }: TableSchema, key: Item): Item | undefined {
    const row = this.#prepare(`SELECT item FROM "${name}" WHERE h = ? AND r = ?`).get(...keyOf(keys, key));
    return row === undefined ? undefined : (JSON.parse(String(row.item)) as Item);
  }

  put(table: TableSchema, item: Item, before: Item | undefined): void {
    const text = JSON.stringify(item);
    if (mayExceed(itemLimit, text.length) && sizeOf(item) > itemLimit)
      throw new ValidationError('Item size has exceeded the maximum allowed size');
    this.#prepare(`INSERT OR REPLACE INTO "${table.name}" VALUES (?, ?, ?)`).run(...keyOf(table.keys, item), text);
    this.#reindex(table, before, item);
  }

  delete(table: TableSchema, before: Item): void {
    this.#prepare(`DELETE FROM "${table.name}" WHERE h = ? AND r = ?`).run(...keyOf(table.keys, before));
    this.#reindex(table, before, undefined);
  }

  /** `more`: the page ended at a limit, so more items may follow. */
  query(
    table: TableSchema,
    indexName: string | undefined,
    page: Page,
  ): { readonly items: readonly Item[]; readonly more: boolean } {
    const number = indexName === undefined ? 0 : table.indexes.findIndex(({ name }) => name === indexName) + 1;
    if (indexName !== undefined && number === 0)
      throw new ValidationError(`The table does not have the specified index: ${indexName}`);
    const [direction, beyond] = page.ascending ? ['ASC', '>'] : ['DESC', '<'];
    const order = number === 0 ? ['r'] : ['r', 'pk', 'sk'];
    const bounds = page.bounds.map(({ op }) => ` AND r ${op} ?`).join('');
    const after = page.after && afterOf(table, number, page.after);
    const start = after ? ` AND (${order.join()}) ${beyond} (${after.map(() => '?').join()})` : '';
    const sql = `SELECT item FROM "${number === 0 ? table.name : `${table.name}#${number}`}" WHERE h = ?${bounds}${start} ORDER BY ${order.map((one) => `${one} ${direction}`).join()} LIMIT ?`;
    const values = [page.hash, ...page.bounds.map(({ value }) => value), ...(after ?? []), page.limit ?? -1];
    const { items, isFull } = pageOf(this.#prepare(sql).iterate(...values));
    return { items, more: isFull || (page.limit !== undefined && items.length === page.limit) };
  }

  /** A page of all items, in the order of their keys. */
  scan(
    table: TableSchema,
    { limit, after }: Pick<Page, 'limit' | 'after'>,
  ): { readonly items: readonly Item[]; readonly more: boolean } {
    const start = after ? ' WHERE (h, r) > (?, ?)' : '';
    const sql = `SELECT item FROM "${table.name}"${start} ORDER BY h, r LIMIT ?`;
    const { items, isFull } = pageOf(
      this.#prepare(sql).iterate(...(after ? keyOf(table.keys, after) : []), limit ?? -1),
    );
    return { items, more: isFull || (limit !== undefined && items.length === limit) };
  }

  /** A global secondary index contains the items that have both of its keys. */
  #reindex(table: TableSchema, before: Item | undefined, after: Item | undefined): void {
    for (const [i, index] of table.indexes.entries()) {
      const name = `"${table.name}#${i + 1}"`;
      const [old, current] = [entryOf(table, index, before), entryOf(table, index, after)];
      if (old && current && isSameEntry(old, current)) continue;
      if (old) this.#prepare(`DELETE FROM ${name} WHERE h = ? AND r = ? AND pk = ? AND sk = ?`).run(...old.key);
      if (current)
        this.#prepare(`INSERT OR REPLACE INTO ${name} VALUES (?, ?, ?, ?, ?)`).run(...current.key, current.text);
    }
  }

  #prepare(sql: string): StatementSync {
    const found = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, found);
    return found;
  }
}

/** `isFull`: it ended above DynamoDB's limit of a page. */
function pageOf(rows: Iterable<Record<string, unknown>>): {
  readonly items: readonly Item[];
  readonly isFull: boolean;
} {
  const items: Item[] = [];
  let length = 0;
  let size = 0;
  let counted = 0;
  for (const row of rows) {
    const text = String(row.item);
    items.push(JSON.parse(text) as Item);
    length += text.length;
    if (!mayExceed(pageLimit, length)) continue;
    for (const item of items.slice(counted)) size += sizeOf(item);
    counted = items.length;
    if (size > pageLimit) return { items, isFull: true };
  }
  return { items, isFull: false };
}

/** An item's row in the table of an index. */
interface Entry {
  readonly key: readonly KeyValue[];
  readonly text: string;
}

function entryOf(table: TableSchema, index: IndexSchema, item: Item | undefined): Entry | undefined {
  if (item?.[index.hash] === undefined || item[index.range] === undefined) return undefined;
  const key = [...keyOf(index, item), ...keyOf(table.keys, item)];
  return { key, text: JSON.stringify(projection(table, index, item)) };
}

function isSameEntry(one: Entry, other: Entry): boolean {
  return one.text === other.text && one.key.every((value, i) => value === other.key[i]);
}

function projection({ keys }: TableSchema, { hash, range, projected }: IndexSchema, item: Item): Item {
  if (projected === undefined) return item;
  const entry: Record<string, Attribute> = {};
  for (const name of [keys.hash, keys.range, hash, range, ...projected]) if (item[name]) entry[name] = item[name];
  return entry;
}

function afterOf({ keys, indexes }: TableSchema, number: number, after: Item): readonly KeyValue[] {
  const index = indexes[number - 1];
  return index ? [keyValue(after, index.range), ...keyOf(keys, after)] : [keyValue(after, keys.range)];
}
