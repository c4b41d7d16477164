// Reports values to the metrics of alarms by hand, and reads which alarms are in state ALARM.
import {
  type CloudWatchClient,
  DescribeAlarmsCommand,
  type MetricAlarm,
  PutMetricAlarmCommand,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import type { Target } from './target.ts';

export interface Alarms {
  all(): Promise<readonly MetricAlarm[]>;
  /** Names, sorted. */
  ringing(): Promise<readonly string[]>;
  /** One value for each minute that an alarm looks at, now and before. */
  report(value: (alarm: MetricAlarm) => number): Promise<void>;
}

/** More than an alarm's own number of periods, because missing values may count where an emulator looks further back. */
const periodsBefore = 5;

export function alarmsOf(cloudWatch: CloudWatchClient, { alarmsAreLookedAt }: Target): Alarms {
  const all = async () => {
    const { MetricAlarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({ MaxRecords: 100 }));
    return MetricAlarms;
  };
  return {
    all,
    ringing: async () => namesOf((await all()).filter((one) => one.StateValue === 'ALARM')),
    async report(value) {
      for (const alarm of await all()) {
        await cloudWatch.send(new PutMetricDataCommand(dataOf(alarm, value(alarm))));
        if (alarmsAreLookedAt === 'WhenPut') await putAgain(cloudWatch, alarm);
      }
    },
  };
}

export function namesOf(alarms: readonly MetricAlarm[]): readonly string[] {
  return alarms.map((one) => one.AlarmName ?? '').sort();
}

export const isBelow = (alarm: MetricAlarm) => alarm.ComparisonOperator === 'LessThanThreshold';

function dataOf(alarm: MetricAlarm, Value: number) {
  const { Namespace, MetricName, Dimensions = [], EvaluationPeriods = 1, Period = 60 } = alarm;
  const now = Date.now();
  const MetricData = Array.from({ length: 2 * EvaluationPeriods + periodsBefore }, (_, i) => {
    return { MetricName, Dimensions, Value, Timestamp: new Date(now - i * Period * 1000) };
  });
  // The newest is last, because an emulator may keep the last value alone.
  return { Namespace, MetricData: MetricData.reverse() };
}

/** Puts the same alarm again, without the fields that only answers have. */
async function putAgain(cloudWatch: CloudWatchClient, alarm: MetricAlarm): Promise<void> {
  const { AlarmName, AlarmDescription, MetricName, Namespace, Statistic, Dimensions, Period, EvaluationPeriods } =
    alarm;
  const { DatapointsToAlarm, Threshold, ComparisonOperator, TreatMissingData } = alarm;
  await cloudWatch.send(
    new PutMetricAlarmCommand({
      ...{ AlarmName, AlarmDescription, MetricName, Namespace, Statistic, Dimensions, Period, EvaluationPeriods },
      ...{ DatapointsToAlarm, Threshold, ComparisonOperator, TreatMissingData },
    }),
  );
}
