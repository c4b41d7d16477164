// The handler of the schedule: one run for every cluster; one cluster's failure does not keep the others waiting.
import middy from '@middy/core';
import type { FunctionDependencies } from './dependencies.ts';

/** Throws after all clusters had their turn where any of them failed, so that the schedule's retry comes. */
export function createScheduleHandler(deps: FunctionDependencies, run: (cluster: string) => Promise<void>) {
  return middy(async (): Promise<void> => {
    const clusters = Object.keys(deps.environment.clusters);
    const results = await Promise.allSettled(clusters.map(run));
    deps.metrics.flush();
    const failed = results.flatMap((result, i) =>
      result.status === 'rejected' ? [`${clusters[i]}: ${result.reason}`] : [],
    );
    if (failed.length > 0) throw new Error(`sweep failed for ${failed.join('; ')}`);
  });
}
