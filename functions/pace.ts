// Pace: limiters whose pods are to get slots.
import { parsePaceMessage } from '../lib/adapters/sqs/messages.ts';
import { environmentNames as names } from '../lib/contract.ts';
import { createDependencies } from '../lib/lambda/dependencies.ts';
import { createSqsHandler, each } from '../lib/lambda/sqsHandler.ts';
import type { PaceMessage } from '../lib/model/message.ts';
import { pace } from '../lib/steps/pace.ts';

const deps = createDependencies('pace', [names.table, names.clusters, names.evictQueueUrl]);

export const handler = createSqsHandler<PaceMessage>({
  log: deps.log,
  metrics: deps.metrics,
  returnLater: deps.returnLater,
  parse: (record) => parsePaceMessage(record.body),
  run: each((message) => pace(deps, message)),
});
