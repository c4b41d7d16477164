// Which queue a message goes to, with the URLs that a function is given.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { createSqsQueues } from '../../../lib/adapters/sqs/queues.ts';
import { clusterIdOf, clusterNameOf } from '../../../lib/model/identity.ts';

const cluster = clusterIdOf(clusterNameOf('prod' as never), 'uid');
const base = 'https://sqs.eu-central-1.amazonaws.com/1/Sluice-';

/** The sweep is given the queues of evict and report alone. */
function sweepQueues(): { readonly queues: ReturnType<typeof createSqsQueues>; readonly urls: string[] } {
  const urls: string[] = [];
  const send = async ({ input }: { input: { QueueUrl: string; Entries: readonly { Id: string }[] } }) => {
    urls.push(input.QueueUrl);
    return { Successful: input.Entries.map(({ Id }) => ({ Id })), Failed: [] };
  };
  const client = { send } as unknown as SQSClient;
  const given = { evaluate: '', evict: `${base}evict`, report: `${base}report`, outbound: new Set<never>() };
  return { queues: createSqsQueues(client, given, { now: () => 0, sleep: async () => {} }), urls };
}

it.each([
  ['ingest', 'ingest-prod'],
  ['evict', 'evict'],
  ['report', 'report'],
] as const)(
  'a due row of %s reaches the queue %s from a function that may not send to evaluate',
  async (stage, name) => {
    const { queues, urls } = sweepQueues();
    await queues.sendDue([{ stage, cluster, rows: [{ pk: 'p', sk: 's' }] }]);
    expect(urls).toEqual([`${base}${name}`]);
  },
);

it('a request for objects reaches the queue of its cluster', async () => {
  const { queues, urls } = sweepQueues();
  await queues.sendResend([{ cluster, objects: [] }]);
  expect(urls).toEqual([`${base}resend-prod`]);
});
