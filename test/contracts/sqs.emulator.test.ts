// The emulated SQS keeps the contract that the in-memory queues keep.
import { setTimeout as wait } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from 'fauxqs';
import { sqsContract } from './sqs.contract.ts';

sqsContract('fauxqs', async () => {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' });
  const client = new SQSClient({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });
  let queues = 0;
  return {
    client,
    queue: () => server.createQueue(`q${++queues}`).queueUrl,
    wait: (seconds) => wait(seconds * 1000),
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
});
