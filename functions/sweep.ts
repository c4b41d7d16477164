// Sweep: every minute, every cluster.
import { environmentNames as names } from '../lib/contract.ts';
import { createDependencies } from '../lib/lambda/dependencies.ts';
import { createScheduleHandler } from '../lib/lambda/scheduleHandler.ts';
import { sweepCluster } from '../lib/steps/sweepCluster.ts';

const deps = createDependencies('sweep', [names.table, names.clusters, names.reconcileQueueUrl, names.reportQueueUrl]);

export const handler = createScheduleHandler(deps, (cluster) => sweepCluster(deps, cluster));
