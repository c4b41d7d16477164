// Sweep: runs every minute, one invocation per cluster.
import { environmentNames as names } from '../lib/contract.ts';
import { createDependencies } from '../lib/lambda/dependencies.ts';
import { createScheduleHandler } from '../lib/lambda/scheduleHandler.ts';
import { sweepCluster } from '../lib/stages/sweep/index.ts';

const deps = createDependencies('sweep', [names.table, names.clusters, names.evictQueueUrl, names.reportQueueUrl]);

export const handler = createScheduleHandler(deps, (cluster) => sweepCluster(deps, cluster));
