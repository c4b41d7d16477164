// The parts of SQS that Sluice uses, in memory: delays, visibility, receive counts, dead letters; no order, and random faults.
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';

export interface QueuedMessage {
  readonly id: string;
  readonly queue: string;
  readonly body: string;
  readonly sentAt: Instant;
  /** MessageGroupId. */
  readonly group?: string;
  /** Not delivered before this time. */
  visibleAt: Instant;
  receives: number;
}

/** The fate of one message, drawn when it is sent: the delays of its deliveries; none if it is lost. */
export type Draw = () => readonly Milliseconds[];

export interface Queues {
  /** Messages by queue, including those that cannot be received yet. */
  readonly messages: ReadonlyMap<string, readonly QueuedMessage[]>;
  readonly deadLetters: readonly QueuedMessage[];
  readonly client: Pick<SQSClient, 'send'>;
  /** Receives at most `limit` messages, hides them for `visibility` and counts the receives. */
  receive(queue: string, limit: number, visibility: Milliseconds): readonly QueuedMessage[];
  remove(message: Pick<QueuedMessage, 'queue' | 'id'>): void;
  /** Sends dead letters back to their queues. */
  redrive(): void;
  /** Makes every delayed or hidden message ready now. */
  hasten(): void;
}

export interface QueuesOptions {
  readonly now: () => Instant;
  readonly draw: Draw;
  readonly maxReceives: number;
  /** Called with the time at which a message of a queue will be ready. */
  readonly onReady: (queue: string, at: Instant) => void;
  readonly sleep: (duration: Milliseconds) => Promise<void>;
}

interface Input {
  readonly QueueUrl?: string;
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
  readonly MaxNumberOfMessages?: number;
  readonly WaitTimeSeconds?: number;
  readonly VisibilityTimeout?: number;
  readonly ReceiptHandle?: string;
  readonly Entries?: readonly (Omit<Input, 'Entries'> & { readonly Id?: string })[];
}

export function createQueues({ now, draw, maxReceives, onReady, sleep }: QueuesOptions): Queues {
  const queues = new Map<string, QueuedMessage[]>();
  const deadLetters: QueuedMessage[] = [];
  /** Long polls, notified of every message that is sent. */
  const polls = new Map<string, (() => void)[]>();
  let ids = 0;
  const messagesOf = (queue: string) => {
    const found = queues.get(queue) ?? [];
    queues.set(queue, found);
    return found;
  };
  const put = (queue: string, body: string, delay: Milliseconds, group?: string) => {
    const of = group === undefined ? {} : { group };
    for (const later of draw()) {
      const visibleAt = now() + delay + later;
      messagesOf(queue).push({ id: `m${++ids}`, queue, body, sentAt: now(), visibleAt, receives: 0, ...of });
      onReady(queue, visibleAt);
    }
    for (const tell of polls.get(queue)?.splice(0) ?? []) tell();
  };
  const find = (queue: string, id: string | undefined) => messagesOf(queue).find((message) => message.id === id);
  const remove = ({ queue, id }: Pick<QueuedMessage, 'queue' | 'id'>) => {
    const all = messagesOf(queue);
    const at = all.findIndex((message) => message.id === id);
    if (at >= 0) all.splice(at, 1);
  };
  const receive: Queues['receive'] = (queue, limit, visibility) => {
    const ready = messagesOf(queue).filter(({ visibleAt }) => visibleAt <= now());
    const taken: QueuedMessage[] = [];
    for (const message of ready) {
      if (message.receives >= maxReceives) {
        remove(message);
        deadLetters.push(message);
        continue;
      }
      if (taken.length === limit) break;
      message.receives++;
      message.visibleAt = now() + visibility;
      onReady(queue, message.visibleAt);
      taken.push(message);
    }
    return taken;
  };
  const hide = (queue: string, { ReceiptHandle, VisibilityTimeout = 0 }: Input) => {
    const message = find(queue, ReceiptHandle);
    if (!message) return;
    message.visibleAt = now() + VisibilityTimeout * 1000;
    onReady(queue, message.visibleAt);
  };
  /** A long poll: waits until a message is ready, or the time is up. */
  const ready = (queue: string, until: Instant) => {
    const first = Math.min(until, ...messagesOf(queue).map(({ visibleAt }) => visibleAt));
    const isSent = new Promise<void>((resolve) => polls.set(queue, [...(polls.get(queue) ?? []), resolve]));
    return Promise.race([sleep(first - now()), isSent]);
  };
  const receiveSoon = async (queue: string, input: Input): Promise<object> => {
    const { MaxNumberOfMessages = 1, VisibilityTimeout = 30, WaitTimeSeconds = 0 } = input;
    const until = now() + WaitTimeSeconds * 1000;
    let taken = receive(queue, MaxNumberOfMessages, VisibilityTimeout * 1000);
    while (taken.length === 0 && now() < until) {
      await ready(queue, until);
      taken = receive(queue, MaxNumberOfMessages, VisibilityTimeout * 1000);
    }
    return { Messages: taken.map(({ id, body }) => ({ MessageId: id, ReceiptHandle: id, Body: body })) };
  };
  const carryOut = async (name: string, input: Input): Promise<object> => {
    const queue = input.QueueUrl?.split('/').at(-1) ?? '';
    const entries = input.Entries ?? [input];
    switch (name.replace(/\d*$/, '')) {
      case 'SendMessageCommand':
      case 'SendMessageBatchCommand':
        for (const { MessageBody = '', DelaySeconds = 0, MessageGroupId } of entries)
          put(queue, MessageBody, DelaySeconds * 1000, MessageGroupId);
        return { Failed: [] };
      case 'ChangeMessageVisibilityCommand':
      case 'ChangeMessageVisibilityBatchCommand':
        for (const entry of entries) hide(queue, entry);
        return { Failed: [] };
      case 'DeleteMessageCommand':
      case 'DeleteMessageBatchCommand':
        for (const { ReceiptHandle = '' } of entries) remove({ queue, id: ReceiptHandle });
        return { Failed: [] };
      case 'ReceiveMessageCommand':
        return receiveSoon(queue, input);
      default:
        throw new Error(`the queues in memory do not know ${name}`);
    }
  };
  return {
    messages: queues,
    deadLetters,
    client: {
      send: async (command: { readonly input: Input }) => carryOut(command.constructor.name, command.input),
    } as unknown as Queues['client'],
    receive,
    remove,
    hasten() {
      for (const message of [...queues.values()].flat()) {
        message.visibleAt = Math.min(message.visibleAt, now());
        onReady(message.queue, now());
      }
    },
    redrive() {
      for (const { queue, body, group } of deadLetters.splice(0)) put(queue, body, 0, group);
    },
  };
}
