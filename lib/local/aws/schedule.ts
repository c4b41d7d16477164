// Emulates an EventBridge rule that invokes a function at a rate; runs never overlap.
import { randomUUID } from 'node:crypto';
import { arnOf, localAccount, localRegion } from './account.ts';
import type { FunctionPool } from './functionPool.ts';
import type { ScheduleResource } from './resources/schedule.ts';

export interface Schedule {
  /** Invokes the function now, after the current run if there is one. */
  fire(): Promise<void>;
  stop(): void;
}

/** Milliseconds; Node fires longer timers at once. */
const longestTimer = 2 ** 31 - 1;

/** The first run is after one period, as on AWS. A failed run is not retried: the next one follows soon. */
export function startSchedule(schedule: ScheduleResource, pool: FunctionPool): Schedule {
  let running: Promise<unknown> = Promise.resolve();
  const fire = async () => {
    running = running.then(() => pool.invoke(eventOf(schedule)));
    await running;
  };
  const timer = schedule.enabled
    ? setInterval(fire, Math.min(schedule.everyMinutes * 60_000, longestTimer))
    : undefined;
  return { fire, stop: () => clearInterval(timer) };
}

function eventOf({ logicalId, input }: ScheduleResource): unknown {
  if (input !== undefined) return JSON.parse(input);
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: localAccount,
    time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    region: localRegion,
    resources: [arnOf('events', `rule/${logicalId}`)],
    detail: {},
  };
}
