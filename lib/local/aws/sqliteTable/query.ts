// Query: one partition of a table or global secondary index, with sort key bounds and paging. Scan: all items of a table, in pages.
import { z } from 'zod';
import { type Item, items, ValidationError } from './attribute.ts';
import { type Operand, parseTest, type Test } from './expressions.ts';
import { type KeyNames, type KeyValue, keyValue } from './keys.ts';
import type { Page, Store } from './store.ts';

const absent = (what: string) => z.undefined({ error: `${what} is not known here` }).optional();
const input = z.object({
  TableName: z.string(),
  IndexName: z.string().optional(),
  ConsistentRead: z.boolean().optional(),
  KeyConditionExpression: z.string(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: items.optional(),
  Limit: z.number().int().positive().optional(),
  ExclusiveStartKey: items.optional(),
  ScanIndexForward: z.boolean().default(true),
  FilterExpression: absent('FilterExpression'),
  ProjectionExpression: absent('ProjectionExpression'),
  Select: absent('Select'),
});

export function queryItems(store: Store, asked: unknown): object {
  const parsed = input.safeParse(asked);
  if (!parsed.success) throw new ValidationError(z.prettifyError(parsed.error));
  const { TableName, IndexName, Limit, ExclusiveStartKey, ScanIndexForward, ...expressions } = parsed.data;
  if (IndexName !== undefined && expressions.ConsistentRead)
    throw new ValidationError('Consistent reads are not supported on global secondary indexes');
  const table = store.table(TableName);
  const keys: KeyNames = table.indexes.find(({ name }) => name === IndexName) ?? table.keys;
  const tests = conjunction(parseTest(expressions.KeyConditionExpression, expressions));
  const bounds = tests.flatMap((test) => boundsOf(test));
  const [hash, ...others] = bounds.filter(({ name }) => name === keys.hash);
  if (hash?.op !== '=' || others.length > 0 || bounds.some(({ name }) => name !== keys.hash && name !== keys.range))
    throw new ValidationError('Query condition missed key schema element, or has another one');
  const page: Page = {
    hash: hash.value,
    bounds: bounds.filter(({ name }) => name === keys.range),
    ascending: ScanIndexForward,
    limit: Limit,
    after: ExclusiveStartKey,
  };
  const { items, more } = store.query(table, IndexName, page);
  const last = items.at(-1);
  const names = [table.keys.hash, table.keys.range, keys.hash, keys.range];
  return {
    Items: items,
    Count: items.length,
    ScannedCount: items.length,
    ...(more && last ? { LastEvaluatedKey: pick(last, names) } : {}),
  };
}

const scanInput = z.strictObject({
  TableName: z.string(),
  ConsistentRead: z.boolean().optional(),
  Limit: z.number().int().positive().optional(),
  ExclusiveStartKey: items.optional(),
});

export function scanItems(store: Store, asked: unknown): object {
  const parsed = scanInput.safeParse(asked);
  if (!parsed.success) throw new ValidationError(z.prettifyError(parsed.error));
  const { TableName, Limit, ExclusiveStartKey } = parsed.data;
  const table = store.table(TableName);
  const { items: found, more } = store.scan(table, { limit: Limit, after: ExclusiveStartKey });
  const last = found.at(-1);
  return {
    Items: found,
    Count: found.length,
    ScannedCount: found.length,
    ...(more && last ? { LastEvaluatedKey: pick(last, [table.keys.hash, table.keys.range]) } : {}),
  };
}

function conjunction(test: Test): readonly Test[] {
  return test.kind === 'And' ? test.of.flatMap(conjunction) : [test];
}

interface Bound {
  readonly name: string;
  readonly op: '=' | '<' | '<=' | '>' | '>=';
  readonly value: KeyValue;
}

function boundsOf(test: Test): readonly Bound[] {
  if (test.kind === 'Compare' && test.op !== '<>')
    return [{ name: nameOf(test.left), op: test.op, value: constant(test.right) }];
  if (test.kind === 'Between') {
    const name = nameOf(test.of);
    return [
      { name, op: '>=', value: constant(test.low) },
      { name, op: '<=', value: constant(test.high) },
    ];
  }
  if (test.kind !== 'BeginsWith') throw new ValidationError('Invalid operator used in KeyConditionExpression');
  const [name, prefix] = [nameOf(test.of), String(constant(test.prefix))];
  // The prefix followed by the last code point is an upper bound for all texts with that prefix in UTF-8 order.
  return [
    { name, op: '>=', value: prefix },
    { name, op: '<=', value: `${prefix}\u{10ffff}` },
  ];
}

function nameOf(operand: Operand): string {
  if (operand.kind === 'Path') return operand.name;
  throw new ValidationError('a key condition compares an attribute with a value');
}

function constant(operand: Operand): KeyValue {
  if (operand.kind === 'Value') return keyValue({ value: operand.value }, 'value');
  throw new ValidationError('a key condition compares an attribute with a value');
}

function pick(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}
