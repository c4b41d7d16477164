// Local SQS: fauxqs in this process on loopback only, with the template's queues and dead-letter queues.
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { arnOf, localCredentials, localRegion } from './account.ts';
import type { QueueResource } from './resources/queue.ts';

export interface LocalQueue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
}

export interface LocalSqs {
  readonly endpoint: string;
  readonly client: SQSClient;
  /** Returns queues by logical id. Creates dead-letter queues first, because redrive policies refer to them. */
  createQueues(queues: readonly QueueResource[]): Promise<ReadonlyMap<string, LocalQueue>>;
  stop(): Promise<void>;
}

export async function startLocalSqs(): Promise<LocalSqs> {
  const app = buildApp({ logger: false, defaultRegion: localRegion });
  // startFauxqs would listen on all addresses, and any host that can send here could make Sluice forget a pod.
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const client = new SQSClient({
    region: localRegion,
    credentials: localCredentials,
    endpoint,
    useQueueUrlAsEndpoint: false,
  });
  return {
    endpoint,
    client,
    async createQueues(queues) {
      const arns = new Map(queues.map((queue) => [queue.logicalId, arnOf('sqs', queue.name)]));
      const deadLettersFirst = queues.toSorted((a, b) => Number(Boolean(a.redrive)) - Number(Boolean(b.redrive)));
      const made = new Map<string, LocalQueue>();
      for (const queue of deadLettersFirst) {
        const create = new CreateQueueCommand({ QueueName: queue.name, Attributes: attributesOf(queue, arns) });
        const { QueueUrl: url = '' } = await client.send(create);
        made.set(queue.logicalId, { name: queue.name, url, arn: arnOf('sqs', queue.name) });
      }
      return made;
    },
    async stop() {
      client.destroy();
      await app.close();
    },
  };
}

function attributesOf(
  { attributes, redrive }: QueueResource,
  arns: ReadonlyMap<string, string>,
): Record<string, string> {
  if (!redrive) return { ...attributes };
  const { deadLetterQueue, maxReceiveCount } = redrive;
  const policy = { deadLetterTargetArn: arns.get(deadLetterQueue), maxReceiveCount };
  return { ...attributes, RedrivePolicy: JSON.stringify(policy) };
}
