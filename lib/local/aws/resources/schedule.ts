// Reads an AWS::Events::Rule that invokes a function at a rate.
import { z } from 'zod';
import { arn, parse, type Resource } from './resource.ts';

const scheduleProperties = z.object({
  ScheduleExpression: z
    .string({ error: 'only rules with a schedule are played' })
    .regex(/^rate\([1-9]\d* (minute|hour|day)s?\)$/, { error: 'only rate(...) is played' }),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Targets: z.tuple([z.object({ Arn: arn, Input: z.string().optional() })], { error: 'one target is expected' }),
});
const minutesOf = { minute: 1, hour: 60, day: 1440 } as const;

export interface ScheduleResource {
  readonly logicalId: string;
  readonly function: string;
  readonly enabled: boolean;
  readonly everyMinutes: number;
  /** JSON that replaces the event. */
  readonly input?: string;
}

export function readSchedule(logicalId: string, { Properties }: Resource): ScheduleResource {
  const { ScheduleExpression, State, Targets } = parse(logicalId, scheduleProperties, Properties);
  const [target] = Targets;
  const [, count = '1', unit] = /(\d+) (minute|hour|day)/.exec(ScheduleExpression) ?? [];
  return {
    logicalId,
    function: target.Arn,
    enabled: State === 'ENABLED',
    everyMinutes: Number(count) * minutesOf[unit as keyof typeof minutesOf],
    ...(target.Input === undefined ? {} : { input: target.Input }),
  };
}
