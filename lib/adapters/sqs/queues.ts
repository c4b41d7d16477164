// The Queues port on SQS: which queue, and how many whole seconds of delay.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { sqsLimits } from '../../contract.ts';
import type { Instant } from '../../model/time.ts';
import type { Clock, EvictMessage, Queues } from '../../ports.ts';
import { formatMessage } from './messages.ts';
import { type Entry, sendEntries } from './sendEntries.ts';

export interface QueueUrls {
  readonly reconcile: string;
  readonly pace: string;
  readonly evict: string;
  readonly report: string;
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
        messages.filter(({ tasks }) => tasks.length > 0).map((message) => evictEntry(message, clock.now())),
      ),
    sendReport: (messages) => send('report', messages.map(later)),
    sendReleases: (messages) => send('report', messages.map(later)),
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
