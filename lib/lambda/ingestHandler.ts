// Groups ingest's records by cluster, so that one invocation applies a cluster's changes together.
import type { SQSRecord } from 'aws-lambda';
import { maxReceiveCount } from '../contract.ts';
import type { Change, ChangeMessage } from '../model/change.ts';
import { type ClusterId, clusterIdOf } from '../model/identity.ts';
import { ingest, type RecordResult } from '../stages/ingest/index.ts';
import type { ComeBack } from '../steps/step.ts';
import type { FunctionDependencies } from './dependencies.ts';
import { createSqsHandler, type ParsedRecord } from './sqsHandler.ts';

interface ClusterChange {
  readonly cluster: ClusterId;
  readonly change: Change;
  /** How often the message was received, including this time. */
  readonly receives: number;
}

/** From this receive count on, a message is not returned early for lack of time: it could reach the dead-letter queue. */
const pressedFrom = Math.ceil(maxReceiveCount / 2);

const wantedAgain: ComeBack = { kind: 'ComeBack', seconds: 1 };

export function createIngestHandler(
  deps: FunctionDependencies,
  parseChange: (body: string) => ParsedRecord<ChangeMessage>,
) {
  return createSqsHandler<ClusterChange>({
    log: deps.log,
    metrics: deps.metrics,
    returnLater: deps.returnLater,
    parse: (record) => parseRecord(deps, record, parseChange),
    run: (changes) => runByCluster(deps, changes),
  });
}

function parseRecord(
  deps: FunctionDependencies,
  record: SQSRecord,
  parseChange: (body: string) => ParsedRecord<ChangeMessage>,
): ParsedRecord<ClusterChange> {
  const queue = record.eventSourceARN.split(':').at(-1) ?? '';
  const cluster = deps.environment.ingestQueues[queue];
  if (cluster === undefined)
    return { kind: 'Poison', why: `queue ${queue} belongs to no cluster of this installation: deploy the stack again` };
  const parsed = parseChange(record.body);
  if (parsed.kind === 'Poison') return parsed;
  const { incarnation, ...change } = parsed.value;
  const receives = Number(record.attributes.ApproximateReceiveCount);
  return { kind: 'Parsed', value: { cluster: clusterIdOf(cluster, incarnation), change, receives } };
}

function settled(outcome: RecordResult): PromiseSettledResult<unknown> {
  if (outcome.kind === 'Failed') return { status: 'rejected', reason: outcome.error };
  return { status: 'fulfilled', value: outcome.kind === 'Later' ? wantedAgain : undefined };
}

async function runByCluster(
  deps: FunctionDependencies,
  changes: readonly ClusterChange[],
): Promise<readonly PromiseSettledResult<unknown>[]> {
  const results = new Map<ClusterChange, PromiseSettledResult<unknown>>();
  const clusters = [...new Set(changes.map((one) => one.cluster))];
  await Promise.all(
    clusters.map(async (cluster) => {
      const mine = changes.filter((one) => one.cluster === cluster).toSorted((a, b) => b.receives - a.receives);
      const pressed = mine.filter(({ receives }) => receives >= pressedFrom).length;
      const outcomes = await ingest(
        deps,
        cluster,
        mine.map((one) => one.change),
        pressed,
      );
      for (const [i, outcome] of outcomes.entries()) {
        const change = mine[i];
        if (!change) continue;
        results.set(change, settled(outcome));
      }
    }),
  );
  return changes.map((one) => results.get(one) ?? { status: 'rejected', reason: new Error('no result') });
}
