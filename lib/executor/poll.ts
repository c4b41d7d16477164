// Receives messages of one queue and passes them to a stage's handler, as an event source mapping does for a function.
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { sqsLimits } from '../contract.ts';
import type { SqsHandler } from '../lambda/sqsHandler.ts';
import type { Log } from '../ports.ts';
import { backoff, createComplaint, pause } from '../watcher/pauses.ts';
import type { PolledQueue } from './probes.ts';

export interface Polled {
  readonly client: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  readonly region: string;
  readonly batchSize: number;
  /** Batches handled concurrently; when all are busy, no further message is received. */
  readonly concurrency: number;
  readonly handler: SqsHandler;
  readonly log: Log;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** State for the probes. */
  readonly state: PolledQueue;
}

/** Seconds of one long poll (SQS WaitTimeSeconds). */
export const longPoll = 20;

/**
 * Ends when the signal is aborted and all received messages are handled. Only one poll is open at a time: an idle queue costs three
 * requests per minute.
 */
export async function poll(of: Polled): Promise<void> {
  const complaint = createComplaint(of.log, of);
  const complain = (error: unknown) => {
    of.state.problem = error instanceof Error ? error.message : String(error);
    complaint.say(`queue ${of.queueUrl}: ${of.state.problem}`);
  };
  const underWay = new Set<Promise<void>>();
  const broken: unknown[] = [];
  const start = (batch: readonly Message[]) => {
    const handled = handle(of, batch)
      .catch((error: unknown) => void broken.push(error))
      .finally(() => underWay.delete(handled));
    underWay.add(handled);
  };
  for (let failures = 0; !of.signal.aborted; ) {
    try {
      if (broken.length > 0) throw broken.shift();
      if (underWay.size >= of.concurrency) {
        await Promise.race(underWay);
        continue;
      }
      const messages = await receive(of, (of.concurrency - underWay.size) * of.batchSize);
      of.state.answered = true;
      for (let i = 0; i < messages.length; i += of.batchSize) start(messages.slice(i, i + of.batchSize));
      complaint.settle('the queue answers again');
      of.state.problem = undefined;
      failures = 0;
    } catch (error) {
      if (of.signal.aborted) break;
      complain(error);
      await pause(of.signal, Math.max(1000, backoff(++failures)));
    }
  }
  await Promise.all(underWay);
  for (const error of broken) complain(error);
}

async function receive({ client, queueUrl, signal, state }: Polled, room: number): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: Math.min(room, sqsLimits.maxBatchEntries),
    // The first poll is short, so that a new pod becomes ready at once.
    WaitTimeSeconds: state.answered ? longPoll : 1,
    MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
  });
  const { Messages = [] } = await client.send(command, { abortSignal: signal });
  // Messages received during shutdown are returned for the next receiver.
  if (signal.aborted) await Promise.all(Messages.map((one) => giveBack({ client, queueUrl }, one)));
  return signal.aborted ? [] : Messages;
}

async function giveBack(
  { client, queueUrl }: Pick<Polled, 'client' | 'queueUrl'>,
  { ReceiptHandle }: Message,
): Promise<void> {
  await client.send(new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
}

/** Messages that the handler names have failed and stay in the queue; all others are deleted. */
async function handle({ client, queueUrl, region, handler }: Polled, messages: readonly Message[]): Promise<void> {
  const [account = '', name = ''] = queueUrl.split('/').slice(-2);
  const eventSourceARN = `arn:aws:sqs:${region}:${account}:${name}`;
  const Records = messages.map((one) => ({
    messageId: one.MessageId ?? '',
    receiptHandle: one.ReceiptHandle ?? '',
    body: one.Body ?? '',
    attributes: {
      ApproximateReceiveCount: one.Attributes?.ApproximateReceiveCount ?? '1',
      SentTimestamp: one.Attributes?.SentTimestamp ?? '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: one.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: region,
  }));
  const { batchItemFailures } = await handler({ Records }, {} as Context);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const Entries = messages
    .filter(({ MessageId = '' }) => !failed.has(MessageId))
    .map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
  if (Entries.length > 0) await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
}
