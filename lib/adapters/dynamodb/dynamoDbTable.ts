// The Table port on DynamoDB: one SDK call per method, strongly consistent reads, failed conditions returned as values.
import {
  ConditionalCheckFailedException,
  TransactionCanceledException as TransactionCanceled,
  type TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Key, Row, RowPage, RowRange, Table, Write, WriteResult } from '../../table.ts';
import { renderExpressions } from './expressions.ts';
import { queryDuePage, queryHeadPage } from './indexQueries.ts';

/** BatchGetItem accepts at most 100 keys (DynamoDB API). */
const batchGetLimit = 100;
const batchGetAttempts = 8;

/** The SDK's client has 50 connections: further requests would wait for one until they time out. */
const batchesAtOnce = 25;

/** `client` must use the marshall option `removeUndefinedValues: true`. */
export function createDynamoDbTable(client: DynamoDBDocumentClient, tableName: string): Table {
  const names = { TableName: tableName };
  return {
    async get(key) {
      const { Item } = await client.send(new GetCommand({ ...names, Key: keyOf(key), ConsistentRead: true }));
      return Item as Row | undefined;
    },
    async getMany(keys) {
      const chunks = chunksOf(distinct(keys), batchGetLimit);
      const rows: Row[][] = [];
      for (let at = 0; at < chunks.length; at += batchesAtOnce) {
        const some = chunks.slice(at, at + batchesAtOnce);
        rows.push(...(await Promise.all(some.map((chunk) => batchGet(client, tableName, chunk)))));
      }
      return rows.flat();
    },
    async query(range) {
      return queryPage(client, tableName, range);
    },
    async queryDue(range) {
      return queryDuePage(client, tableName, range);
    },
    async queryHeads(range) {
      return queryHeadPage(client, tableName, range);
    },
    async write(write) {
      try {
        return await send(client, tableName, write);
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return lost(error);
        throw error;
      }
    },
    async transact(writes) {
      try {
        await client.send(new TransactWriteCommand({ TransactItems: writes.map((write) => actionOf(write, names)) }));
        return { kind: 'Written' };
      } catch (error) {
        if (error instanceof TransactionCanceled && isLost(error)) return { kind: 'Lost' };
        throw error;
      }
    },
  };
}

function keyOf({ pk, sk }: Key): { pk: string; sk: string } {
  return { pk, sk };
}

function distinct(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, keyOf(key)])).values()];
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** Requests the UnprocessedKeys of BatchGetItem again (16 MB response limit, throttling), with increasing pauses. */
async function batchGet(client: DynamoDBDocumentClient, tableName: string, keys: Key[]): Promise<Row[]> {
  const rows: Row[] = [];
  let wanted: Record<string, unknown>[] = keys.map(keyOf);
  for (let attempt = 0; attempt < batchGetAttempts; attempt++) {
    const answer = await client.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: wanted, ConsistentRead: true } } }),
    );
    rows.push(...((answer.Responses?.[tableName] ?? []) as Row[]));
    wanted = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
    if (wanted.length === 0) return rows;
    await new Promise((resolve) => setTimeout(resolve, 20 * 2 ** attempt));
  }
  throw new Error(`table ${tableName}: ${wanted.length} keys stayed unprocessed after ${batchGetAttempts} reads`);
}

async function queryPage(client: DynamoDBDocumentClient, tableName: string, range: RowRange): Promise<RowPage> {
  const { condition, values } = sortKeyCondition(range);
  const answer = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: condition ? `pk = :pk AND ${condition}` : 'pk = :pk',
      ExpressionAttributeValues: { ':pk': range.pk, ...values },
      Limit: range.limit,
      ExclusiveStartKey: range.after === undefined ? undefined : { pk: range.pk, sk: range.after },
    }),
  );
  const rows = (answer.Items ?? []) as Row[];
  const next = answer.LastEvaluatedKey?.sk as string | undefined;
  return next === undefined ? { rows } : { rows, next };
}

function sortKeyCondition({ prefix, from, to }: RowRange): { condition?: string; values: Record<string, string> } {
  if (prefix !== undefined) return { condition: 'begins_with(sk, :prefix)', values: { ':prefix': prefix } };
  if (from !== undefined && to !== undefined)
    return { condition: 'sk BETWEEN :from AND :to', values: { ':from': from, ':to': to } };
  if (from !== undefined) return { condition: 'sk >= :from', values: { ':from': from } };
  if (to !== undefined) return { condition: 'sk <= :to', values: { ':to': to } };
  return { values: {} };
}

async function send(client: DynamoDBDocumentClient, tableName: string, write: Write): Promise<WriteResult> {
  const names = { TableName: tableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  switch (write.kind) {
    case 'Put':
      await client.send(new PutCommand({ ...names, Item: write.row, ...renderExpressions(write.when) }));
      return { kind: 'Written' };
    case 'Delete':
      await client.send(new DeleteCommand({ ...names, Key: keyOf(write.key), ...renderExpressions(write.when) }));
      return { kind: 'Written' };
    case 'Update': {
      const expressions = renderExpressions(write.when, write.change);
      const answer = await client.send(
        new UpdateCommand({ ...names, Key: keyOf(write.key), ReturnValues: 'ALL_NEW', ...expressions }),
      );
      return { kind: 'Written', row: answer.Attributes as Row };
    }
    default:
      return write satisfies never;
  }
}

type TransactAction = NonNullable<
  NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]['TransactItems']>[number]
>;

function actionOf(write: Write, names: { TableName: string }): TransactAction {
  switch (write.kind) {
    case 'Put':
      return { Put: { ...names, Item: write.row, ...renderExpressions(write.when) } };
    case 'Delete':
      return { Delete: { ...names, Key: keyOf(write.key), ...renderExpressions(write.when) } };
    case 'Update': {
      const { UpdateExpression = '', ...expressions } = renderExpressions(write.when, write.change);
      return { Update: { ...names, Key: keyOf(write.key), UpdateExpression, ...expressions } };
    }
    default:
      return write satisfies never;
  }
}

/** The row that failed the condition is in DynamoDB's wire format: the document client does not unmarshall it. */
function lost(error: ConditionalCheckFailedException): WriteResult {
  return error.Item ? { kind: 'Lost', row: unmarshall(error.Item) as Row } : { kind: 'Lost' };
}

/** A transaction is lost if a condition failed or another transaction conflicted. Throttling is not a loss: it must throw. */
function isLost(error: TransactionCanceledException): boolean {
  const codes = (error.CancellationReasons ?? [])
    .map((reason) => reason.Code)
    .filter((code) => code && code !== 'None');
  return codes.length > 0 && codes.every((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict');
}
