// The outbox to the ingest queue: sends at once when idle, in batches of ten under load, and retries until SQS has accepted every message.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { batchesOf, type Entry, sendBatch } from '../adapters/sqs/sendEntries.ts';
import { sqsLimits } from '../contract.ts';
import type { ChangeMessage } from '../model/change.ts';
import type { Clock, Log } from '../ports.ts';
import { packed } from './packed.ts';
import { backoff, createComplaint, pause } from './pauses.ts';

export interface Outbox {
  /**
   * Resolves when there is room for more changes, not when SQS has them. At the bound it waits, so that callers stop reading: the API
   * server then ends the watch, which is resumed or relisted. No change is dropped.
   */
  send(changes: readonly ChangeMessage[]): Promise<void>;
  /** Resolves when SQS has all changes, or when `signal` is aborted. */
  drained(signal: AbortSignal): Promise<void>;
  readonly state: OutboxState;
}

export interface OutboxState {
  /** Changes that SQS does not have yet. */
  waiting: number;
  sent: number;
  /** Changes that SQS rejects permanently; each is logged. */
  refused: number;
  /** Why the last attempt failed; absent if it succeeded. */
  problem: string | undefined;
}

export interface OutboxOptions {
  readonly client: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** `send` waits while more changes or bytes are pending. */
  readonly bound?: { readonly changes: number; readonly bytes: number };
}

/** A message and its number of changes. */
type Waiting = Entry & { readonly changes: number };

/** Batches in flight at once; order does not matter, since every change carries its version. */
const parallel = 4;

const defaultBound = { changes: 2000, bytes: 8 * 1024 * 1024 };

export function createOutbox(options: OutboxOptions): Outbox {
  const bound = options.bound ?? defaultBound;
  const complaint = createComplaint(options.log, options.clock);
  const state: OutboxState = { waiting: 0, sent: 0, refused: 0, problem: undefined };
  const never = new AbortController().signal;
  let entries: Waiting[] = [];
  let bytes = 0;
  let running = 0;
  let isScheduled = false;
  let waiters: (() => void)[] = [];
  const isFull = () => state.waiting >= bound.changes || bytes >= bound.bytes;
  const wake = () => {
    const woken = waiters;
    waiters = [];
    for (const waiter of woken) waiter();
  };
  const changed = () => new Promise<void>((resolve) => waiters.push(resolve));

  /** Retries until SQS has accepted or permanently rejected every entry of the batch. */
  const deliver = async (batch: readonly Waiting[]) => {
    let left = batch;
    for (let failures = 0; left.length > 0; ) {
      const attempt = await tryBatch(options, left);
      for (const { entry, why } of attempt.refused) {
        options.log.error('SQS will never take this change', { why, body: entry.body.slice(0, 300) });
      }
      const refused = changesIn(attempt.refused.map(({ entry }) => entry));
      state.refused += refused;
      state.sent += changesIn(left) - changesIn(attempt.left) - refused;
      left = attempt.left;
      state.problem = attempt.problem;
      if (!attempt.problem) continue;
      complaint.say(attempt.problem, { queueUrl: options.queueUrl, waiting: state.waiting });
      await pause(never, Math.min(10_000, backoff(++failures)));
    }
    if (!state.problem) complaint.settle('the ingest queue takes changes again');
    state.waiting -= changesIn(batch);
    bytes -= batch.reduce((sum, entry) => sum + entry.body.length, 0);
    wake();
  };
  const pump = async () => {
    running++;
    while (entries.length > 0) {
      const [{ length } = []] = batchesOf(entries.slice(0, sqsLimits.maxBatchEntries));
      const batch = entries.slice(0, length);
      entries = entries.slice(batch.length);
      await deliver(batch);
    }
    running--;
  };
  /** Waits one turn of the event loop, so that changes of one chunk share a batch. */
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const batches = Math.ceil(entries.length / sqsLimits.maxBatchEntries);
      for (let i = 0; i < batches && running < parallel; i++) void pump();
    });
  };
  return {
    state,
    async send(changes) {
      for (const message of packed(changes)) {
        entries.push({ ...message, delaySeconds: 0 });
        bytes += message.body.length;
      }
      state.waiting += changes.length;
      if (changes.length > 0) schedule();
      while (isFull()) await changed();
    },
    async drained(signal) {
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      while (state.waiting > 0 && !signal.aborted) await Promise.race([changed(), aborted]);
    },
  };
}

function changesIn(entries: readonly Waiting[]): number {
  return entries.reduce((sum, { changes }) => sum + changes, 0);
}

interface Attempt {
  readonly left: readonly Waiting[];
  readonly refused: readonly { readonly entry: Waiting; readonly why: string }[];
  readonly problem: string | undefined;
}

async function tryBatch(options: OutboxOptions, batch: readonly Waiting[]): Promise<Attempt> {
  try {
    const failed = await sendBatch(options.client, options.queueUrl, batch);
    const left = failed.filter((one) => !one.isFault);
    const problem = left[0] && `the ingest queue is busy (${left[0].why}); the changes are sent again`;
    return { left: left.map((one) => one.entry), refused: failed.filter((one) => one.isFault), problem };
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const remedy = 'check SLUICE_INGEST_QUEUE_URL, the region and the permission sqs:SendMessage';
    return { left: batch, refused: [], problem: `the ingest queue cannot be reached (${why}); ${remedy}` };
  }
}
