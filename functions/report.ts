// Report: writes conditions of rules and Events of other stages, and removes stale reservations of claims.
import { environmentNames as names } from '../lib/contract.ts';
import { accessThrough } from '../lib/lambda/access.ts';
import { createReportHandler } from '../lib/lambda/clusterHandlers.ts';
import { createClusterDependencies } from '../lib/lambda/dependencies.ts';

export const handler = createReportHandler(
  createClusterDependencies('report', [names.table, names.clusters], accessThrough),
);
