// Sends messages to one queue in batches within the limits of SQS, and retries failed entries.
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { sqsLimits } from '../../contract.ts';
import type { Clock } from '../../ports.ts';

export interface Entry {
  readonly body: string;
  /** Whole seconds, 0 to 900. */
  readonly delaySeconds: number;
  /** MessageGroupId; on a standard queue it is the tenant of fair queuing. */
  readonly group?: string;
}

export interface Destination {
  readonly url: string;
  /** Name for error messages. */
  readonly queue: string;
  readonly clock: Clock;
}

/** A failed entry of a batch. `isFault`: a retry cannot help (SenderFault). */
export interface RefusedEntry<E extends Entry> {
  readonly entry: E;
  readonly isFault: boolean;
  readonly why: string;
}

const attempts = 5;

/** The SDK's client has 50 connections: further requests would wait for one until they time out. */
const sentAtOnce = 25;

/** Splits entries into batches of at most ten, each within the size limit of one request. */
export function batchesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.body);
    const last = batches.at(-1);
    if (!last || last.length === sqsLimits.maxBatchEntries || bytes + size > sqsLimits.maxMessageBytes) {
      batches.push([entry]);
      bytes = size;
    } else {
      last.push(entry);
      bytes += size;
    }
  }
  return batches;
}

/** Throws if entries still fail after five attempts; SQS then delivers the caller's own message again. */
export async function sendEntries(client: SQSClient, to: Destination, entries: readonly Entry[]): Promise<void> {
  if (entries.length > 0 && to.url === '') throw new Error(`queue ${to.queue} is not configured for this function`);
  const batches = batchesOf(entries);
  for (let at = 0; at < batches.length; at += sentAtOnce)
    await Promise.all(batches.slice(at, at + sentAtOnce).map((batch) => sendPatiently(client, to, batch)));
}

async function sendPatiently(client: SQSClient, to: Destination, batch: readonly Entry[]): Promise<void> {
  let left = batch;
  for (let attempt = 1; ; attempt++) {
    const refused = await sendBatch(client, to.url, left);
    const [first] = refused;
    if (!first) return;
    if (attempt === attempts || refused.some((one) => one.isFault)) {
      throw new Error(`queue ${to.queue} refused ${refused.length} messages in attempt ${attempt}: ${first.why}`);
    }
    left = refused.map((one) => one.entry);
    await to.clock.sleep(20 * 2 ** (attempt - 1));
  }
}

/** Sends one request and returns the failed entries. Throws if the whole request failed. */
export async function sendBatch<E extends Entry>(
  client: Pick<SQSClient, 'send'>,
  url: string,
  batch: readonly E[],
): Promise<readonly RefusedEntry<E>[]> {
  const Entries = batch.map(
    (entry, i): SendMessageBatchRequestEntry => ({
      Id: String(i),
      MessageBody: entry.body,
      ...(entry.delaySeconds > 0 ? { DelaySeconds: entry.delaySeconds } : {}),
      ...(entry.group === undefined ? {} : { MessageGroupId: entry.group.slice(0, 128) }),
    }),
  );
  const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
  return Failed.flatMap(({ Id, SenderFault, Code, Message }) => {
    const entry = batch[Number(Id)];
    return entry ? [{ entry, isFault: SenderFault === true, why: `${Code}: ${Message ?? 'no message'}` }] : [];
  });
}
