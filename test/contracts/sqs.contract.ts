// What Sluice takes for granted of an SQS client: messages are hidden while they are processed, come back, and end as dead letters.
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

    it('takes a batch and hands its messages out', async () => {
      const queue = under.queue();
      const Entries = ['a', 'b'].map((MessageBody) => ({ Id: MessageBody, MessageBody }));
      const { Failed = [] } = await under.client.send(new SendMessageBatchCommand({ QueueUrl: queue, Entries }));
      expect(Failed).toEqual([]);
      expect(await bodies(queue)).toEqual(['a', 'b']);
    });

    it('hides a message that was received until its visibility time-out has passed', async () => {
      const queue = under.queue();
      await send(queue, 'a');
      expect(await bodies(queue, 1)).toEqual(['a']);
      expect(await bodies(queue)).toEqual([]);
      await under.wait(1.2);
      expect(await bodies(queue)).toEqual(['a']);
    });

    it('hands a delayed message out after its delay and not before', async () => {
      const queue = under.queue();
      await send(queue, 'a', 1);
      expect(await bodies(queue)).toEqual([]);
      await under.wait(1.2);
      expect(await bodies(queue)).toEqual(['a']);
    });

    it('never hands out again what was deleted', async () => {
      const queue = under.queue();
      await send(queue, 'a');
      const [message] = await receive(queue, 1);
      await under.client.send(
        new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle: message?.ReceiptHandle ?? 'none' }),
      );
      await under.wait(1.2);
      expect(await bodies(queue)).toEqual([]);
    });

    it('hands a message out at once whose visibility was set to 0', async () => {
      const queue = under.queue();
      await send(queue, 'a');
      const [message] = await receive(queue);
      const Entries = [{ Id: '0', ReceiptHandle: message?.ReceiptHandle ?? 'none', VisibilityTimeout: 0 }];
      await under.client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queue, Entries }));
      expect(await bodies(queue)).toEqual(['a']);
    });
  });
}
