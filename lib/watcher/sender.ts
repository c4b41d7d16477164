// The ChangeSink on SQS: at once when idle, in batches of ten under load, in order of arrival, until the queue has them.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { formatMessage } from '../adapters/sqs/messages.ts';
import { sqsLimits } from '../contract.ts';
import type { Change } from '../model/change.ts';
import type { ChangeSink, Clock, Log } from '../ports.ts';

export interface Sender extends ChangeSink {
  /** Changes that the queue does not have yet. */
  readonly waiting: () => number;
  readonly sent: () => number;
}

interface Waiting {
  readonly body: string;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

const parallelBatches = 4;

/** A batch's messages together (SQS: 1 MiB). */
const batchBytes = 900_000;

export function createSender(options: {
  client: SQSClient;
  queueUrl: string;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}): Sender {
  const waiting: Waiting[] = [];
  let running = 0;
  let sent = 0;
  const pump = async () => {
    if (running >= parallelBatches) return;
    running++;
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      const ok = await deliver(options, batch);
      if (ok) sent += batch.length;
      for (const one of batch)
        ok ? one.done() : one.failed(new Error('the watcher ends before the queue has the change'));
    }
    running--;
  };
  return {
    waiting: () => waiting.length,
    sent: () => sent,
    async send(changes: readonly Change[]) {
      const all = changes.map(
        (change) => new Promise<void>((done, failed) => waiting.push({ body: formatMessage(change), done, failed })),
      );
      for (let i = 0; i < Math.ceil(changes.length / sqsLimits.maxBatchEntries) && running < parallelBatches; i++)
        void pump();
      await Promise.all(all);
    },
  };
}

function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let bytes = 0;
  const count = waiting.slice(0, sqsLimits.maxBatchEntries).findIndex((one, i) => {
    bytes += Buffer.byteLength(one.body);
    return i > 0 && bytes > batchBytes;
  });
  return waiting.splice(0, count === -1 ? sqsLimits.maxBatchEntries : count);
}

/** False only when the watcher is told to end. */
async function deliver(
  options: { client: SQSClient; queueUrl: string; clock: Clock; log: Log; signal: AbortSignal },
  batch: readonly Waiting[],
): Promise<boolean> {
  let entries = batch.map((one, i) => ({ Id: String(i), MessageBody: one.body }));
  for (let attempt = 0; !options.signal.aborted; attempt++) {
    try {
      const { Failed = [] } = await options.client.send(
        new SendMessageBatchCommand({ QueueUrl: options.queueUrl, Entries: entries }),
      );
      if (Failed.length === 0) return true;
      options.log.warn('the ingest queue refused changes; sending them again', {
        count: Failed.length,
        why: Failed[0]?.Message,
      });
      entries = entries.filter((entry) => Failed.some((failure) => failure.Id === entry.Id));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      options.log.error('the ingest queue cannot be reached; check its URL, the region and the role', {
        queueUrl: options.queueUrl,
        why,
        attempt,
      });
    }
    await options.clock.sleep(Math.min(10_000, 50 * 2 ** Math.min(attempt, 8)));
  }
  return false;
}
