// One alarm: description, metric, and runbook entry.
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct, IConstruct } from 'constructs';
import { type RunbookEntry, usualThresholds } from '../lib/config/runbookEntries.ts';
import { defaultRunbook } from './runbook.ts';

/** Overrides the threshold or the number of consecutive minutes. */
export interface AlarmThreshold {
  /** In the unit of the alarm's metric; greater than 0. */
  readonly threshold?: number | undefined;
  /** 1 to 1440. */
  readonly minutes?: number | undefined;
}

/** Actions, thresholds and runbook of all alarms. */
export interface AlarmTargets {
  /** Actions of every alarm. Default: none; alarms change their state without notification. */
  readonly alarmActions?: readonly IAlarmAction[];
  /** Default: the runbook of the repository. */
  readonly runbookUrl?: string;
  /** By runbook entry. Default: the alarm's own threshold. */
  readonly alarmThresholds?: Readonly<Partial<Record<RunbookEntry, AlarmThreshold | undefined>>>;
}

export interface AlarmOptions {
  readonly id: string;
  readonly entry: RunbookEntry;
  /** Complete sentence for the description. */
  readonly says: string;
  readonly metric: IMetric;
  /** `AtLeast`: alarm at the threshold or above, missing data is ok. `Below`: alarm below it, and for missing data. */
  readonly rings: 'AtLeast' | 'Below';
  /** Default: the usual threshold of the entry. */
  readonly threshold?: number | undefined;
}

/** Evaluation period of alarms. */
export const alarmPeriod = Duration.minutes(1);

export function createAlarm(scope: Construct, targets: AlarmTargets, options: AlarmOptions): Alarm {
  const { id, entry, says, metric, rings } = options;
  const usual = usualThresholds[entry];
  const { threshold = options.threshold ?? usual.threshold, minutes = usual.minutes } =
    targets.alarmThresholds?.[entry] ?? {};
  const alarm = new Alarm(scope, id, {
    alarmDescription: `${says} Runbook: ${targets.runbookUrl ?? defaultRunbook}#${entry}`,
    metric,
    evaluationPeriods: minutes,
    threshold,
    ...(rings === 'Below'
      ? {
          comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
          treatMissingData: TreatMissingData.BREACHING,
        }
      : {
          comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }),
  });
  alarm.addAlarmAction(...(targets.alarmActions ?? []));
  return alarm;
}

/** In creation order. */
export function alarmsBelow(scope: IConstruct): Alarm[] {
  return scope.node.findAll().filter((one): one is Alarm => one instanceof Alarm);
}
