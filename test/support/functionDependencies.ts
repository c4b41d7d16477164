// Dependencies of a function of an installation with the only cluster `prod`, backed by a test world.
import { createMetrics } from '../../lib/lambda/powertools.ts';
import { upstreamSettings } from '../../lib/model/snapshot.ts';
import type { World } from './world.ts';

export function functionDependencies(world: World) {
  return {
    ...world.deps,
    metrics: createMetrics(
      () => {},
      () => 0,
    ),
    returnLater: async () => {},
    environment: {
      table: 'table',
      queueUrls: { evaluate: '', evict: '', report: '' },
      ingestQueues: { 'Sluice-ingest-prod': 'prod' },
      clusters: {},
      settings: upstreamSettings,
      recordDays: 90,
    },
  };
}
