// The alarms; each names its entry in the runbook.
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { sluiceMetric } from './metrics.ts';
import type { SluiceProps } from './props.ts';

/** Relative to the project; every anchor exists, a template test sees to it. */
const runbook = 'docs/runbook.md';

interface AlarmOptions {
  readonly id: string;
  readonly entry: string;
  readonly says: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods?: number;
  readonly below?: boolean;
  readonly missing?: TreatMissingData;
}

function alarm(scope: Construct, props: SluiceProps, options: AlarmOptions): void {
  const created = new Alarm(scope, options.id, {
    alarmDescription: `${options.says} Runbook: ${runbook}#${options.entry}`,
    metric: options.metric,
    threshold: options.threshold,
    evaluationPeriods: options.periods ?? 1,
    comparisonOperator: options.below
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: options.missing ?? TreatMissingData.NOT_BREACHING,
  });
  for (const action of props.alarmActions ?? []) created.addAlarmAction(action);
}

const period = Duration.minutes(1);

export function alarmOnQueue(
  scope: Construct,
  props: SluiceProps,
  of: { readonly id: string; readonly stage: string; readonly queue: IQueue; readonly deadLetterQueue: IQueue },
): void {
  alarm(scope, props, {
    id: `${of.id}Age`,
    entry: 'messages-wait',
    says: `The oldest message of the ${of.stage} stage is too old.`,
    metric: of.queue.metricApproximateAgeOfOldestMessage({ period }),
    threshold: 300,
    periods: 3,
  });
  alarm(scope, props, {
    id: `${of.id}DeadLetter`,
    entry: 'dead-letters',
    says: `Messages of the ${of.stage} stage were set aside.`,
    metric: of.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period }),
    threshold: 1,
  });
}

export function alarmOnFunction(
  scope: Construct,
  props: SluiceProps,
  of: { readonly name: string; readonly function: IFunction },
): void {
  const errors = { entry: 'function-errors', says: `The ${of.name} function fails.` };
  alarm(scope, props, {
    id: 'Errors',
    ...errors,
    metric: of.function.metricErrors({ period }),
    threshold: 1,
    periods: 3,
  });
  const throttles = { entry: 'function-throttles', says: `The ${of.name} function is throttled.` };
  alarm(scope, props, {
    id: 'Throttles',
    ...throttles,
    metric: of.function.metricThrottles({ period }),
    threshold: 1,
    periods: 3,
  });
  const dropped = of.function.metric('RecursiveInvocationsDropped', { period, statistic: 'Sum' });
  alarm(scope, props, {
    id: 'Recursion',
    entry: 'recursion',
    says: `A chain of the ${of.name} function was stopped.`,
    metric: dropped,
    threshold: 1,
  });
}

export function alarmOnCluster(scope: Construct, props: SluiceProps, cluster: string): void {
  alarm(scope, props, {
    id: 'WatcherSilent',
    entry: 'watcher-silent',
    says: `The watcher of cluster ${cluster} is silent; nothing is evicted there.`,
    metric: sluiceMetric('WatcherHeartbeat', cluster, { statistic: 'Sum' }),
    threshold: 1,
    periods: 5,
    below: true,
    missing: TreatMissingData.BREACHING,
  });
  alarm(scope, props, {
    id: 'EvictionsRefused',
    entry: 'evictions-refused',
    says: `The API server of cluster ${cluster} refuses evictions or status writes (403).`,
    metric: sluiceMetric('EvictionsRefused', cluster, { statistic: 'Sum' }),
    threshold: 1,
  });
  alarm(scope, props, {
    id: 'MessagesPoison',
    entry: 'poison-messages',
    says: `Messages of cluster ${cluster} cannot be read and were dropped.`,
    metric: sluiceMetric('MessagesPoison', cluster, { statistic: 'Sum' }),
    threshold: 1,
  });
}

export function alarmOnTable(scope: Construct, props: SluiceProps, metric: IMetric): void {
  alarm(scope, props, {
    id: 'TableThrottled',
    entry: 'table-throttled',
    says: 'The state table throttles.',
    metric,
    threshold: 1,
    periods: 3,
  });
}
