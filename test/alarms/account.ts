// The parts of an AWS account that alarms depend on: queues, functions that consume them, a schedule, and reported metrics.
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createMetricStore, type MetricStore } from './metricStore.ts';

/** Times that each function ran in the chain of calls that led to a message; AWS carries it in the trace header. */
type Chain = Readonly<Record<string, number>>;

export interface Message {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  readonly chain: Chain;
  visibleAt: number;
  receives: number;
}

export interface AccountQueue {
  readonly name: string;
  /** What the services call the queue and its dead-letter queue in their metrics. */
  readonly metricNames: { readonly queue: string; readonly dead: string };
  /** Milliseconds. */
  readonly visibilityTimeout: number;
  readonly maxReceiveCount: number;
  readonly batchSize: number;
  messages: Message[];
  dead: Message[];
  /** The function that consumes its messages; undefined while the event source mapping is disabled. */
  consumer: AccountFunction | undefined;
}

export type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse | undefined>;

export interface AccountFunction {
  /** Its name in the metrics of Lambda; a process that is not a function has none. */
  readonly metricName?: string;
  /** Loads its module; a function that cannot start fails each time. */
  start: () => Promise<Handler>;
}

export interface Account {
  readonly metrics: MetricStore;
  now(): number;
  /** Moves the clock, as a step does that sleeps. */
  sleep(milliseconds: number): Promise<void>;
  send(queue: AccountQueue, message: { readonly body: string; readonly delaySeconds?: number }): void;
  returnLater(receiptHandle: string, seconds: number): void;
  invoke(target: AccountFunction, event: SQSEvent, chain?: Chain): Promise<Invoked>;
  /** Delivers every message that is visible now. */
  deliver(queues: readonly AccountQueue[]): Promise<void>;
  /** Moves the clock up to `at`. */
  passTo(at: number): void;
  /** Reports the metrics that SQS reports each minute. */
  reportQueues(queues: readonly AccountQueue[]): void;
}

type Invoked =
  | { readonly kind: 'Failed' | 'Dropped' }
  | { readonly kind: 'Done'; readonly failed: ReadonlySet<string> };

/** Runs of one function in one chain at which Lambda detects a loop (AWS Lambda, recursive loop detection). */
const loopLimit = 16;

/** Receives after which SQS no longer counts a message as the oldest (Amazon SQS, ApproximateAgeOfOldestMessage). */
const poisonReceives = 3;

export function createAccount(start: number): Account {
  const metrics = createMetricStore();
  const inFlight = new Map<string, Message>();
  let now = start;
  let sent = 0;
  /** The chain of the function that is running. */
  let chain: Chain = {};

  const reportLambda = (target: AccountFunction, name: string, value: number) => {
    if (target.metricName === undefined) return;
    metrics.put({ namespace: 'AWS/Lambda', name, dimensions: { FunctionName: target.metricName } }, value, now);
  };

  async function run(target: AccountFunction, event: SQSEvent): Promise<Invoked> {
    reportLambda(target, 'Invocations', 1);
    try {
      const handler = await target.start();
      const answer = await handler(event, { getRemainingTimeInMillis: () => 30_000 } as Context);
      reportLambda(target, 'Errors', 0);
      return { kind: 'Done', failed: new Set(answer?.batchItemFailures.map((one) => one.itemIdentifier)) };
    } catch {
      reportLambda(target, 'Errors', 1);
      return { kind: 'Failed' };
    }
  }

  async function invoke(target: AccountFunction, event: SQSEvent, incoming: Chain = {}): Promise<Invoked> {
    const key = target.metricName ?? '';
    const runs = incoming[key] ?? 0;
    if (runs >= loopLimit) {
      reportLambda(target, 'RecursiveInvocationsDropped', 1);
      return { kind: 'Dropped' };
    }
    chain = { ...incoming, [key]: runs + 1 };
    const invoked = await run(target, event);
    chain = {};
    return invoked;
  }

  async function deliverBatch(queue: AccountQueue, consumer: AccountFunction): Promise<boolean> {
    const batch = queue.messages.filter((one) => one.visibleAt <= now).slice(0, queue.batchSize);
    if (batch.length === 0) return false;
    const dead = batch.filter((one) => one.receives >= queue.maxReceiveCount);
    queue.dead.push(...dead);
    queue.messages = queue.messages.filter((one) => !dead.includes(one));
    const received = batch.filter((one) => !dead.includes(one));
    for (const message of received) {
      message.receives++;
      message.visibleAt = now + queue.visibilityTimeout;
      inFlight.set(message.id, message);
    }
    if (received.length === 0) return true;
    const event = { Records: received.map((one) => recordOf(queue, one)) };
    const invoked = await invoke(consumer, event, joined(received.map((one) => one.chain)));
    const done = (one: Message) =>
      invoked.kind === 'Dropped' || (invoked.kind === 'Done' && !invoked.failed.has(one.id));
    queue.messages = queue.messages.filter((one) => !(received.includes(one) && done(one)));
    return true;
  }

  return {
    metrics,
    now: () => now,
    async sleep(milliseconds) {
      now += milliseconds;
    },
    send(queue, { body, delaySeconds = 0 }) {
      const visibleAt = now + delaySeconds * 1000;
      queue.messages.push({ id: String(++sent), body, sentAt: now, visibleAt, chain, receives: 0 });
    },
    returnLater(receiptHandle, seconds) {
      const message = inFlight.get(receiptHandle);
      if (message) message.visibleAt = now + seconds * 1000;
    },
    invoke,
    async deliver(queues) {
      for (const queue of queues) {
        const { consumer } = queue;
        while (consumer && (await deliverBatch(queue, consumer)));
      }
    },
    passTo(at) {
      now = Math.max(now, at);
    },
    reportQueues(queues) {
      const report = (QueueName: string, name: string, value: number) =>
        metrics.put({ namespace: 'AWS/SQS', name, dimensions: { QueueName } }, value, now);
      for (const queue of queues) {
        const waiting = queue.messages.filter((one) => one.receives < poisonReceives);
        const age = Math.max(0, ...waiting.map((one) => (now - one.sentAt) / 1000));
        report(queue.metricNames.queue, 'ApproximateAgeOfOldestMessage', age);
        report(queue.metricNames.dead, 'ApproximateNumberOfMessagesVisible', queue.dead.length);
      }
    },
  };
}

function recordOf({ name }: AccountQueue, { id, body, receives, sentAt }: Message): SQSRecord {
  return {
    messageId: id,
    receiptHandle: id,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:eu-west-1:123456789012:${name}`,
    awsRegion: 'eu-west-1',
  };
}

/** A batch is as deep in a loop as the deepest of its messages. */
function joined(chains: readonly Chain[]): Chain {
  const all: Record<string, number> = {};
  for (const one of chains) for (const [name, runs] of Object.entries(one)) all[name] = Math.max(all[name] ?? 0, runs);
  return all;
}
