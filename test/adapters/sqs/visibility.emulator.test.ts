// Failed messages on an emulated SQS come back after the requested delay, long before the queue's visibility timeout.
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReturnLater } from '../../../lib/adapters/sqs/visibility.ts';
import { type EmulatedQueues, startQueues } from '../../support/emulators.ts';

const queueArn = 'arn:aws:sqs:us-east-1:000000000000:work';

describe('a message that is returned', () => {
  let queues: EmulatedQueues;
  beforeAll(async () => {
    queues = await startQueues(['work'], { VisibilityTimeout: '600' });
  });
  afterAll(() => queues.stop());
  const receive = async (waitSeconds: number) => {
    const command = { QueueUrl: queues.url('work'), MaxNumberOfMessages: 10, WaitTimeSeconds: waitSeconds };
    return (await queues.client.send(new ReceiveMessageCommand(command))).Messages ?? [];
  };

  it('a returned message is received again after its delay, and one that was not returned is not', async () => {
    for (const MessageBody of ['returned', 'kept'])
      await queues.client.send(new SendMessageCommand({ QueueUrl: queues.url('work'), MessageBody }));
    const received = [...(await receive(5)), ...(await receive(0))];
    expect(received.map((one) => one.Body).sort()).toEqual(['kept', 'returned']);
    const receiptHandle = received.find((one) => one.Body === 'returned')?.ReceiptHandle ?? '';
    await createReturnLater(queues.client)([{ queueArn, receiptHandle, seconds: 1 }]);
    expect((await receive(10)).map((one) => one.Body)).toEqual(['returned']);
  });

  it('returning a message that SQS does not know is an error with count and queue', async () => {
    const unknown = { queueArn, receiptHandle: 'unknown', seconds: 1 };
    await expect(createReturnLater(queues.client)([unknown])).rejects.toThrow(/1 messages of arn:aws:sqs:.*:work/);
  });
});
