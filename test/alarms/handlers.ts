// The handlers of the functions, built as the files of functions/ build them.
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { parseEvaluateMessage } from '../../lib/adapters/sqs/messages.ts';
import { createEvictHandler, createReportHandler } from '../../lib/lambda/clusterHandlers.ts';
import type { FunctionDependencies } from '../../lib/lambda/dependencies.ts';
import { createIngestHandler } from '../../lib/lambda/ingestHandler.ts';
import { createScheduleHandler } from '../../lib/lambda/scheduleHandler.ts';
import { createSqsHandler, each } from '../../lib/lambda/sqsHandler.ts';
import { evaluate } from '../../lib/stages/evaluate/evaluate.ts';
import { sweepCluster } from '../../lib/stages/sweep/index.ts';
import { currentState } from '../../lib/state/incarnationRows.ts';
import type { ClusterStepDependencies } from '../../lib/steps/step.ts';
import { readClusterProgress } from '../../lib/view/readModel.ts';
import { answerWidget } from '../../lib/view/widget.ts';
import type { Handler } from './account.ts';
import type { Actor } from './installation.ts';

export function handlerOf(actor: Actor, deps: FunctionDependencies & ClusterStepDependencies): Handler {
  const { log, metrics, returnLater } = deps;
  const [evict, report] = [createEvictHandler(deps), createReportHandler(deps)];
  switch (actor) {
    case 'ingest':
      return createIngestHandler(deps, parseChange);
    case 'evaluate': {
      const run = each((message: Parameters<typeof evaluate>[1]) => evaluate(deps, message));
      return createSqsHandler({ log, metrics, returnLater, parse: ({ body }) => parseEvaluateMessage(body), run });
    }
    case 'evict':
      return evict;
    case 'report':
      return report;
    case 'sweep': {
      const scheduled = createScheduleHandler(deps, (cluster) => sweepCluster(deps, cluster));
      return async (event, context) => {
        await scheduled(event as object, context);
        return undefined;
      };
    }
    case 'widget':
      return async () => {
        const state = await currentState(deps.table, 'prod');
        await answerWidget({}, { clusters: ['prod'], read: () => readClusterProgress(state, deps.clock.now()) });
        return undefined;
      };
    case 'executor':
      return (event, context) =>
        event.Records[0]?.eventSourceARN.includes('-evict-') ? evict(event, context) : report(event, context);
    default:
      return actor satisfies never;
  }
}
