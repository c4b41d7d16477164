// Messages that are not for this installation, cluster or release: kept or dropped, and what is said about them.

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

/** The three stages that take messages from queues of clusters, in an installation that reaches `prod` alone. */
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

describe('a message that is not for us', () => {
  it.each<[string, 'ingest' | 'evict' | 'report', string, string]>([
    ['from a queue that was renamed', 'ingest', 'Other-ingest-prod', heartbeat],
    ['from the queue of a cluster of someone else', 'ingest', 'Sluice-ingest-stage', heartbeat],
    ['of a version that comes later', 'ingest', 'Sluice-ingest-prod', heartbeat.replace('"version":1', '"version":2')],
    ['of no version at all', 'ingest', 'Sluice-ingest-prod', heartbeat.replace('"version":1,', '')],
    ['that is no JSON', 'ingest', 'Sluice-ingest-prod', '<xml/>'],
    ['of another stage', 'evict', 'Sluice-evict', formatMessage({ cluster: 'prod@uid', rule: 'bad' })],
  ])('%s is dropped, stores nothing, and is named with the remedy', async (_, stage, queue, body) => {
    const own = installation();
    expect(await own.receive(stage, queue, body)).toEqual([]);
    expect(own.rows()).toEqual([]);
    expect(own.said).toMatchSnapshot();
  });

  it.each<[string, 'evict' | 'report', object]>([
    ['an eviction', 'evict', { cluster: 'stage@uid', limiter: 'rule|bad', tasks: [{ pod, slot: 1_800_000_000_000 }] }],
    ['a report', 'report', { cluster: 'stage@uid', rule: 'bad' }],
  ])('%s of a cluster that is not reached from here is kept for the dead letters', async (_, stage, message) => {
    const own = installation();
    expect(await own.receive(stage, `Sluice-${stage}-prod`, formatMessage(message))).toEqual(['id']);
    expect(own.said).toMatchSnapshot();
  });
});
