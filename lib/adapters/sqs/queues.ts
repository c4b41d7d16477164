// The Queues port on SQS: batches of ten, whole seconds of delay, failures of single entries repeated.
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { sqsLimits } from '../../contract.ts';
import type { Instant } from '../../model/time.ts';
import type { Clock, EvictMessage, Queues } from '../../ports.ts';
import { formatMessage } from './messages.ts';

export interface QueueUrls {
  readonly reconcile: string;
  readonly pace: string;
  readonly evict: string;
  readonly report: string;
}

const attempts = 5;

export interface Entry {
  readonly body: string;
  readonly delaySeconds: number;
  readonly group?: string;
}

export function createSqsQueues(client: SQSClient, urls: QueueUrls, clock: Clock): Queues {
  const send = (queue: keyof QueueUrls, entries: readonly Entry[]) =>
    sendEntries(client, { url: urls[queue], queue, clock }, entries);
  const later = <T extends object>({ notBefore, ...message }: T & { readonly notBefore?: Instant }) => ({
    body: formatMessage(message),
    delaySeconds: delayUp(notBefore, clock.now()),
  });
  return {
    sendReconcile: (messages) =>
      send(
        'reconcile',
        messages.map((message) => ({ body: formatMessage(message), delaySeconds: 0 })),
      ),
    sendPace: (messages) => send('pace', messages.map(later)),
    sendEvict: (messages) =>
      send(
        'evict',
        messages.map((message) => evictEntry(message, clock.now())),
      ),
    sendReport: (messages) => send('report', messages.map(later)),
    sendEvents: (messages) =>
      send(
        'report',
        messages.map((message) => ({ body: formatMessage(message), delaySeconds: 0 })),
      ),
  };
}

/** Rounded down: the evictor waits for the rest, and a slot that is missed by a second is lost. */
function evictEntry(message: EvictMessage, now: Instant): Entry {
  const first = Math.min(...message.tasks.map((task) => task.slot));
  const delaySeconds = Math.min(sqsLimits.maxDelaySeconds, Math.max(0, Math.floor((first - now) / 1000)));
  return { body: formatMessage(message), delaySeconds, group: message.cluster };
}

/** Rounded up: nothing may be looked at before its time. */
function delayUp(notBefore: Instant | undefined, now: Instant): number {
  return Math.min(sqsLimits.maxDelaySeconds, Math.max(0, Math.ceil(((notBefore ?? now) - now) / 1000)));
}

/** Throws where entries are still refused after five attempts; the caller's own message comes back then. */
export async function sendEntries(
  client: SQSClient,
  to: { readonly url: string; readonly queue: string; readonly clock: Clock },
  entries: readonly Entry[],
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(entries.length / sqsLimits.maxBatchEntries) }, (_, i) =>
    entries.slice(i * sqsLimits.maxBatchEntries, (i + 1) * sqsLimits.maxBatchEntries),
  );
  if (batches.length > 0 && to.url === '') throw new Error(`queue ${to.queue} is not configured for this function`);
  await Promise.all(batches.map((batch) => sendBatch(client, to, batch)));
}

async function sendBatch(
  client: SQSClient,
  to: { url: string; queue: string; clock: Clock },
  batch: readonly Entry[],
): Promise<void> {
  let left = batch.map(
    (entry, i): SendMessageBatchRequestEntry => ({
      Id: String(i),
      MessageBody: entry.body,
      DelaySeconds: entry.delaySeconds,
      ...(entry.group === undefined ? {} : { MessageGroupId: entry.group.slice(0, 128) }),
    }),
  );
  let why = '';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: to.url, Entries: left }));
    if (Failed.length === 0) return;
    why = `${Failed[0]?.Code}: ${Failed[0]?.Message}`;
    left = left.filter((entry) => Failed.some((failure) => failure.Id === entry.Id));
    await to.clock.sleep(20 * 2 ** attempt);
  }
  throw new Error(`queue ${to.queue} refused ${left.length} messages ${attempts} times, last ${why}`);
}
