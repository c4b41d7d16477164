// The handlers of the two stages that call API servers: in functions, and in the process of an outbound cluster.
import { parseEvictMessage, parseReportMessage } from '../adapters/sqs/messages.ts';
import type { EventMessage, EvictMessage, ReleaseMessage, ReportMessage, SettleMessage } from '../model/message.ts';
import { evict, settle } from '../stages/evict/index.ts';
import { reportOrRecord } from '../steps/report.ts';
import type { ClusterStepDependencies, EvictDependencies } from '../steps/step.ts';
import type { FunctionDependencies } from './dependencies.ts';
import { createSqsHandler, each } from './sqsHandler.ts';

export function createEvictHandler(deps: FunctionDependencies & EvictDependencies) {
  return createSqsHandler<EvictMessage | SettleMessage>({
    ...stageOf(deps),
    parse: (record) => parseEvictMessage(record.body),
    run: each((message) => ('intents' in message ? settle(deps, message) : evict(deps, message))),
  });
}

export function createReportHandler(deps: FunctionDependencies & ClusterStepDependencies) {
  return createSqsHandler<ReportMessage | ReleaseMessage | EventMessage>({
    ...stageOf(deps),
    parse: (record) => parseReportMessage(record.body),
    run: each((message) => reportOrRecord(deps, message)),
  });
}

function stageOf({ log, metrics, returnLater }: FunctionDependencies) {
  return { log, metrics, returnLater };
}
