// Benchmarks pacing: bucket calls per token, and the resulting rate, with several invocations on one limiter.
import { cpus } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbTable } from '../lib/adapters/dynamodb/dynamoDbTable.ts';
import { localCredentials, localRegion } from '../lib/local/aws/account.ts';
import { startLocalDynamoDb } from '../lib/local/aws/table.ts';
import { type Buckets, takeFromBucket } from '../lib/state/bucketRows.ts';
import type { Table } from '../lib/table.ts';

const invocations = 8;
/** Values of the evict stage (lib/stages/evict): tokens per take, and how far ahead they are reserved. */
const wanted = 50;
const ahead = 1000;
const seconds = 60;
const rates = [1, 10, 100, 1000];
const allowed = 1.2;

interface Figures {
  readonly granted: number;
  readonly calls: number;
  readonly achieved: number;
  readonly milliseconds: number;
}

/** Like the stage, each invocation asks again when the second's tokens are used; measures one simulated minute. */
async function measure(table: Table, perSecond: number): Promise<Figures> {
  let calls = 0;
  const counted: Table = {
    ...table,
    get: (key) => {
      calls++;
      return table.get(key);
    },
    write: (write) => {
      calls++;
      return table.write(write);
    },
  };
  const state = { table: counted, cluster: 'bench@incarnation' as const };
  const rate = { perSecond, burst: 1 };
  const all: number[] = [];
  const from = performance.now();
  const start = Date.now();
  const invocation = { seen: undefined as Buckets | undefined };
  for (let now = start; now < start + seconds * 1000; now += ahead) {
    for (;;) {
      const { seen, tokens } = await takeFromBucket(state, {
        name: `rule|${perSecond}`,
        rate,
        now,
        wanted,
        ahead,
        seen: invocation.seen,
      });
      invocation.seen = seen;
      all.push(...tokens);
      if (tokens.length < wanted) break;
    }
    // Concurrent invocations, which lost their lease or found it free.
    if (now === start)
      await Promise.all(
        Array.from({ length: invocations - 1 }, () =>
          takeFromBucket(state, { name: `rule|${perSecond}`, rate, now, wanted, ahead }).then(({ tokens }) =>
            all.push(...tokens),
          ),
        ),
      );
  }
  const milliseconds = performance.now() - from;
  const sorted = all.sort((a, b) => a - b);
  const span = ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) / 1000;
  return { granted: sorted.length, calls, achieved: (sorted.length - 1) / span, milliseconds };
}

const server = await startLocalDynamoDb();
try {
  await server.createTable({
    logicalId: 'Table',
    name: 'bench',
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  const client = new DynamoDBClient({ region: localRegion, credentials: localCredentials, endpoint: server.endpoint });
  const table = createDynamoDbTable(DynamoDBDocumentClient.from(client), 'bench');
  console.log(
    `${invocations} invocations on one limiter, emulated DynamoDB, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
  );
  console.log(
    'tokens/s wanted  tokens/s achieved   tokens given   bucket calls calls per token  tokens per second of work',
  );
  let most = 0;
  for (const rate of rates) {
    const { granted, calls, achieved, milliseconds } = await measure(table, rate);
    const perPod = calls / granted;
    if (granted >= 500) most = Math.max(most, perPod);
    const cells = [
      rate,
      achieved.toFixed(2),
      granted,
      calls,
      perPod.toFixed(3),
      Math.round((granted * 1000) / milliseconds),
    ];
    console.log(cells.map((cell, i) => String(cell).padStart([13, 17, 14, 14, 15, 26][i] ?? 0)).join(' '));
  }
  console.log(`calls per token where there is work all the time: ${most.toFixed(3)} (allowed: ${allowed})`);
  process.exitCode = most > allowed ? 1 : 0;
  client.destroy();
} finally {
  await server.stop();
}
