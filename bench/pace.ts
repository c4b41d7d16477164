// What pacing costs: calls of the bucket per pod that got a slot, and the rate of the slots, with 64 pacers on one limiter.
import { cpus } from 'node:os';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbTable } from '../lib/adapters/dynamodb/dynamoDbTable.ts';
import { localCredentials, localRegion } from '../lib/local/aws/account.ts';
import { startLocalDynamoDb } from '../lib/local/aws/table.ts';
import { reserveSlots } from '../lib/state/bucketRows.ts';
import type { Table } from '../lib/table.ts';

const pacers = 64;
/** Of the pacer's own chunk (lib/steps/pace.ts). */
const wanted = 50;
const horizon = 90_000;
const rates = [1, 10, 100, 1000];
const allowed = 0.3;

interface Figures {
  readonly granted: number;
  readonly calls: number;
  readonly achieved: number;
  readonly milliseconds: number;
}

/** Every pacer asks until the horizon is full; slots then lie as far apart as the rate says. */
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
  const state = { table: counted, cluster: 'bench' };
  const rate = { perSecond, burst: Math.max(1, perSecond) };
  const slots: number[] = [];
  const from = performance.now();
  const now = Date.now();
  const pace = async () => {
    for (;;) {
      const some = await reserveSlots(state, `rule|${perSecond}`, { rate, now, wanted, horizon });
      slots.push(...some);
      if (some.length < wanted) return;
    }
  };
  await Promise.all(Array.from({ length: pacers }, pace));
  const milliseconds = performance.now() - from;
  const sorted = slots.sort((a, b) => a - b);
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
    `${pacers} pacers on one limiter, emulated DynamoDB, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
  );
  console.log(
    'pods/s wanted   pods/s achieved   pods granted   bucket calls   calls per pod   slots per second of work',
  );
  let most = 0;
  for (const rate of rates) {
    const { granted, calls, achieved, milliseconds } = await measure(table, rate);
    const perPod = calls / granted;
    if (granted >= pacers * 10) most = Math.max(most, perPod);
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
  console.log(`calls per pod where every pacer has work: ${most.toFixed(3)} (allowed: ${allowed})`);
  process.exitCode = most > allowed ? 1 : 0;
  client.destroy();
} finally {
  await server.stop();
}
