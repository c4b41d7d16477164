// Report: conditions of rules, Events that other stages want, stale reservations of claims.
import { parseReportMessage } from '../lib/adapters/sqs/messages.ts';
import { environmentNames as names } from '../lib/contract.ts';
import { createClusterDependencies } from '../lib/lambda/dependencies.ts';
import { createSqsHandler, each } from '../lib/lambda/sqsHandler.ts';
import type { EventMessage, ReleaseMessage, ReportMessage } from '../lib/ports.ts';
import { reportOrRecord } from '../lib/steps/report.ts';

const deps = createClusterDependencies('report', [names.table, names.clusters]);

export const handler = createSqsHandler<ReportMessage | ReleaseMessage | EventMessage>({
  log: deps.log,
  metrics: deps.metrics,
  returnLater: deps.returnLater,
  parse: (record) => parseReportMessage(record.body),
  run: each((message) => reportOrRecord(deps, message)),
});
