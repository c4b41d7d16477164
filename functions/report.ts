// Report: conditions of rules, and Events that other stages want on pods.
import { parseReportMessage } from '../lib/adapters/sqs/messages.ts';
import { environmentNames as names } from '../lib/contract.ts';
import { createClusterDependencies } from '../lib/lambda/dependencies.ts';
import { createSqsHandler, each } from '../lib/lambda/sqsHandler.ts';
import type { EventMessage, ReportMessage } from '../lib/ports.ts';
import { reportOrRecord } from '../lib/steps/report.ts';

const deps = createClusterDependencies('report', [names.table, names.clusters]);

export const handler = createSqsHandler<ReportMessage | EventMessage>({
  log: deps.log,
  metrics: deps.metrics,
  returnLater: deps.returnLater,
  parse: (record) => parseReportMessage(record.body),
  run: each((message) => reportOrRecord(deps, message)),
});
