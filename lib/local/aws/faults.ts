// What may go wrong between a queue and a function, told by a test message by message.
import type { Message } from '@aws-sdk/client-sqs';

/** One receive of one message by an event source mapping. */
export interface Delivery {
  /** Name of the queue. */
  readonly queue: string;
  readonly messageId: string;
  readonly body: string;
  /** 1 the first time. */
  readonly receiveCount: number;
}

/**
 * Duplicate: handed over twice, the second time in a batch of its own, perhaps while the first is still at work.
 * Delay: handed over later, in a batch of its own; 0 ms still puts it behind the others.
 * Lose: not handed over; it comes back after the visibility time-out.
 * Forget: handed over and processed, but its success is not noticed; it comes back.
 * Crash: the environment that works on its batch ends so much later, unless it has answered.
 */
export type Fault =
  | { readonly kind: 'Duplicate' | 'Delay' | 'Crash'; readonly afterMs: number }
  | { readonly kind: 'Lose' | 'Forget' };

export type InjectFault = (delivery: Delivery) => Fault | undefined;

export interface Batch {
  readonly messages: readonly Message[];
  readonly afterMs: number;
  /** Message ids that are not deleted whatever the function answers. */
  readonly forgotten: ReadonlySet<string>;
  readonly crashAfterMs?: number;
}

/** What becomes of one receive. Without faults it is one batch, handed over at once. */
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
