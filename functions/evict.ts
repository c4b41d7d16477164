// Evict: pods to be deleted at their slots.
import { parseEvictMessage } from '../lib/adapters/sqs/messages.ts';
import { environmentNames as names } from '../lib/contract.ts';
import { createClusterDependencies } from '../lib/lambda/dependencies.ts';
import { createSqsHandler, each } from '../lib/lambda/sqsHandler.ts';
import type { EvictMessage } from '../lib/ports.ts';
import { evict } from '../lib/steps/evict.ts';

const deps = createClusterDependencies('evict', [
  names.table,
  names.clusters,
  names.paceQueueUrl,
  names.reportQueueUrl,
]);

export const handler = createSqsHandler<EvictMessage>({
  log: deps.log,
  metrics: deps.metrics,
  returnLater: deps.returnLater,
  parse: (record) => parseEvictMessage(record.body),
  run: each((message) => evict(deps, message)),
});
