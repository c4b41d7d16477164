// A queue feeding a function: long polls, partial batch failures, one poller per execution environment up to a limit.
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ExecutionEnvironment, InvocationResult } from './executionEnvironment.ts';

export interface MappingOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly batchSize: number;
  /** Pollers, each with an environment of its own. */
  readonly concurrency: number;
  /** How many of them start at once; the others when all are busy. */
  readonly warm: number;
  readonly start: () => Promise<ExecutionEnvironment>;
  readonly onFailure: (error: string) => void;
}

export interface EventSourceMapping {
  readonly environments: readonly ExecutionEnvironment[];
  stop(): Promise<void>;
}

const longPollSeconds = 20;

/** Another poller joins each time all of them are busy. */
export async function startEventSourceMapping(options: MappingOptions): Promise<EventSourceMapping> {
  const abort = new AbortController();
  const environments: ExecutionEnvironment[] = [];
  const pollers: Promise<void>[] = [];
  let busy = 0;
  const add = async () => {
    const environment = await options.start();
    environments.push(environment);
    pollers.push(poll(environment));
  };
  let growing: Promise<void> | undefined;
  const grow = () => {
    if (growing || abort.signal.aborted || environments.length >= options.concurrency || busy < environments.length)
      return;
    growing = add().finally(() => {
      growing = undefined;
    });
  };
  const poll = async (environment: ExecutionEnvironment) => {
    while (!abort.signal.aborted) {
      const messages = await receive(options, abort.signal);
      if (messages.length === 0) continue;
      busy++;
      grow();
      const result = await environment.invoke({
        Records: messages.map((message) => recordOf(message, options.queueArn)),
      });
      busy--;
      await settle(options, messages, result);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(options.warm, options.concurrency)) }, add));
  return {
    environments,
    async stop() {
      abort.abort();
      await growing;
      await Promise.all(environments.map((environment) => environment.stop()));
      await Promise.allSettled(pollers);
    },
  };
}

async function receive(
  { client, queueUrl, batchSize }: MappingOptions,
  abortSignal: AbortSignal,
): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: Math.min(10, batchSize),
    WaitTimeSeconds: longPollSeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  try {
    return (await client.send(command, { abortSignal })).Messages ?? [];
  } catch {
    // The queue's server is gone or the poll was cut off; the loop tries again unless it is to end.
    if (!abortSignal.aborted) await new Promise((resolve) => setTimeout(resolve, 200));
    return [];
  }
}

/** What is not named a failure is deleted; failures stay until their visibility time-out is over. */
async function settle(options: MappingOptions, messages: readonly Message[], result: InvocationResult): Promise<void> {
  if (result.kind === 'Failed') {
    options.onFailure(result.error);
    return;
  }
  const failures =
    (result.value as { batchItemFailures?: { itemIdentifier: string }[] } | null)?.batchItemFailures ?? [];
  const failed = new Set(failures.map((failure) => failure.itemIdentifier));
  const done = messages.filter((message) => !failed.has(message.MessageId ?? ''));
  if (done.length === 0) return;
  const Entries = done.map((message, i) => ({ Id: String(i), ReceiptHandle: message.ReceiptHandle ?? '' }));
  await options.client.send(new DeleteMessageBatchCommand({ QueueUrl: options.queueUrl, Entries })).catch(() => {});
}

function recordOf(message: Message, queueArn: string): object {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: {},
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: 'us-east-1',
  };
}
