// A step has only a few requests under way at a time, because more would wait for a connection until they time out.
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbTable } from '../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { sendEntries } from '../../lib/adapters/sqs/sendEntries.ts';

/** A client whose requests take a turn of the event loop, and how many it had at a time. */
function counting(answer: (input: never) => unknown) {
  const seen = { most: 0, all: 0 };
  let running = 0;
  const send = async ({ input }: { readonly input: never }) => {
    seen.all++;
    seen.most = Math.max(seen.most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return answer(input);
  };
  return { seen, client: { send } };
}

async function sent(messages: number) {
  const { seen, client } = counting(() => ({}));
  const clock = { now: () => 0, sleep: async () => {} };
  const to = { url: 'queue', queue: 'evict', clock };
  const entries = Array.from({ length: messages }, (_, i) => ({ body: `message ${i}`, delaySeconds: 0 }));
  await sendEntries(client as unknown as SQSClient, to, entries);
  return seen;
}

async function read(keys: number) {
  const { seen, client } = counting(
    ({ RequestItems: { table } }: { RequestItems: { table: { Keys: unknown[] } } }) => ({
      Responses: { table: table.Keys },
    }),
  );
  const table = createDynamoDbTable(client as unknown as DynamoDBDocumentClient, 'table');
  const rows = await table.getMany(Array.from({ length: keys }, (_, i) => ({ pk: 'p', sk: `${i}` })));
  expect(rows.map(({ sk }) => sk)).toEqual(Array.from({ length: keys }, (_, i) => `${i}`));
  return seen;
}

it('10,000 messages are sent with as many requests at a time as 1,000', async () => {
  const [small, large] = [await sent(1000), await sent(10_000)];
  expect([small.all, large.all]).toEqual([100, 1000]);
  expect(large.most).toBe(small.most);
  expect(large.most).toBeLessThanOrEqual(25);
});

it('20,000 rows are read with as many requests at a time as 5,000', async () => {
  const [small, large] = [await read(5000), await read(20_000)];
  expect([small.all, large.all]).toEqual([50, 200]);
  expect(large.most).toBe(small.most);
  expect(large.most).toBeLessThanOrEqual(25);
});
