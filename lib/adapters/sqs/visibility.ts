// Returns messages to their queue after a chosen delay instead of the queue's visibility timeout.
import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { sqsLimits } from '../../contract.ts';

export interface ReturningMessage {
  /** ARN of the queue that the message was received from. */
  readonly queueArn: string;
  readonly receiptHandle: string;
  /** Delay from now, 0 to 43,200 s (SQS VisibilityTimeout). */
  readonly seconds: number;
}

/** Throws SQS errors; the messages then return after the queue's own visibility timeout. */
export type ReturnLater = (messages: readonly ReturningMessage[]) => Promise<void>;

export function createReturnLater(client: SQSClient): ReturnLater {
  return async (messages) => {
    for (const queueArn of new Set(messages.map((message) => message.queueArn))) {
      const mine = messages.filter((message) => message.queueArn === queueArn);
      for (let from = 0; from < mine.length; from += sqsLimits.maxBatchEntries)
        await change(client, queueArn, mine.slice(from, from + sqsLimits.maxBatchEntries));
    }
  };
}

async function change(client: SQSClient, queueArn: string, messages: readonly ReturningMessage[]): Promise<void> {
  const Entries = messages.map((message, i) => ({
    Id: String(i),
    ReceiptHandle: message.receiptHandle,
    VisibilityTimeout: message.seconds,
  }));
  const { Failed = [] } = await client.send(
    new ChangeMessageVisibilityBatchCommand({ QueueUrl: urlOf(queueArn), Entries }),
  );
  if (Failed.length > 0)
    throw new Error(`${Failed.length} messages of ${queueArn}: ${Failed[0]?.Message ?? 'refused'}`);
}

/** With `useQueueUrlAsEndpoint: false` the client uses its endpoint; only account and name of the URL matter. */
function urlOf(queueArn: string): string {
  const [, , , region, account, name] = queueArn.split(':');
  return `https://sqs.${region}.amazonaws.com/${account}/${name}`;
}
