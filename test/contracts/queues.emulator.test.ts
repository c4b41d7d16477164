// The SQS adapter keeps the queues contract on an emulated SQS.
import { type SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from 'fauxqs';
import { createSqsQueues } from '../../lib/adapters/sqs/queues.ts';
import type { SentMessage } from '../support/fakes/queues.ts';
import { contractNow, queuesContract } from './queues.contract.ts';

const stages = ['evaluate', 'evict', 'report'] as const;

queuesContract('SQS adapter on fauxqs', async () => {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' });
  const client = new SQSClient({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });
  const [evaluate, evict, report] = stages.map((name) => server.createQueue(name).queueUrl) as [string, string, string];
  // The emulator takes a MessageGroupId on a standard queue but does not show it again.
  const groups = new Map<string, string>();
  client.middlewareStack.add(
    (next) => (args) => {
      for (const { MessageBody: body = '', MessageGroupId: group } of (args.input as SendMessageBatchCommandInput)
        .Entries ?? []) {
        if (group !== undefined) groups.set(body, group);
      }
      return next(args);
    },
    { step: 'initialize' },
  );
  const clock = { now: () => contractNow, sleep: async () => {} };
  return {
    queues: createSqsQueues(client, { evaluate, evict, report, outbound: new Set() }, clock),
    take() {
      const sent = stages.flatMap((stage) => messagesIn(server, stage, groups));
      server.purgeAll();
      for (const stage of stages) server.createQueue(stage);
      return sent;
    },
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
});

function messagesIn(
  server: Awaited<ReturnType<typeof startFauxqs>>,
  stage: SentMessage['stage'],
  groups: ReadonlyMap<string, string>,
): readonly SentMessage[] {
  const found = server.inspectQueue(stage)?.messages;
  return [...(found?.ready ?? []), ...(found?.delayed ?? [])].map((one) => {
    const { version, ...message } = JSON.parse(one.body);
    if (version !== 1) throw new Error(`version ${version}`);
    const group = groups.get(one.body);
    const delaySeconds = Math.round(((one.delayUntil ?? one.sentTimestamp) - one.sentTimestamp) / 1000);
    return { stage, message, delaySeconds, ...(group === undefined ? {} : { group }) };
  });
}
