// The part of Sluice that a history runs, as one module: bundled from the sources or from a copy of them with a defect.
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { ApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { parseEvaluateMessage } from '../../lib/adapters/sqs/messages.ts';
import { createSqsQueues } from '../../lib/adapters/sqs/queues.ts';
import { createReturnLater } from '../../lib/adapters/sqs/visibility.ts';
import { environmentNames as names, stageLimits, stages } from '../../lib/contract.ts';
import { accessThrough } from '../../lib/lambda/access.ts';
import { createEvictHandler, createReportHandler } from '../../lib/lambda/clusterHandlers.ts';
import { readEnvironment } from '../../lib/lambda/environment.ts';
import { createIngestHandler } from '../../lib/lambda/ingestHandler.ts';
import { createSqsHandler, each, type SqsHandler } from '../../lib/lambda/sqsHandler.ts';
import { createMemory } from '../../lib/memory.ts';
import { isRelevant } from '../../lib/mirror/relevant.ts';
import { clusterIdOf } from '../../lib/model/identity.ts';
import type { EvaluateMessage } from '../../lib/model/message.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import type { InstallationSettings } from '../../lib/model/snapshot.ts';
import type { Clock, Log } from '../../lib/ports.ts';
import { evaluate } from '../../lib/stages/evaluate/evaluate.ts';
import { sweepCluster } from '../../lib/stages/sweep/index.ts';
import { readIncarnations } from '../../lib/state/incarnationRows.ts';
import { removePause, setPause } from '../../lib/state/pauseRows.ts';
import { readRecord } from '../../lib/state/readRecord.ts';
import { type SpreadSetting, spreadSetting } from '../../lib/state/spreadList.ts';
import type { Row, Table } from '../../lib/table.ts';
import { followCluster } from '../../lib/watcher/followCluster.ts';
import { manifestKey } from '../../lib/watcher/forward.ts';
import { createOutbox } from '../../lib/watcher/outbox.ts';

/** The dependencies of one process; each call may fail, be late, or hang. */
export interface Outside {
  readonly cluster: string;
  readonly table: Table;
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Partial<InstallationSettings>;
  /** Spreads lists although they are short. */
  readonly spread?: SpreadSetting;
}

/** The queues of the installation, each with the function that reads it. */
export const queueStages: readonly string[] = stages;
export const limitsOf: Readonly<Record<string, { timeout: number; batchSize: number; maxConcurrency: number }>> =
  stageLimits;

/** The queue of a stage; each cluster has its own for ingest, which identifies its messages. */
export const queueOf = (stage: string, cluster: string): string => (stage === 'ingest' ? `ingest-${cluster}` : stage);

const urlOf = (queue: string) => `https://sqs.eu-central-1.amazonaws.com/1/${queue}`;

/** The handlers of one execution environment. */
export interface Functions {
  /** Handlers by the name of their queue. */
  readonly handlers: Readonly<Record<string, SqsHandler>>;
  /** The scheduled function, every minute. */
  sweep(): Promise<void>;
}

export function createFunctions(outside: Outside): Functions {
  const { cluster, clock, log, table } = outside;
  const sqs = outside.sqs as SQSClient;
  const environment = readEnvironment(
    {
      [names.ingestQueues]: JSON.stringify({ [queueOf('ingest', cluster)]: cluster }),
      [names.settings]: JSON.stringify(outside.settings),
    },
    [],
  );
  const urls = { evaluate: urlOf('evaluate'), evict: urlOf('evict'), report: urlOf('report') };
  const access = accessThrough(outside.api, outside);
  const memory = createMemory();
  const { spread } = outside;
  if (spread) spreadSetting(memory, () => spread);
  const deps = {
    environment,
    table,
    clock,
    log,
    queues: createSqsQueues(sqs, { ...urls, outbound: new Set() }, clock),
    returnLater: createReturnLater(sqs),
    metrics: { add: () => {}, flush: () => {} },
    modesOf: () => allOwned,
    limitOf: () => undefined,
    settings: environment.settings,
    recordDays: environment.recordDays,
    memory,
    accessTo: () => access,
  };
  return {
    handlers: {
      ingest: createIngestHandler(deps, parseChange),
      evaluate: createSqsHandler<EvaluateMessage>({
        ...deps,
        parse: (record) => parseEvaluateMessage(record.body),
        run: each((message) => evaluate(deps, message)),
      }),
      evict: createEvictHandler(deps),
      report: createReportHandler(deps),
    },
    sweep: () => sweepCluster(deps, cluster),
  };
}

/** Pauses and resumes like the commands of an operator. */
export const pauseCluster = (table: Table, cluster: string, since: number): Promise<unknown> =>
  setPause({ table, cluster }, { name: 'incident', why: '', since });
export const resumeCluster = (table: Table, cluster: string): Promise<void> =>
  removePause({ table, cluster }, 'incident');

/** The records of a pod's evictions, at most one in each incarnation. */
export async function recordedOutcomes(table: Table, cluster: string, uid: string): Promise<readonly string[]> {
  const incarnations = await readIncarnations(table, cluster);
  const states = incarnations.map(({ incarnation }) => ({ table, cluster: clusterIdOf(cluster, incarnation) }));
  const records = await Promise.all(states.map((state) => readRecord(state, uid)));
  return records.flatMap((record) => record?.outcome ?? []);
}

/** Objects that are live by the table, by kind and manifest key. */
export function mirrored(rows: readonly Row[]): ReadonlyMap<string, ObjectProjection> {
  const objects = rows.flatMap((row) => {
    const object = row.object as ObjectProjection | undefined;
    return object?.uid === undefined || row.mirror !== 'Live' ? [] : [object];
  });
  return new Map(objects.map((object) => [mirrorKey(object), object]));
}

export function mirrorKey(object: ObjectProjection): string {
  return `${object.kind} ${manifestKey(object)}`;
}

/** Whether the mirror keeps such an object at all. */
export const isMirrored: (object: ObjectProjection) => boolean = isRelevant;

export { unfinishedWork } from './unfinishedWork.ts';

/** Follows the cluster until the signal is aborted. */
export function watchCluster(outside: Omit<Outside, 'table' | 'settings'>, signal: AbortSignal): void {
  const { api: client, clock, log } = outside;
  const outbox = createOutbox({ client: outside.sqs, queueUrl: urlOf(queueOf('ingest', outside.cluster)), clock, log });
  followCluster({
    client,
    outbox,
    clock,
    log,
    signal,
    requests: { client: outside.sqs, queueUrl: urlOf(`resend-${outside.cluster}`) },
  }).catch((error: unknown) => log.error('the watcher ended', { why: String(error) }));
}
