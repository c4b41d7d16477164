// DynamoDB operations used by the state table's adapter, on tables in SQLite; any other operation is an error.
import { z } from 'zod';
import { type Item, items, ServiceError, ValidationError } from './attribute.ts';
import { applyUpdate, holds } from './evaluate.ts';
import { type Placeholders, parseTest, parseUpdate } from './expressions.ts';
import { queryItems, scanItems } from './query.ts';
import type { Store, TableSchema } from './store.ts';

const placeholders = {
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: items.optional(),
};
const conditional = {
  TableName: z.string(),
  ConditionExpression: z.string().optional(),
  ReturnValuesOnConditionCheckFailure: z.enum(['ALL_OLD', 'NONE']).optional(),
  ...placeholders,
};
const put = z.object({ ...conditional, Item: items });
const remove = z.object({ ...conditional, Key: items });
const update = z.object({
  ...conditional,
  Key: items,
  UpdateExpression: z.string(),
  ReturnValues: z.enum(['ALL_NEW', 'NONE']).optional(),
});
const action = z.union([
  z.strictObject({ Put: put }),
  z.strictObject({ Delete: remove }),
  z.strictObject({ Update: update }),
]);
const schemaKey = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const createTable = z.object({
  TableName: z.string().regex(/^[A-Za-z0-9_.-]+$/),
  KeySchema: schemaKey,
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: schemaKey,
        Projection: z.object({
          ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']).default('ALL'),
          NonKeyAttributes: z.array(z.string()).default([]),
        }),
      }),
    )
    .default([]),
  LocalSecondaryIndexes: z.undefined({ error: 'local indexes are not known here' }).optional(),
});
const transaction = z.object({ TransactItems: z.array(action).min(1).max(100) });
const getItem = z.object({ TableName: z.string(), Key: items });
const batchGet = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(items).max(100) })) });

type Operation = (store: Store, input: unknown) => object;

export const operations: Readonly<Record<string, Operation>> = {
  CreateTable: (store, input) => {
    const { TableName, KeySchema, GlobalSecondaryIndexes } = read(createTable, input);
    store.createTable({
      name: TableName,
      keys: keysOf(KeySchema),
      indexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
        name: IndexName,
        ...keysOf(KeySchema),
        projected: Projection.ProjectionType === 'ALL' ? undefined : Projection.NonKeyAttributes,
      })),
    });
    return { TableDescription: { TableName, TableStatus: 'ACTIVE' } };
  },
  // Expired items are kept; AWS may also keep them for days.
  UpdateTimeToLive: (_, input) => ({
    TimeToLiveSpecification: (input as { TimeToLiveSpecification: unknown }).TimeToLiveSpecification,
  }),
  GetItem: (store, input) => {
    const { TableName, Key } = read(getItem, input);
    const item = store.get(store.table(TableName), Key);
    return item ? { Item: item } : {};
  },
  BatchGetItem: (store, input) => {
    const tables = Object.entries(read(batchGet, input).RequestItems);
    const found = tables.map(([name, { Keys }]) => [
      name,
      Keys.flatMap((key) => store.get(store.table(name), key) ?? []),
    ]);
    return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
  },
  Query: queryItems,
  Scan: scanItems,
  PutItem: (store, input) => one(store, { Put: read(put, input) }),
  DeleteItem: (store, input) => one(store, { Delete: read(remove, input) }),
  UpdateItem: (store, input) => {
    const asked = read(update, input);
    const after = one(store, { Update: asked });
    return asked.ReturnValues === 'ALL_NEW' ? { Attributes: after } : {};
  },
  TransactWriteItems: (store, input) => {
    const { TransactItems } = read(transaction, input);
    return store.atomically(() => transact(store, TransactItems));
  },
};

type Action = z.infer<typeof action>;

function transact(store: Store, actions: readonly Action[]): object {
  const places = actions.map((each) => JSON.stringify(placeOf(store, each)));
  if (new Set(places).size < places.length)
    throw new ValidationError('Transaction request cannot include multiple operations on one item');
  const checked = actions.map((each) => check(store, each));
  const reasons = checked.map(({ refusal }) => refusal ?? { Code: 'None' });
  if (checked.some(({ refusal }) => refusal !== undefined))
    throw new ServiceError(
      'TransactionCanceledException',
      `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
      { CancellationReasons: reasons },
    );
  for (const each of checked) write(store, each);
  return {};
}

function one(store: Store, each: Action): object {
  const checked = check(store, each);
  const { refusal } = checked;
  if (!refusal) return store.atomically(() => write(store, checked)) ?? {};
  const more = refusal.Item ? { Item: refusal.Item } : {};
  throw new ServiceError('ConditionalCheckFailedException', refusal.Message, more);
}

function partsOf(each: Action) {
  if ('Put' in each) return { ...each.Put, key: each.Put.Item };
  const asked = 'Delete' in each ? each.Delete : each.Update;
  return { ...asked, key: asked.Key };
}

function placeOf(store: Store, each: Action): unknown {
  const { TableName, key } = partsOf(each);
  const { hash, range } = store.table(TableName).keys;
  return [TableName, key[hash], key[range]];
}

/** An action, and the item before it. */
interface Checked {
  readonly action: Action;
  readonly before: Item | undefined;
  /** Present where the item does not fulfil the condition. */
  readonly refusal?: { readonly Code: string; readonly Message: string; readonly Item?: Item };
}

function check(store: Store, action: Action): Checked {
  const { TableName, key, ConditionExpression, ReturnValuesOnConditionCheckFailure, ...names } = partsOf(action);
  const before = store.get(store.table(TableName), key);
  if (ConditionExpression === undefined || holds(parseTest(ConditionExpression, names as Placeholders), before))
    return { action, before };
  const shown = before && ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? { Item: before } : {};
  const refusal = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', ...shown };
  return { action, before, refusal };
}

/** Returns the item after the write. */
function write(store: Store, { action, before }: Checked): Item | undefined {
  const table: TableSchema = store.table(partsOf(action).TableName);
  if ('Delete' in action) {
    if (before) store.delete(table, before);
    return undefined;
  }
  const after =
    'Put' in action
      ? action.Put.Item
      : applyUpdate(parseUpdate(action.Update.UpdateExpression, action.Update), action.Update.Key, before);
  store.put(table, after, before);
  return after;
}

function keysOf(schema: z.infer<typeof schemaKey>): { hash: string; range: string } {
  const name = (type: 'HASH' | 'RANGE') => schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  const [hash, range] = [name('HASH'), name('RANGE')];
  if (hash === undefined || range === undefined)
    throw new ValidationError('tables and indexes here have a hash and a range key');
  return { hash, range };
}

function read<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new ValidationError(z.prettifyError(parsed.error));
}
