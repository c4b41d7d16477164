// Entries that a batch could not take are sent again, and only they; a queue that keeps refusing fails the step.
import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from 'vitest';
import { batchesOf, type Entry, sendEntries } from '../../../lib/adapters/sqs/sendEntries.ts';

interface Refusal {
  /** Bodies that are refused in this request. */
  readonly bodies: readonly string[];
  readonly isFault?: boolean;
}

let requests: string[][];
let slept: number[];
beforeEach(() => {
  requests = [];
  slept = [];
});

/** Answers the n-th request with the n-th refusal, the last one forever. */
function clientThat(...refusals: Refusal[]): SQSClient {
  const client = {
    async send({ input }: SendMessageBatchCommand) {
      const { bodies, isFault = false } = refusals[Math.min(requests.length, refusals.length - 1)] ?? { bodies: [] };
      requests.push((input.Entries ?? []).map((entry) => entry.MessageBody ?? ''));
      const failed = (input.Entries ?? []).filter((entry) => bodies.includes(entry.MessageBody ?? ''));
      return { Failed: failed.map(({ Id }) => ({ Id, SenderFault: isFault, Code: 'Busy', Message: 'try again' })) };
    },
  };
  return client as unknown as SQSClient;
}

const clock = { now: () => 0, sleep: async (duration: number) => void slept.push(duration) };
const to = { url: 'https://sqs.example.com/q', queue: 'pace', clock };
const entry = (body: string): Entry => ({ body, delaySeconds: 0 });

describe('sending to one queue', () => {
  it('sends only the refused entries again, with growing pauses', async () => {
    const client = clientThat({ bodies: ['b', 'd'] }, { bodies: ['d'] }, { bodies: [] });
    await sendEntries(client, to, ['a', 'b', 'c', 'd'].map(entry));
    expect(requests).toEqual([['a', 'b', 'c', 'd'], ['b', 'd'], ['d']]);
    expect(slept).toEqual([20, 40]);
  });

  it('gives up on a queue that refuses an entry five times', async () => {
    const sending = sendEntries(clientThat({ bodies: ['a'] }), to, [entry('a')]);
    await expect(sending).rejects.toThrow(/queue pace refused 1 messages in attempt 5: Busy: try again/);
    expect(requests).toHaveLength(5);
  });

  it('an entry that was refused by the sender’s fault is not sent again', async () => {
    const sending = sendEntries(clientThat({ bodies: ['a'], isFault: true }), to, [entry('a')]);
    await expect(sending).rejects.toThrow(/attempt 1/);
  });

  it('the error names the queue that is not configured', async () => {
    const sending = sendEntries(clientThat(), { ...to, url: '' }, [entry('a')]);
    await expect(sending).rejects.toThrow('queue pace is not configured');
  });
});

describe('batches', () => {
  it('a batch holds at most ten entries and at most the bytes of one request, in order', () => {
    const sizes = [600_000, 400_000, 100_000, 1_048_576, 1, ...Array.from({ length: 12 }, () => 10)];
    const batches = batchesOf(sizes.map((size) => entry('x'.repeat(size))));
    expect(batches.map((batch) => batch.map(({ body }) => body.length))).toEqual([
      [600_000, 400_000],
      [100_000],
      [1_048_576],
      [1, ...Array.from({ length: 9 }, () => 10)],
      [10, 10, 10],
    ]);
  });

  it('the size of a batch is counted in bytes, not characters', () => {
    expect(batchesOf([entry('ü'.repeat(400_000)), entry('ü'.repeat(400_000))])).toHaveLength(2);
  });
});
