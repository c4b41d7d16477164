// Takes messages of one queue and gives them to a stage's handler, as an event source mapping does for a function.
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import type { SqsHandler } from '../lambda/sqsHandler.ts';
import type { Log } from '../ports.ts';
import { backoff, createComplaint, pause } from '../watcher/pauses.ts';
import type { PolledQueue } from './probes.ts';

export interface Polled {
  readonly client: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  readonly region: string;
  readonly batchSize: number;
  readonly handler: SqsHandler;
  readonly log: Log;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** What the probes are told. */
  readonly state: PolledQueue;
}

/** Seconds of one long poll (SQS WaitTimeSeconds). */
export const longPoll = 20;

/** Ends when the signal is aborted, after what was received is done. */
export async function poll(of: Polled): Promise<void> {
  const complaint = createComplaint(of.log, of);
  for (let failures = 0; !of.signal.aborted; ) {
    try {
      const messages = await receive(of);
      of.state.answered = true;
      if (messages.length > 0) await handle(of, messages);
      complaint.settle('the queue answers again');
      of.state.problem = undefined;
      failures = 0;
    } catch (error) {
      if (of.signal.aborted) return;
      of.state.problem = error instanceof Error ? error.message : String(error);
      complaint.say(`queue ${of.queueUrl}: ${of.state.problem}`);
      await pause(of.signal, Math.max(1000, backoff(++failures)));
    }
  }
}

async function receive({ client, queueUrl, batchSize, signal, state }: Polled): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: batchSize,
    // The first is short, so that a new pod is ready at once.
    WaitTimeSeconds: state.answered ? longPoll : 1,
    MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
  });
  const { Messages = [] } = await client.send(command, { abortSignal: signal });
  // Received in the moment of the end: for whoever comes next.
  if (signal.aborted) await Promise.all(Messages.map((one) => giveBack({ client, queueUrl }, one)));
  return signal.aborted ? [] : Messages;
}

async function giveBack(
  { client, queueUrl }: Pick<Polled, 'client' | 'queueUrl'>,
  { ReceiptHandle }: Message,
): Promise<void> {
  await client.send(new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
}

/** What the handler names has failed and stays in the queue; all else is done and deleted. */
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
