// Ingest: applies changes from the watchers' queues; the queue determines the cluster.
import { parseChange } from '../lib/adapters/sqs/changes.ts';
import { environmentNames as names } from '../lib/contract.ts';
import { createDependencies } from '../lib/lambda/dependencies.ts';
import { createIngestHandler } from '../lib/lambda/ingestHandler.ts';

const deps = createDependencies('ingest', [
  names.table,
  names.ingestQueues,
  names.clusters,
  names.evaluateQueueUrl,
  names.evictQueueUrl,
  names.reportQueueUrl,
]);

export const handler = createIngestHandler(deps, parseChange);
