// The handler of the schedules: runs the sweep of the cluster named in the event.
import middy from '@middy/core';
import type { FunctionDependencies } from './dependencies.ts';

/** The event's content, set by the infrastructure code. */
export interface ScheduledEvent {
  readonly cluster?: string;
}

/** Throws if the run fails, so that the scheduler retries it. */
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
