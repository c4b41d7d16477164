// Reconcile: chunks of pods to evaluate again.
import { parseReconcileMessage } from '../lib/adapters/sqs/messages.ts';
import { environmentNames as names } from '../lib/contract.ts';
import { createDependencies } from '../lib/lambda/dependencies.ts';
import { createSqsHandler, each } from '../lib/lambda/sqsHandler.ts';
import type { ReconcileMessage } from '../lib/model/message.ts';
import { reconcile } from '../lib/stages/reconcile/index.ts';

const deps = createDependencies('reconcile', [names.table, names.clusters, names.evictQueueUrl, names.reportQueueUrl]);

export const handler = createSqsHandler<ReconcileMessage>({
  log: deps.log,
  metrics: deps.metrics,
  returnLater: deps.returnLater,
  parse: (record) => parseReconcileMessage(record.body),
  run: each((message) => reconcile(deps, message)),
});
