// Evaluate: evaluates chunks of pods.
import { parseEvaluateMessage } from '../lib/adapters/sqs/messages.ts';
import { chunkSize, environmentNames as names } from '../lib/contract.ts';
import { createDependencies } from '../lib/lambda/dependencies.ts';
import { createSqsHandler, inTurns } from '../lib/lambda/sqsHandler.ts';
import type { EvaluateMessage } from '../lib/model/message.ts';
import { evaluate } from '../lib/stages/evaluate/index.ts';

const deps = createDependencies('evaluate', [names.table, names.clusters, names.evictQueueUrl, names.reportQueueUrl]);

export const handler = createSqsHandler<EvaluateMessage>({
  log: deps.log,
  metrics: deps.metrics,
  returnLater: deps.returnLater,
  parse: (record) => parseEvaluateMessage(record.body),
  run: inTurns((message) => evaluate(deps, message), { weigh: ({ pods }) => pods.length, most: chunkSize }),
});
