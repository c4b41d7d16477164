// The queues of npm start: where they listen, and which attributes they take from the template.

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { expect, it, onTestFinished } from 'vitest';
import { startLocalSqs } from '../../../lib/local/aws/queues.ts';

const started = async () => {
  const sqs = await startLocalSqs();
  onTestFinished(sqs.stop);
  return sqs;
};

/** Every address of this machine but 127.0.0.1, those of 127.0.0.0/8 among them. */
const others = [
  '127.0.0.2',
  ...Object.values(networkInterfaces()).flatMap((some) =>
    (some ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  ),
];

it.each(others)('queues of npm start do not answer at %s', async (host) => {
  const { endpoint } = await started();
  const outcome = await new Promise((resolve) => {
    const socket = connect({ host, port: Number(new URL(endpoint).port) });
    socket.on('connect', () => resolve('connected')).on('error', ({ message }) => resolve(message));
    onTestFinished(() => void socket.destroy());
  });
  expect(outcome).toContain('ECONNREFUSED');
});

it('a queue of npm start has the visibility timeout and the dead-letter queue of its template', async () => {
  const { client, createQueues } = await started();
  const queue = (name: string) => ({
    logicalId: name,
    name,
    visibilityTimeout: 30,
    attributes: { VisibilityTimeout: '30' },
  });
  const made = await createQueues([
    { ...queue('work'), redrive: { deadLetterQueue: 'dead', maxReceiveCount: 8 } },
    queue('dead'),
  ]);
  const request = new GetQueueAttributesCommand({ QueueUrl: made.get('work')?.url, AttributeNames: ['All'] });
  const { Attributes: attributes = {} } = await client.send(request);
  expect(attributes.VisibilityTimeout).toBe('30');
  expect(JSON.parse(attributes.RedrivePolicy ?? '')).toEqual({
    deadLetterTargetArn: made.get('dead')?.arn,
    maxReceiveCount: 8,
  });
});
