// DynamoDB operations used by the state table's adapter, on tables in SQLite; any other operation is an error.
import { z } from 'zod';
import { type Attribute, type Item, ServiceError, ValidationError } from './attribute.ts';
import { applyUpdate, holds } from './evaluate.ts';
import { type Placeholders, parseTest, parseUpdate } from './expressions.ts';
import { queryItems } from './query.ts';
import type { Store, TableSchema } from './store.ts';

const attributes = z.record(z.string(), z.record(z.string(), z.unknown()) as z.ZodType<Attribute>);
const placeholders = {
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: attributes.optional(),
};
const conditional = {
  TableName: z.string(),
  ConditionExpression: z.string().optional(),
  ReturnValuesOnConditionCheckFailure: z.enum(['ALL_OLD', 'NONE']).optional(),
  ...placeholders,
};
const put = z.object({ ...conditional, Item: attributes });
const remove = z.object({ ...conditional, Key: attributes });
const update = z.object({
  ...conditional,
  Key: attributes,
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
const batchGet = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(attributes).max(100) })) });

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
    const { TableName, Key } = read(z.object({ TableName: z.string(), Key: attributes }), input);
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
  PutItem: (store, input) => one(store, { Put: read(put, input) }),
  DeleteItem: (store, input) => one(store, { Delete: read(remove, input) }),
  UpdateItem: (store, input) => {
    const asked = read(update, input);
    const after = one(store, { Update: asked });
    return asked.ReturnValues === 'ALL_NEW' ? { Attributes: after } : {};
  },
  TransactWriteItems: (store, input) => {
    const { TransactItems } = read(z.object({ TransactItems: z.array(action).min(1).max(100) }), input);
    return store.atomically(() => transact(store, TransactItems));
  },
};

type Action = z.infer<typeof action>;

function transact(store: Store, actions: readonly Action[]): object {
  const places = actions.map((each) => JSON.stringify(placeOf(store, each)));
  if (new Set(places).size < places.length)
    throw new ValidationError('Transaction request cannot include multiple operations on one item');
  const reasons = actions.map((each) => refusalOf(store, each));
  if (reasons.some((reason) => reason !== undefined))
    throw new ServiceError(
      'TransactionCanceledException',
      `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map((reason) => reason?.Code ?? 'None').join(', ')}]`,
      {
        CancellationReasons: reasons.map((reason) => reason ?? { Code: 'None' }),
      },
    );
  for (const each of actions) write(store, each);
  return {};
}

function one(store: Store, each: Action): object {
  const refusal = refusalOf(store, each);
  if (!refusal) return store.atomically(() => write(store, each)) ?? {};
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

function refusalOf(store: Store, each: Action): { Code: string; Message: string; Item?: Item } | undefined {
  const { TableName, key, ConditionExpression, ReturnValuesOnConditionCheckFailure, ...names } = partsOf(each);
  const before = store.get(store.table(TableName), key);
  if (ConditionExpression === undefined || holds(parseTest(ConditionExpression, names as Placeholders), before))
    return undefined;
  const shown = before && ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? { Item: before } : {};
  return { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', ...shown };
}

/** Returns the item after the write. */
function write(store: Store, each: Action): Item | undefined {
  const { TableName, key } = partsOf(each);
  const table: TableSchema = store.table(TableName);
  const before = store.get(table, key);
  if ('Delete' in each) {
    if (before) store.delete(table, before);
    return undefined;
  }
  const after =
    'Put' in each
      ? each.Put.Item
      : applyUpdate(parseUpdate(each.Update.UpdateExpression, each.Update), each.Update.Key, before);
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
