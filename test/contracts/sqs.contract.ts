// What Sluice assumes of an SQS client: batches, delays, visibility timeouts and deletion.
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

export interface SqsUnderTest {
  readonly client: Pick<SQSClient, 'send'>;
  /** The URL of a new, empty queue. */
  queue(): string;
  wait(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

export function sqsContract(name: string, start: () => Promise<SqsUnderTest>): void {
  describe(`SQS contract: ${name}`, () => {
    let under: SqsUnderTest;
    beforeAll(async () => {
      under = await start();
    });
    afterAll(() => under.stop());
    const send = (QueueUrl: string, MessageBody: string, DelaySeconds = 0) =>
      under.client.send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: '0', MessageBody, DelaySeconds }] }));
    const receive = async (QueueUrl: string, VisibilityTimeout = 30) => {
      const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout });
      const { Messages = [] } = await under.client.send(command);
      return Messages.map(({ Body = '', ReceiptHandle = '' }) => ({ Body, ReceiptHandle }));
    };
    const bodies = async (queue: string, visibility?: number) =>
      (await receive(queue, visibility)).map(({ Body }) => Body).sort();

    it('SQS takes a batch and delivers its messages', async () => {
      const queue = under.queue();
      const Entries = ['a', 'b'].map((MessageBody) => ({ Id: MessageBody, MessageBody }));
      const { Failed = [] } = await under.client.send(new SendMessageBatchCommand({ QueueUrl: queue, Entries }));
      expect(Failed).toEqual([]);
      expect(await bodies(queue)).toEqual(['a', 'b']);
    });

    it('SQS hides a received message until its visibility timeout has passed', async () => {
      const queue = under.queue();
      await send(queue, 'a');
      expect(await bodies(queue, 1)).toEqual(['a']);
      expect(await bodies(queue)).toEqual([]);
      await under.wait(1.2);
      expect(await bodies(queue)).toEqual(['a']);
    });

    it('SQS delivers a delayed message after its delay and not before', async () => {
      const queue = under.queue();
      await send(queue, 'a', 1);
      expect(await bodies(queue)).toEqual([]);
      await under.wait(1.2);
      expect(await bodies(queue)).toEqual(['a']);
    });

    it('SQS never delivers a deleted message again', async () => {
      const queue = under.queue();
      await send(queue, 'a');
      const [message] = await receive(queue, 1);
      await under.client.send(
        new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle: message?.ReceiptHandle ?? 'none' }),
      );
      await under.wait(1.2);
      expect(await bodies(queue)).toEqual([]);
    });

    it('SQS delivers a message again at once after its visibility timeout was set to 0', async () => {
      const queue = under.queue();
      await send(queue, 'a');
      const [message] = await receive(queue);
      const Entries = [{ Id: '0', ReceiptHandle: message?.ReceiptHandle ?? 'none', VisibilityTimeout: 0 }];
      await under.client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queue, Entries }));
      expect(await bodies(queue)).toEqual(['a']);
    });
  });
}
