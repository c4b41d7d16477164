// Emulates an SQS event source mapping: long polling, batches, partial batch failures and maximum concurrency.
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type Batch, batchesOf, type InjectFault } from './faults.ts';
import type { FunctionPool } from './functionPool.ts';
import type { LocalQueue } from './queues.ts';
import { failedIds, sqsEventOf } from './sqsEvent.ts';

export interface MappingOptions {
  readonly client: SQSClient;
  readonly queue: LocalQueue;
  readonly pool: FunctionPool;
  readonly batchSize: number;
  readonly windowSeconds: number;
  readonly reportsFailures: boolean;
  readonly maxConcurrency: number;
  readonly inject?: InjectFault;
}

export interface EventSourceMapping {
  /** Receives no more messages; running invocations continue. */
  stopPolling(): void;
  /** Resolves when all invocations have ended; call `stopPolling` first, and let functions end or end them. */
  ended(): Promise<void>;
}

/** SQS limits (AWS quotas). */
const longPollSeconds = 20;
const receiveLimit = 10;

export function startEventSourceMapping(options: MappingOptions): EventSourceMapping {
  const abort = new AbortController();
  const atWork = new Set<Promise<void>>();
  const hand = (batch: Batch) => {
    const work = deliver(options, batch, abort.signal).finally(() => atWork.delete(work));
    atWork.add(work);
  };
  // One poll at a time, and only while an environment is free, so that messages wait in the queue.
  const polling = (async () => {
    while (!abort.signal.aborted) {
      await options.pool.whenFree();
      if (atWork.size >= options.maxConcurrency) {
        await Promise.race(atWork);
        continue;
      }
      const messages = await receiveBatch(options, abort.signal);
      if (messages.length > 0) for (const batch of batchesOf(options.queue.name, messages, options.inject)) hand(batch);
    }
  })();
  return {
    stopPolling: () => abort.abort(),
    async ended() {
      await polling;
      await Promise.all(atWork);
    },
  };
}

/** Receives up to the batch size; with a batching window, also messages that arrive within it. */
async function receiveBatch(options: MappingOptions, signal: AbortSignal): Promise<readonly Message[]> {
  const messages = await receive(options, { most: options.batchSize, waitSeconds: longPollSeconds, signal });
  const end = Date.now() + options.windowSeconds * 1000;
  while (messages.length > 0 && messages.length < options.batchSize && Date.now() < end && !signal.aborted) {
    const waitSeconds = Math.min(longPollSeconds, Math.ceil((end - Date.now()) / 1000));
    messages.push(...(await receive(options, { most: options.batchSize - messages.length, waitSeconds, signal })));
  }
  return messages;
}

async function receive(
  { client, queue }: MappingOptions,
  { most, waitSeconds, signal }: { most: number; waitSeconds: number; signal: AbortSignal },
): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queue.url,
    MaxNumberOfMessages: Math.min(receiveLimit, most),
    WaitTimeSeconds: waitSeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  try {
    return (await client.send(command, { abortSignal: signal })).Messages ?? [];
  } catch {
    // The queue server is gone or the poll was aborted; the loop retries unless it is stopped.
    await sleep(200, signal);
    return [];
  }
}

async function deliver(options: MappingOptions, batch: Batch, signal: AbortSignal): Promise<void> {
  const { pool, queue } = options;
  if (batch.afterMs > 0) await sleep(batch.afterMs, signal);
  if (signal.aborted) return;
  let crash: NodeJS.Timeout | undefined;
  const result = await pool.invoke(sqsEventOf(batch.messages, queue.arn), (environment) => {
    if (batch.crashAfterMs !== undefined) crash = setTimeout(environment.crash, batch.crashAfterMs);
  });
  clearTimeout(crash);
  if (result.kind === 'Failed') return;
  const ids = batch.messages.map((message) => message.MessageId ?? '');
  const failed = options.reportsFailures ? failedIds(result.value, ids) : new Set();
  const done = batch.messages.filter(({ MessageId = '' }) => !failed.has(MessageId) && !batch.forgotten.has(MessageId));
  await remove(options, done);
}

/** Messages that are not deleted become visible again after the visibility timeout. */
async function remove({ client, queue }: MappingOptions, messages: readonly Message[]): Promise<void> {
  for (let from = 0; from < messages.length; from += receiveLimit) {
    const some = messages.slice(from, from + receiveLimit);
    const Entries = some.map((message, i) => ({ Id: String(i), ReceiptHandle: message.ReceiptHandle ?? '' }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries })).catch(() => {});
  }
}

/** Returns early if the signal aborts. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}
