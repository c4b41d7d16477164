// Evict: evicts the due pods of limiters and settles open intents.
import { environmentNames as names } from '../lib/contract.ts';
import { evictionAccess } from '../lib/lambda/access.ts';
import { createEvictHandler } from '../lib/lambda/clusterHandlers.ts';
import { createClusterDependencies } from '../lib/lambda/dependencies.ts';

export const handler = createEvictHandler(
  createClusterDependencies(
    'evict',
    [names.table, names.clusters, names.evictQueueUrl, names.reportQueueUrl],
    evictionAccess,
  ),
);
