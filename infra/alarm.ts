// One alarm: what it says, what it watches, and its entry in the runbook.
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct, IConstruct } from 'constructs';
import type { RunbookEntry } from '../lib/config/runbookEntries.ts';
import { defaultRunbook } from './runbook.ts';

/** Another threshold, or another number of consecutive minutes. */
export interface AlarmThreshold {
  /** In the unit of the alarm's metric; more than 0. */
  readonly threshold?: number | undefined;
  /** 1 to 1440. */
  readonly minutes?: number | undefined;
}

/** Who is told, when, and where the runbook is. */
export interface AlarmTargets {
  /** What every alarm does. Default: nothing; alarms change their state and notify no one. */
  readonly alarmActions?: readonly IAlarmAction[];
  /** Default: the runbook of the repository. */
  readonly runbookUrl?: string;
  /** By entry of the runbook. Default: those of each alarm. */
  readonly alarmThresholds?: Readonly<Partial<Record<RunbookEntry, AlarmThreshold | undefined>>>;
}

export interface AlarmOptions {
  readonly id: string;
  readonly entry: RunbookEntry;
  /** A whole sentence. */
  readonly says: string;
  readonly metric: IMetric;
  /** `atLeast`: rings at this value or more, missing data is fine. `below`: rings under it, and when nothing is heard. */
  readonly when: { readonly atLeast: number } | { readonly below: number };
  /** Consecutive periods: minutes, unless the metric has longer ones. */
  readonly minutes: number;
}

/** Alarms look at every minute. */
export const alarmPeriod = Duration.minutes(1);

export function createAlarm(scope: Construct, targets: AlarmTargets, options: AlarmOptions): Alarm {
  const { id, entry, says, metric, when } = options;
  const { threshold, minutes = options.minutes } = targets.alarmThresholds?.[entry] ?? {};
  const alarm = new Alarm(scope, id, {
    alarmDescription: `${says} Runbook: ${targets.runbookUrl ?? defaultRunbook}#${entry}`,
    metric,
    evaluationPeriods: minutes,
    ...('below' in when
      ? {
          threshold: threshold ?? when.below,
          comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
          treatMissingData: TreatMissingData.BREACHING,
        }
      : {
          threshold: threshold ?? when.atLeast,
          comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }),
  });
  alarm.addAlarmAction(...(targets.alarmActions ?? []));
  return alarm;
}

/** In the order in which they were made. */
export function alarmsBelow(scope: IConstruct): Alarm[] {
  return scope.node.findAll().filter((one): one is Alarm => one instanceof Alarm);
}
