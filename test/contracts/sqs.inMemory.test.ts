// The in-memory queues of the fault histories keep the contracts of SQS and of the queues adapter.
import { createSqsQueues } from '../../lib/adapters/sqs/queues.ts';
import { createQueues } from '../faults/queues.ts';
import type { SentMessage } from '../support/fakes/queues.ts';
import { contractNow, queuesContract } from './queues.contract.ts';
import { sqsContract } from './sqs.contract.ts';

const urlOf = (stage: string) => `https://sqs.eu-central-1.amazonaws.com/1/${stage}`;

function inMemory() {
  let now = contractNow;
  const sleep = async (duration: number) => {
    now += duration;
  };
  const options = { now: () => now, draw: () => [0], maxReceives: 8, onReady: () => {}, sleep };
  return { queues: createQueues(options), sleep };
}

sqsContract('queues in memory', async () => {
  const { queues, sleep } = inMemory();
  let count = 0;
  return {
    client: queues.client,
    queue: () => urlOf(`q${++count}`),
    wait: (seconds) => sleep(seconds * 1000),
    stop: async () => {},
  };
});

queuesContract('SQS adapter on queues in memory', async () => {
  const { queues } = inMemory();
  const urls = { evaluate: urlOf('evaluate'), evict: urlOf('evict'), report: urlOf('report') };
  const clock = { now: () => contractNow, sleep: async () => {} };
  return {
    queues: createSqsQueues(queues.client as never, { ...urls, outbound: new Set() }, clock),
    take: () => Object.keys(urls).flatMap((stage) => takenFrom(queues, stage as SentMessage['stage'])),
    stop: async () => {},
  };
});

function takenFrom(queues: ReturnType<typeof createQueues>, stage: SentMessage['stage']): readonly SentMessage[] {
  return [...(queues.messages.get(stage) ?? [])].map((one) => {
    queues.remove(one);
    const { version, ...message } = JSON.parse(one.body);
    if (version !== 1) throw new Error(`version ${version}`);
    const group = one.group === undefined ? {} : { group: one.group };
    return { stage, message, delaySeconds: (one.visibleAt - one.sentAt) / 1000, ...group };
  });
}
