// In-memory Table, tested by the same contract suite as DynamoDB; every call is atomic.
import type {
  AttributeChange,
  Condition,
  DuePage,
  DueRange,
  DueRow,
  HeadPage,
  HeadRange,
  HeadRow,
  Key,
  Row,
  RowPage,
  RowRange,
  Table,
  Write,
  WriteResult,
} from '../../../lib/table.ts';

export interface InMemoryTable extends Table {
  /** Every row, for assertions. */
  rows(): readonly Row[];
  /** Holds these rows and no others, as after a restore from a backup. */
  replaceAll(rows: readonly Row[]): void;
}

/** `beforeCall` runs before each call: explorers yield in it, fault tests throw in it. */
export function createInMemoryTable(beforeCall: (call: string) => Promise<void> = async () => {}): InMemoryTable {
  const partitions = new Map<string, Map<string, Row>>();
  const byDue = createIndex('due');
  const byHead = createIndex('head');
  const rowOf = ({ pk, sk }: Key) => partitions.get(pk)?.get(sk);
  const replace = (key: Key, row: Row | undefined) => {
    for (const index of [byDue, byHead]) index.replace(rowOf(key), row);
    const partition = partitions.get(key.pk) ?? new Map<string, Row>();
    if (row) partitions.set(key.pk, partition.set(key.sk, row));
    else partition.delete(key.sk);
  };
  const rowAfter = (write: Exclude<Write, { kind: 'Delete' }>): Row =>
    write.kind === 'Put'
      ? clean(write.row)
      : changed(rowOf(write.key) ?? { pk: write.key.pk, sk: write.key.sk }, write.change);
  const apply = (write: Write): Row | undefined => {
    const key = write.kind === 'Put' ? write.row : write.key;
    const row = write.kind === 'Delete' ? undefined : rowAfter(write);
    replace(key, row);
    return row;
  };
  const holdsFor = (write: Write): boolean =>
    !write.when || holds(write.when, rowOf(write.kind === 'Put' ? write.row : write.key));
  return {
    rows: () => [...partitions.values()].flatMap((partition) => [...partition.values()]),
    replaceAll(rows) {
      for (const { pk, sk } of [...partitions.values()].flatMap((partition) => [...partition.values()]))
        replace({ pk, sk }, undefined);
      for (const row of rows) replace(row, row);
    },
    async get(key) {
      await beforeCall('get');
      return rowOf(key);
    },
    async getMany(keys) {
      await beforeCall('getMany');
      return [...new Map(keys.map((key) => [idOf(key), key])).values()].flatMap((key) => rowOf(key) ?? []);
    },
    async query(range) {
      await beforeCall('query');
      return pageOf([...(partitions.get(range.pk)?.values() ?? [])], range);
    },
    async queryDue(range) {
      await beforeCall('queryDue');
      return duePageOf(byDue.of(range.pk), range);
    },
    async queryHeads(range) {
      await beforeCall('queryHeads');
      return headPageOf(byHead.of(range.pk), range);
    },
    async write(write): Promise<WriteResult> {
      await beforeCall('write');
      const before = rowOf(write.kind === 'Put' ? write.row : write.key);
      if (!holdsFor(write)) return before ? { kind: 'Lost', row: before } : { kind: 'Lost' };
      const row = apply(write);
      return write.kind === 'Update' && row ? { kind: 'Written', row } : { kind: 'Written' };
    },
    async transact(writes) {
      await beforeCall('transact');
      const keys = writes.map((write) => idOf(write.kind === 'Put' ? write.row : write.key));
      if (writes.length === 0 || writes.length > 100 || new Set(keys).size !== keys.length)
        throw new Error('ValidationException: transaction');
      if (!writes.every(holdsFor)) return { kind: 'Lost' };
      for (const write of writes) apply(write);
      return { kind: 'Written' };
    },
  };
}

/** A global secondary index: rows by the value of one attribute, so that a query reads only matching rows. */
function createIndex(attribute: 'due' | 'head') {
  const all = new Map<unknown, Map<string, Row>>();
  return {
    of: (value: string): Iterable<Row> => all.get(value)?.values() ?? [],
    replace(before: Row | undefined, after: Row | undefined): void {
      const [old, value] = [before?.[attribute], after?.[attribute]];
      if (before && old !== undefined && old !== value) all.get(old)?.delete(idOf(before));
      if (!after || value === undefined) return;
      const rows = all.get(value) ?? new Map<string, Row>();
      all.set(value, rows.set(idOf(after), after));
    },
  };
}

const idOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;

/** Freezes a row, so that readers can share it; removes undefined members, as the document client does. */
function clean<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((one) => clean(one ?? null))) as T;
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.freeze(Object.fromEntries(members.map(([name, inner]) => [name, clean(inner)]))) as T;
}

function changed(row: Row, change: AttributeChange): Row {
  const next: Record<string, unknown> = { ...row, ...clean(change.set ?? {}) };
  for (const [name, value] of Object.entries(change.add ?? {})) next[name] = ((next[name] as number) ?? 0) + value;
  for (const name of change.remove ?? []) delete next[name];
  return Object.freeze(next) as Row;
}

function holds(condition: Condition, row: Row | undefined): boolean {
  switch (condition.kind) {
    case 'absent':
      return row?.[condition.name] === undefined;
    case 'present':
      return row?.[condition.name] !== undefined;
    case 'all':
      return condition.of.every((part) => holds(part, row));
    case 'any':
      return condition.of.some((part) => holds(part, row));
    case 'compare':
      return compares(row?.[condition.name], condition);
    default:
      return condition satisfies never;
  }
}

function compares(actual: unknown, { op, value }: Extract<Condition, { kind: 'compare' }>): boolean {
  if (op === '<>') return actual !== value;
  if (typeof actual !== typeof value) return false;
  const [a, b] = [actual as string | number, value];
  if (op === '=') return a === b;
  if (op === '<') return a < b;
  if (op === '<=') return a <= b;
  return op === '>' ? a > b : a >= b;
}

/** A page of one partition. */
function pageOf(all: readonly Row[], range: RowRange): RowPage {
  const found = all
    .filter((row) => range.prefix === undefined || row.sk.startsWith(range.prefix))
    .filter(
      (row) => (range.from === undefined || row.sk >= range.from) && (range.to === undefined || row.sk <= range.to),
    )
    .filter((row) => range.after === undefined || row.sk > range.after)
    .sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const rows = found.slice(0, range.limit ?? found.length);
  const last = rows.at(-1);
  return last && rows.length < found.length ? { rows, next: last.sk } : { rows };
}

/** As in DynamoDB, rows with a wrong type of an index key are not in the index. */
function duePageOf(all: Iterable<Row>, range: DueRange): DuePage {
  const found: DueRow[] = [];
  for (const { pk, sk, dueAt } of all)
    if (typeof dueAt === 'number' && dueAt <= range.upTo) found.push({ pk, sk, dueAt });
  found.sort(byTime);
  const { after } = range;
  const left = after ? found.filter((row) => byTime(row, after) > 0) : found;
  const rows = left.slice(0, range.limit);
  const last = rows.at(-1);
  return last && rows.length < left.length ? { rows, next: last } : { rows };
}

function byTime(a: DueRow, b: DueRow): number {
  return a.dueAt - b.dueAt || (`${a.pk}\n${a.sk}` < `${b.pk}\n${b.sk}` ? -1 : a.pk === b.pk && a.sk === b.sk ? 0 : 1);
}

function headPageOf(all: Iterable<Row>, range: HeadRange): HeadPage {
  const found: HeadRow[] = [];
  for (const { pk, sk, headKey, uid, at, mirror } of all) {
    const isIn = typeof headKey === 'string' && headKey >= range.from && headKey <= range.to;
    if (isIn) found.push({ pk, sk, headKey, uid, at, mirror } as HeadRow);
  }
  found.sort(byHeadKey);
  const { after } = range;
  const left = after ? found.filter((row) => byHeadKey(row, after) > 0) : found;
  const rows = left.slice(0, range.limit);
  const last = rows.at(-1);
  return last && rows.length < left.length ? { rows, next: last } : { rows };
}

function byHeadKey(a: HeadRow, b: HeadRow): number {
  const [x, y] = [a, b].map(({ pk, sk, headKey }) => `${headKey}\n${pk}\n${sk}`);
  return (x ?? '') < (y ?? '') ? -1 : x === y ? 0 : 1;
}
