// SQS on this machine: fauxqs in this process, with the template's queues and their dead-letter queues.
import { SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from 'fauxqs';
import { localCredentials, localRegion } from './dynoxide.ts';
import type { QueueResource } from './template.ts';

export interface LocalQueue {
  readonly url: string;
  readonly arn: string;
}

export interface LocalSqs {
  readonly endpoint: string;
  readonly client: SQSClient;
  /** Dead-letter queues are made first, because the others name them. */
  createQueues(queues: readonly QueueResource[]): ReadonlyMap<string, LocalQueue>;
  stop(): Promise<void>;
}

export async function startLocalSqs(): Promise<LocalSqs> {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' });
  const endpoint = `http://127.0.0.1:${server.port}`;
  const client = new SQSClient({
    region: localRegion,
    credentials: localCredentials,
    endpoint,
    useQueueUrlAsEndpoint: false,
  });
  return {
    endpoint,
    client,
    createQueues(queues) {
      const made = new Map<string, LocalQueue>();
      for (const queue of queues.toSorted(
        (a, b) => Number(a.redrive !== undefined) - Number(b.redrive !== undefined),
      )) {
        const { queueUrl, queueArn } = server.createQueue(queue.name, { attributes: attributesOf(queue, made) });
        made.set(queue.logicalId, { url: queueUrl, arn: queueArn });
      }
      return made;
    },
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}

function attributesOf(queue: QueueResource, made: ReadonlyMap<string, LocalQueue>): Record<string, string> {
  const attributes = { VisibilityTimeout: String(queue.visibilityTimeout) };
  if (!queue.redrive) return attributes;
  const target = made.get(queue.redrive.deadLetterQueue);
  if (!target)
    throw new Error(
      `template: ${queue.logicalId}: dead-letter queue ${queue.redrive.deadLetterQueue} is not in the template`,
    );
  const policy = { deadLetterTargetArn: target.arn, maxReceiveCount: queue.redrive.maxReceiveCount };
  return { ...attributes, RedrivePolicy: JSON.stringify(policy) };
}
