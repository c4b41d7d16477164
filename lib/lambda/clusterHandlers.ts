// The handlers of the two stages that call API servers, for functions and for the executor of an outbound cluster.
import { parseEvictMessage, parseReportMessage } from '../adapters/sqs/messages.ts';
import type { DueMessage, EventMessage, EvictMessage, ReportMessage } from '../model/message.ts';
import { evict, lookAtDue } from '../stages/evict/index.ts';
import { lookAtDueReport, recordEvent, report } from '../stages/report/index.ts';
import type { ClusterStepDependencies, EvictDependencies } from '../steps/step.ts';
import type { FunctionDependencies } from './dependencies.ts';
import { createSqsHandler, each } from './sqsHandler.ts';

export function createEvictHandler(deps: FunctionDependencies & EvictDependencies) {
  return createSqsHandler<EvictMessage | DueMessage>({
    ...stageOf(deps),
    parse: (record) => parseEvictMessage(record.body),
    run: each((message) => ('rows' in message ? lookAtDue(deps, message) : evict(deps, message))),
  });
}

export function createReportHandler(deps: FunctionDependencies & ClusterStepDependencies) {
  return createSqsHandler<ReportMessage | DueMessage | EventMessage>({
    ...stageOf(deps),
    parse: (record) => parseReportMessage(record.body),
    run: each((message) => {
      if ('rows' in message) return lookAtDueReport(deps, message);
      return 'event' in message ? recordEvent(deps, message) : report(deps, message);
    }),
  });
}

function stageOf({ log, metrics, returnLater }: FunctionDependencies) {
  return { log, metrics, returnLater };
}
