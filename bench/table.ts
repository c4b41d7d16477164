// `npm run bench:table`: processor time of a request to the local table and to dynoxide, by operation, client and server together.
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { findDynoxide, startDynoxide } from '../test/support/dynoxide.ts';
import { startTable } from '../test/support/emulators.ts';
import { treeOf, usageOf } from './eviction/usage.ts';

const [requests, sideBySide, rounds] = [600, 8, 3];
const TableName = 'table';
/** About as large as the row of a pod. */
const body = { object: { name: 'x'.repeat(600), claims: Array.from({ length: 10 }, (_, i) => ({ i, of: 'y' })) } };

const keyOf = (i: number) => ({ pk: `p${i % 16}`, sk: `s${i}` });
const put = (i: number, pk: string) => ({
  TableName,
  Item: { pk, sk: `s${i}`, due: 'd', dueAt: i, ...body },
  ConditionExpression: 'attribute_not_exists(#p) OR #p = :p',
  ExpressionAttributeNames: { '#p': 'pk' },
  ExpressionAttributeValues: { ':p': pk },
});
const operations = {
  PutItem: (i: number) => new PutCommand(put(i, keyOf(i).pk)),
  UpdateItem: (i: number) =>
    new UpdateCommand({
      TableName,
      Key: keyOf(i),
      UpdateExpression: 'SET #a = :a, #b = :b',
      ConditionExpression: 'attribute_exists(#p)',
      ExpressionAttributeNames: { '#a': 'state', '#b': 'dueAt', '#p': 'pk' },
      ExpressionAttributeValues: { ':a': { deleting: true }, ':b': i + 1 },
      ReturnValues: 'ALL_NEW',
    }),
  'TransactWriteItems of 8': (i: number) =>
    new TransactWriteCommand({ TransactItems: Array.from({ length: 8 }, (_, k) => ({ Put: put(i, `q${k}`) })) }),
  GetItem: (i: number) => new GetCommand({ TableName, Key: keyOf(i), ConsistentRead: true }),
  'Query of 10': (i: number) =>
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': keyOf(i).pk },
      Limit: 10,
    }),
} as const;

/** Of this process and those below it, in milliseconds. */
const processorMs = () => treeOf(process.pid).reduce((sum, pid) => sum + (usageOf(pid)?.processorMs ?? 0), 0);

async function measure(send: (i: number) => Promise<unknown>): Promise<number> {
  const before = processorMs();
  let next = 0;
  const client = async () => {
    while (next < requests) await send(next++);
  };
  await Promise.all(Array.from({ length: sideBySide }, client));
  return (processorMs() - before) / requests;
}

/** Of the last of several rounds, by operation: the first ones compile. */
async function measureAll(documents: DynamoDBDocumentClient): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (let round = 0; round < rounds; round++)
    for (const [name, commandOf] of Object.entries(operations))
      found[name] = await measure((i) => documents.send(commandOf(i) as PutCommand));
  return found;
}

const binary = findDynoxide();
const servers = { SQLite: undefined, ...(binary === undefined ? {} : { dynoxide: () => startDynoxide(binary) }) };
const found: Record<string, Readonly<Record<string, number>>> = {};
for (const [name, start] of Object.entries(servers)) {
  const { documents, stop } = await startTable(TableName, start);
  found[name] = await measureAll(documents);
  await stop();
}
console.log(['ms of processor time', ...Object.keys(found)].join('\t'));
for (const operation of Object.keys(operations))
  console.log([operation, ...Object.values(found).map((of) => of[operation]?.toFixed(2))].join('\t'));
if (binary === undefined) console.log('dynoxide has no package for this machine, and was not measured');
