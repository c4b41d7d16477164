// Fault injection between a queue and a function, chosen by a test for each message.
import type { Message } from '@aws-sdk/client-sqs';

/** One receive of one message by an event source mapping. */
export interface Delivery {
  /** Name of the queue. */
  readonly queue: string;
  readonly messageId: string;
  readonly body: string;
  /** 1 for the first receive. */
  readonly receiveCount: number;
}

/**
 * Duplicate: delivered twice, the second time in a separate batch, perhaps while the first is still being processed.
 * Delay: delivered later in a separate batch; 0 ms still delivers it after the others.
 * Lose: not delivered; it becomes visible again after the visibility timeout.
 * Forget: delivered and processed, but not deleted; it becomes visible again.
 * Crash: the environment that processes its batch crashes after `afterMs`, unless it has answered by then.
 */
export type Fault =
  | { readonly kind: 'Duplicate' | 'Delay' | 'Crash'; readonly afterMs: number }
  | { readonly kind: 'Lose' | 'Forget' };

export type InjectFault = (delivery: Delivery) => Fault | undefined;

export interface Batch {
  readonly messages: readonly Message[];
  readonly afterMs: number;
  /** Ids of messages that are not deleted, whatever the function returns. */
  readonly forgotten: ReadonlySet<string>;
  readonly crashAfterMs?: number;
}

/** Splits one receive into batches to deliver. Without faults: one batch, delivered at once. */
export function batchesOf(
  queue: string,
  messages: readonly Message[],
  inject: InjectFault | undefined,
): readonly Batch[] {
  if (!inject) return [{ messages, afterMs: 0, forgotten: new Set() }];
  const alone: Batch[] = [];
  const together: Message[] = [];
  const forgotten = new Set<string>();
  let crashAfterMs: number | undefined;
  for (const message of messages) {
    const fault = inject(deliveryOf(queue, message));
    if (fault?.kind === 'Duplicate' || fault?.kind === 'Delay')
      alone.push({ messages: [message], afterMs: fault.afterMs, forgotten: new Set() });
    if (fault?.kind === 'Forget') forgotten.add(message.MessageId ?? '');
    if (fault?.kind === 'Crash') crashAfterMs = fault.afterMs;
    if (fault?.kind !== 'Delay' && fault?.kind !== 'Lose') together.push(message);
  }
  if (together.length === 0) return alone;
  return [
    { messages: together, afterMs: 0, forgotten, ...(crashAfterMs === undefined ? {} : { crashAfterMs }) },
    ...alone,
  ];
}

function deliveryOf(queue: string, message: Message): Delivery {
  return {
    queue,
    messageId: message.MessageId ?? '',
    body: message.Body ?? '',
    receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 1),
  };
}
