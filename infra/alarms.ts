// Which alarms each part of an installation has.
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type Stage, sqsLimits } from '../lib/contract.ts';
import { type AlarmTargets, createAlarm, alarmPeriod as period } from './alarm.ts';
import { poisonMetric, sluiceMetric } from './metrics.ts';

/** Seconds that a message may wait for its turn; evict messages lie in the queue on purpose until a pod is due. */
const longestWait: Readonly<Record<Stage, number>> = {
  ingest: 300,
  reconcile: 300,
  evict: 300 + sqsLimits.maxDelaySeconds,
  report: 300,
};

export interface AlarmedQueue {
  readonly stage: Stage;
  readonly queueName: string;
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
}

export function alarmOnQueue(scope: Construct, targets: AlarmTargets, of: AlarmedQueue): void {
  createAlarm(scope, targets, {
    id: 'Age',
    entry: 'messages-wait',
    says: `The oldest message in ${of.queueName} waits for too long.`,
    metric: of.queue.metricApproximateAgeOfOldestMessage({ period }),
    when: { atLeast: longestWait[of.stage] },
    minutes: 3,
  });
  createAlarm(scope, targets, {
    id: 'DeadLetter',
    entry: 'dead-letters',
    says: `Messages of ${of.queueName} failed again and again and were set aside.`,
    metric: of.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period }),
    when: { atLeast: 1 },
    minutes: 1,
  });
  createAlarm(scope, targets, {
    id: 'Poison',
    entry: 'poison-messages',
    says: `Messages in ${of.queueName} cannot be read and were dropped.`,
    metric: poisonMetric(of.queueName),
    when: { atLeast: 1 },
    minutes: 1,
  });
}

export function alarmOnFunction(
  scope: Construct,
  targets: AlarmTargets,
  of: { readonly name: string; readonly function: IFunction },
): void {
  createAlarm(scope, targets, {
    id: 'Errors',
    entry: 'function-errors',
    says: `The ${of.name} function fails.`,
    metric: of.function.metricErrors({ period }),
    when: { atLeast: 1 },
    minutes: 3,
  });
  createAlarm(scope, targets, {
    id: 'Throttles',
    entry: 'function-throttles',
    says: `The ${of.name} function is throttled.`,
    metric: of.function.metricThrottles({ period }),
    when: { atLeast: 1 },
    minutes: 3,
  });
  createAlarm(scope, targets, {
    id: 'Recursion',
    entry: 'recursion-stopped',
    says: `AWS Lambda took messages of the ${of.name} function for a loop and stopped them.`,
    metric: of.function.metric('RecursiveInvocationsDropped', { period, statistic: Stats.SUM }),
    when: { atLeast: 1 },
    minutes: 1,
  });
}

export function alarmOnSweep(scope: Construct, targets: AlarmTargets, sweep: IFunction): void {
  createAlarm(scope, targets, {
    id: 'Silent',
    entry: 'sweep-silent',
    says: 'The sweep does not run: late pods and lost messages are not picked up.',
    metric: sweep.metricInvocations({ period }),
    when: { below: 1 },
    minutes: 5,
  });
}

export function alarmOnCluster(scope: Construct, targets: AlarmTargets, cluster: string): void {
  createAlarm(scope, targets, {
    id: 'WatcherSilent',
    entry: 'watcher-silent',
    says: `The watcher of cluster ${cluster} is silent; nothing is evicted there.`,
    metric: sluiceMetric('WatcherHeartbeat', cluster),
    when: { below: 1 },
    minutes: 5,
  });
  createAlarm(scope, targets, {
    id: 'EvictionsRefused',
    entry: 'evictions-refused',
    says: `The API server of cluster ${cluster} forbids evictions or status writes (403).`,
    metric: sluiceMetric('EvictionsRefused', cluster),
    when: { atLeast: 1 },
    minutes: 1,
  });
  createAlarm(scope, targets, {
    id: 'ClustersUnderOneName',
    entry: 'clusters-under-one-name',
    says: `Two clusters are heard under the name ${cluster}.`,
    metric: sluiceMetric('ClustersUnderOneName', cluster),
    when: { atLeast: 1 },
    minutes: 1,
  });
  createAlarm(scope, targets, {
    id: 'RevisionWentBack',
    entry: 'revision-went-back',
    says: `The versions of cluster ${cluster} went back, as after a restore of etcd.`,
    metric: sluiceMetric('RevisionWentBack', cluster),
    when: { atLeast: 1 },
    minutes: 1,
  });
}

/** Throttled reads and writes have a table-wide metric each; `ThrottledRequests` exists per operation only. */
export function tableThrottles(table: TableV2): { readonly reads: Metric; readonly writes: Metric } {
  const of = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: Stats.SUM,
      period,
    });
  return { reads: of('ReadThrottleEvents'), writes: of('WriteThrottleEvents') };
}

export function alarmOnTable(scope: Construct, targets: AlarmTargets, table: TableV2): void {
  const throttles = tableThrottles(table);
  const common = { entry: 'table-throttled', when: { atLeast: 1 }, minutes: 3 } as const;
  createAlarm(scope, targets, {
    id: 'ReadsThrottled',
    says: 'Reads of the state table are throttled.',
    metric: throttles.reads,
    ...common,
  });
  createAlarm(scope, targets, {
    id: 'WritesThrottled',
    says: 'Writes to the state table are throttled.',
    metric: throttles.writes,
    ...common,
  });
}
