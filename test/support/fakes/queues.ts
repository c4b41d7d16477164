// In-memory Queues port: records sent messages in wire format, with queue, delay and group.
import { type Stage, sqsLimits } from '../../../lib/contract.ts';
import { clusterNameOf } from '../../../lib/model/identity.ts';
import type { Instant } from '../../../lib/model/time.ts';
import type { Queues } from '../../../lib/ports.ts';

export interface SentMessage {
  readonly stage: Stage | 'resend';
  readonly message: object;
  /** Whole seconds. */
  readonly delaySeconds: number;
  readonly group?: string;
  /** Only for a per-cluster queue. */
  readonly cluster?: string;
}

export interface FakeQueues extends Queues {
  readonly sent: SentMessage[];
}

export function createFakeQueues(now: () => Instant): FakeQueues {
  const sent: SentMessage[] = [];
  const delayOf = ({ notBefore }: { readonly notBefore?: Instant | undefined }) =>
    clamped(Math.ceil(((notBefore ?? now()) - now()) / 1000));
  const put = (
    stage: SentMessage['stage'],
    messages: readonly { readonly cluster: string; readonly notBefore?: Instant }[],
  ) => {
    for (const { notBefore, ...message } of messages) {
      const delaySeconds = delayOf({ notBefore });
      // Message group per cluster, for SQS fair queues.
      sent.push({
        stage,
        message,
        delaySeconds,
        ...(stage === 'evict' ? { group: clusterNameOf(message.cluster) } : {}),
      });
    }
  };
  return {
    sent,
    sendEvaluate: async (messages) => put('evaluate', messages),
    sendEvict: async (messages) => put('evict', messages),
    sendDue: async (messages) => {
      for (const { stage, cluster, rows, ...when } of messages) {
        if (stage === 'ingest')
          sent.push({ stage, message: { type: 'Due', rows }, delaySeconds: delayOf(when), cluster });
        else
          put(
            stage,
            rows.map((row) => ({ cluster, rows: [row], ...when })),
          );
      }
    },
    sendResend: async (messages) => {
      for (const message of messages)
        sent.push({ stage: 'resend', message, delaySeconds: 0, cluster: message.cluster });
    },
    sendReport: async (messages) => put('report', messages),
    sendEvents: async (messages) => put('report', messages),
  };
}

function clamped(seconds: number): number {
  return Math.max(0, Math.min(sqsLimits.maxDelaySeconds, seconds));
}
