// The handler of the schedules: each runs the sweep of one cluster, which its event names.
import middy from '@middy/core';
import type { FunctionDependencies } from './dependencies.ts';

/** What infrastructure puts into the event. */
export interface ScheduledEvent {
  readonly cluster?: string;
}

/** Throws where the run fails, so that the schedule's retry comes. */
export function createScheduleHandler(deps: FunctionDependencies, run: (cluster: string) => Promise<void>) {
  return middy(async ({ cluster = '' }: ScheduledEvent): Promise<void> => {
    if (!(cluster in deps.environment.clusters))
      throw new Error(
        `the schedule names the cluster "${cluster}", which this installation does not have: deploy the stack again`,
      );
    try {
      await run(cluster);
    } finally {
      deps.metrics.flush();
    }
  });
}
