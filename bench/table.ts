// `npm run bench:table`: processor time of the table of local runs for each request, beside dynoxide where it runs, in one run.
import http from 'node:http';
import { dueIndex, headIndex } from '../lib/contract.ts';
import { serveTables } from '../lib/local/aws/table.ts';
import { findDynoxide, startDynoxide } from '../test/support/dynoxide.ts';
import { startTable } from '../test/support/emulators.ts';
import { commandOf, threadsOf, treeOf, usageOf } from './eviction/usage.ts';

const TableName = 'bench';
const itemCount = 3000;
const batch = 25;
/** Requests at once. */
const parallel = 10;

interface Server {
  readonly name: string;
  readonly endpoint: string;
  /** Processor time in ms since its start. */
  spent(): number;
  stop(): Promise<void>;
}

const text = 'some value of a row '.repeat(75);
const keyOf = (i: number) => ({ pk: { S: 'cluster#pods' }, sk: { S: `namespace/pod-${i}` } });
const itemOf = (i: number) => ({
  ...keyOf(i),
  uid: { S: `uid-${i}` },
  at: { S: String(i).padStart(8, '0') },
  mirror: { S: 'Live' },
  object: { M: { text: { S: text }, list: { L: Array.from({ length: 10 }, (_, n) => ({ N: String(n) })) } } },
  [headIndex.partition]: { S: `cluster#${i % 16}` },
  [headIndex.sort]: { S: `Pod namespace/pod-${i}` },
  [dueIndex.partition]: { S: 'cluster' },
  [dueIndex.time]: { N: String(i) },
});
const batchOf = <T>(i: number, make: (at: number) => T) => Array.from({ length: batch }, (_, n) => make(i * batch + n));

/** In this order on each server; an operation finds the items of those before it. */
const operations: readonly {
  readonly name: string;
  readonly operation: string;
  readonly times: number;
  readonly input: (i: number) => object;
}[] = [
  {
    name: 'put with a condition and two indexes',
    operation: 'PutItem',
    times: itemCount,
    input: (i) => ({ TableName, Item: itemOf(i), ConditionExpression: 'attribute_not_exists(pk)' }),
  },
  {
    name: 'update with a condition',
    operation: 'UpdateItem',
    times: itemCount,
    input: (i) => ({
      TableName,
      Key: keyOf(i),
      UpdateExpression: 'SET answer = :answer ADD times :one',
      ConditionExpression: 'uid = :uid',
      ExpressionAttributeValues: { ':answer': { S: 'yes' }, ':one': { N: '1' }, ':uid': { S: `uid-${i}` } },
      ReturnValues: 'ALL_NEW',
    }),
  },
  {
    name: `transaction of ${batch} puts`,
    operation: 'TransactWriteItems',
    times: itemCount / batch,
    input: (i) => ({ TransactItems: batchOf(i, (at) => ({ Put: { TableName, Item: itemOf(at) } })) }),
  },
  {
    name: 'get',
    operation: 'GetItem',
    times: itemCount,
    input: (i) => ({ TableName, Key: keyOf(i), ConsistentRead: true }),
  },
  {
    name: `batch of ${batch} gets`,
    operation: 'BatchGetItem',
    times: itemCount / batch,
    input: (i) => ({ RequestItems: { [TableName]: { Keys: batchOf(i, keyOf), ConsistentRead: true } } }),
  },
  {
    name: 'page of 100 items',
    operation: 'Query',
    times: itemCount / batch,
    input: (i) => ({
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk >= :from',
      ExpressionAttributeValues: { ':pk': keyOf(0).pk, ':from': keyOf(i).sk },
      Limit: 100,
    }),
  },
  {
    name: 'delete',
    operation: 'DeleteItem',
    times: itemCount,
    input: (i) => ({ TableName, Key: keyOf(i) }),
  },
];

const agent = new http.Agent({ keepAlive: true, maxSockets: parallel });
/** dynoxide wants them, and checks no signature. */
const headers = {
  'x-amz-date': '20200101T000000Z',
  'content-type': 'application/x-amz-json-1.0',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** Without the SDK, whose processor time is not that of a server. */
function ask(endpoint: string, operation: string, input: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const target = `DynamoDB_20120810.${operation}`;
    const options = { method: 'POST', agent, headers: { ...headers, 'x-amz-target': target } };
    const request = http.request(endpoint, options, async (response) => {
      const answer = await response.setEncoding('utf8').reduce((all: string, chunk: string) => all + chunk, '');
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${operation}: ${answer}`));
    });
    request.once('error', reject);
    request.end(JSON.stringify(input));
  });
}

async function spentOn(server: Server, { operation, times, input }: (typeof operations)[number]): Promise<number> {
  const before = server.spent();
  let next = 0;
  const work = async () => {
    while (next < times) await ask(server.endpoint, operation, input(next++));
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return (server.spent() - before) / times;
}

async function startServers(): Promise<readonly Server[]> {
  const own = await startTable(TableName);
  const servers = [{ name: 'own', ...own, spent: () => threadsOf(process.pid).table ?? 0 }];
  const binary = findDynoxide();
  if (binary === undefined) return servers;
  const other = await startTable(TableName, startDynoxide(binary).then(serveTables));
  const pid = treeOf(process.pid).find((one) => commandOf(one).includes('dynoxide')) ?? 0;
  return [...servers, { name: 'dynoxide', ...other, spent: () => usageOf(pid)?.processorMs ?? Number.NaN }];
}

const servers = await startServers();
try {
  console.log(`Processor time of the server in ms for each request, ${parallel} at once:`);
  console.log(
    `| request | ${servers.map(({ name }) => name).join(' | ')} |\n|---|${servers.map(() => '---|').join('')}`,
  );
  for (const one of operations) {
    const cells: string[] = [];
    for (const server of servers) cells.push((await spentOn(server, one)).toFixed(2));
    console.log(`| ${one.name} | ${cells.join(' | ')} |`);
  }
  if (servers.length === 1) console.log('dynoxide does not run here');
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  agent.destroy();
}
