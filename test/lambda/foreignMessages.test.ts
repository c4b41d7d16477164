// Messages for another installation, cluster or release: kept or dropped, and what is logged.

import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import { createEvictHandler, createReportHandler } from '../../lib/lambda/clusterHandlers.ts';
import { createIngestHandler } from '../../lib/lambda/ingestHandler.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { functionDependencies } from '../support/functionDependencies.ts';
import { aHeartbeat } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

/** The three stages that receive messages from cluster queues, in an installation that reaches only `prod`. */
function installation() {
  const world = createWorld({ start: 1_800_000_000_000 });
  const said: string[] = [];
  const say = (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
    said.push(`${message}: ${fields.queue ?? ''} ${fields.why}`);
  };
  const deps = {
    ...functionDependencies(world),
    log: { info: () => {}, warn: say, error: say },
    accessTo: (cluster: string) => (cluster === 'prod' ? world.api : undefined),
  };
  const handlers = {
    ingest: createIngestHandler(deps, parseChange),
    evict: createEvictHandler(deps),
    report: createReportHandler(deps),
  };
  return {
    said,
    rows: () => world.table.rows(),
    async receive(stage: keyof typeof handlers, queue: string, body: string): Promise<readonly string[]> {
      const record = {
        messageId: 'id',
        receiptHandle: 'handle',
        body,
        attributes: { ApproximateReceiveCount: '1' },
        eventSourceARN: `arn:aws:sqs:eu-west-1:123456789012:${queue}`,
      } as SQSRecord;
      const context = { getRemainingTimeInMillis: () => 1000 } as never;
      const { batchItemFailures } = await handlers[stage]({ Records: [record] }, context);
      return batchItemFailures.map((one) => one.itemIdentifier);
    },
  };
}

const heartbeat = formatMessage({ ...aHeartbeat(1_800_000_000_000), incarnation: liveIncarnation });
const pod = { namespace: 'default', name: 'pod', uid: 'uid' };

describe('foreign messages', () => {
  it.each<[string, 'ingest' | 'evict' | 'report', string, string]>([
    ['from a renamed queue', 'ingest', 'Other-ingest-prod', heartbeat],
    ['from the queue of an unknown cluster', 'ingest', 'Sluice-ingest-stage', heartbeat],
    ['of a later version', 'ingest', 'Sluice-ingest-prod', heartbeat.replace('"version":1', '"version":2')],
    ['without a version', 'ingest', 'Sluice-ingest-prod', heartbeat.replace('"version":1,', '')],
    ['that is not JSON', 'ingest', 'Sluice-ingest-prod', '<xml/>'],
    ['of another stage', 'evict', 'Sluice-evict', formatMessage({ cluster: 'prod@uid', rule: 'bad' })],
  ])('a message %s is dropped, stores nothing, and is logged with the reason', async (_, stage, queue, body) => {
    const own = installation();
    expect(await own.receive(stage, queue, body)).toEqual([]);
    expect(own.rows()).toEqual([]);
    expect(own.said).toMatchSnapshot();
  });

  it.each<[string, 'evict' | 'report', object]>([
    ['an evict', 'evict', { cluster: 'stage@uid', limiter: 'rule|bad', tasks: [{ pod, slot: 1_800_000_000_000 }] }],
    ['a report', 'report', { cluster: 'stage@uid', rule: 'bad' }],
  ])(
    '%s message of a cluster that this installation does not reach is kept for the dead-letter queue',
    async (_, stage, message) => {
      const own = installation();
      expect(await own.receive(stage, `Sluice-${stage}-prod`, formatMessage(message))).toEqual(['id']);
      expect(own.said).toMatchSnapshot();
    },
  );
});
