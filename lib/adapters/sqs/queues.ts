// The Queues port on SQS: selects the queue and the delay in whole seconds.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type ClusterStage, clusterQueue, outboundQueue, sqsLimits } from '../../contract.ts';
import { type ClusterId, type ClusterName, clusterNameOf, incarnationOf } from '../../model/identity.ts';
import type { Instant } from '../../model/time.ts';
import type { Clock, Queues } from '../../ports.ts';
import { type Entry, sendEntries } from './sendEntries.ts';
import { formatMessage } from './wire.ts';

export interface QueueUrls {
  readonly evaluate: string;
  readonly evict: string;
  readonly report: string;
  /** Clusters whose evict and report messages have queues of their own (`outboundQueue`). */
  readonly outbound: ReadonlySet<ClusterName>;
}

type Stage = 'evaluate' | ClusterStage;

export function createSqsQueues(client: SQSClient, urls: QueueUrls, clock: Clock): Queues {
  const send = (queue: Stage, entries: readonly Entry[]) =>
    sendEntries(client, { url: urls[queue], queue, clock }, entries);
  const later = <T extends object>({ notBefore, ...message }: T & { readonly notBefore?: Instant }) => ({
    body: formatMessage(message),
    delaySeconds: delayUp(notBefore, clock.now()),
  });
  const sendToCluster = async <T extends { readonly cluster: ClusterId; readonly notBefore?: Instant }>(
    queue: ClusterStage,
    messages: readonly T[],
  ) => {
    const urlOf = ({ cluster }: T) => {
      const name = clusterNameOf(cluster);
      return urls.outbound.has(name) ? outboundQueue(urls[queue], name) : urls[queue];
    };
    // SQS fair queuing: one message group per cluster.
    const entryOf = (one: T): Entry =>
      queue === 'evict' ? { ...later(one), group: clusterNameOf(one.cluster) } : later(one);
    for (const [url, mine] of Map.groupBy(messages, urlOf))
      await sendEntries(client, { url: urls[queue] === '' ? '' : url, queue, clock }, mine.map(entryOf));
  };
  const sendOwn = async (queue: 'ingest' | 'resend', cluster: ClusterId, message: object) => {
    const url = urls.evict === '' ? '' : clusterQueue(urls.evict, queue, clusterNameOf(cluster));
    await sendEntries(client, { url, queue, clock }, [later(message)]);
  };
  return {
    async sendDue(messages) {
      for (const { stage, cluster, rows, ...when } of messages) {
        if (stage === 'ingest')
          await sendOwn('ingest', cluster, { type: 'Due', incarnation: incarnationOf(cluster), rows, ...when });
        else
          await sendToCluster(
            stage,
            rows.map((row) => ({ cluster, rows: [row], ...when })),
          );
      }
    },
    async sendResend(messages) {
      for (const message of messages) await sendOwn('resend', message.cluster, message);
    },
    sendEvaluate: (messages) => send('evaluate', messages.map(later)),
    sendEvict: (messages) => sendToCluster('evict', messages),
    sendReport: (messages) => sendToCluster('report', messages),
    sendEvents: (messages) => sendToCluster('report', messages),
  };
}

/** Rounded up: no message may arrive before its time. */
function delayUp(notBefore: Instant | undefined, now: Instant): number {
  return Math.min(sqsLimits.maxDelaySeconds, Math.max(0, Math.ceil(((notBefore ?? now) - now) / 1000)));
}
