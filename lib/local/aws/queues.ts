// SQS on this machine: fauxqs in this process, with the template's queues and their dead-letter queues.
import { SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from 'fauxqs';
import { arnOf, localCredentials, localRegion } from './account.ts';
import type { QueueResource } from './resources/queue.ts';

export interface LocalQueue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
}

/** Messages that can be received now, later, and that are being processed. */
export interface QueueDepth {
  readonly ready: number;
  readonly delayed: number;
  readonly inFlight: number;
}

export interface LocalSqs {
  readonly endpoint: string;
  readonly client: SQSClient;
  /** By logical id. Dead-letter queues are made first, because the others name them. */
  createQueues(queues: readonly QueueResource[]): ReadonlyMap<string, LocalQueue>;
  depth(name: string): QueueDepth;
  stop(): Promise<void>;
}

export async function startLocalSqs(): Promise<LocalSqs> {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1', defaultRegion: localRegion });
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
      const named = new Map(queues.map((queue) => [queue.logicalId, arnOf('sqs', queue.name)]));
      const deadLettersFirst = queues.toSorted((a, b) => Number(Boolean(a.redrive)) - Number(Boolean(b.redrive)));
      const made = deadLettersFirst.map((queue): [string, LocalQueue] => {
        const { queueUrl } = server.createQueue(queue.name, { attributes: attributesOf(queue, named) });
        return [queue.logicalId, { name: queue.name, url: queueUrl, arn: arnOf('sqs', queue.name) }];
      });
      return new Map(made);
    },
    depth(name) {
      const messages = server.inspectQueue(name)?.messages;
      return {
        ready: messages?.ready.length ?? 0,
        delayed: messages?.delayed.length ?? 0,
        inFlight: messages?.inflight.length ?? 0,
      };
    },
    async stop() {
      client.destroy();
      await server.stop();
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
