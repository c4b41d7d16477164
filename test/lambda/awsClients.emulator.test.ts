// AWS calls over a silent network fail after a timeout, so that a pod waits no longer than until the next attempt.

import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDocumentClient, createSqsClient } from '../../lib/lambda/awsClients.ts';
import { startTunnel } from '../executor/support/tunnel.ts';

async function silentEndpoint(): Promise<void> {
  const tunnel = await startTunnel('http://127.0.0.1:9');
  tunnel.cut('is silent');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key');
  for (const service of ['SQS', 'DYNAMODB']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, tunnel.endpoint);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await tunnel.stop();
  });
}

it('a call to a queue that does not answer fails after the request timeout', async () => {
  await silentEndpoint();
  const client = createSqsClient(50);
  onTestFinished(() => client.destroy());
  const receive = new ReceiveMessageCommand({ QueueUrl: 'http://127.0.0.1/1/queue' });
  await expect(client.send(receive)).rejects.toThrow(/exceeded the configured 50 ms requestTimeout/);
});

it('a call to a table that does not answer fails after the request timeout', async () => {
  await silentEndpoint();
  const client = createDocumentClient(50);
  onTestFinished(() => client.destroy());
  const read = new GetCommand({ TableName: 'table', Key: { pk: 'a', sk: 'b' } });
  await expect(client.send(read)).rejects.toThrow(/exceeded the configured 50 ms requestTimeout/);
});

it('clients of SQS and DynamoDB lack the logger middleware of the SDK, which copies every request and response', async () => {
  await silentEndpoint();
  const [queues, table, ofTheSdk] = [createSqsClient(), createDocumentClient(), new SQSClient()];
  onTestFinished(() => {
    for (const client of [queues, table, ofTheSdk]) client.destroy();
  });
  const logs = (client: { readonly middlewareStack: { identify(): string[] } }) =>
    client.middlewareStack.identify().some((name) => name.startsWith('loggerMiddleware'));
  expect([queues, table, ofTheSdk].map(logs)).toEqual([false, false, true]);
});
