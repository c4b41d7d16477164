// Alarms of each part of an installation.
import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { usualThresholds } from '../lib/config/runbookEntries.ts';
import type { Stage } from '../lib/contract.ts';
import type { MetricName } from '../lib/metrics.ts';
import { type AlarmOptions, type AlarmTargets, createAlarm, alarmPeriod as period } from './alarm.ts';
import { heartbeatMetric, sluiceMetric } from './metrics.ts';

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
    rings: 'AtLeast',
    ...(of.stage === 'evict' ? { threshold: usualThresholds['messages-wait'].ofEvict } : {}),
  });
  createAlarm(scope, targets, {
    id: 'DeadLetter',
    entry: 'dead-letters',
    says: `Messages of ${of.queueName} failed again and again and were set aside.`,
    metric: of.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period }),
    rings: 'AtLeast',
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
    rings: 'AtLeast',
  });
}

export function alarmOnSweep(scope: Construct, targets: AlarmTargets, sweep: IFunction): void {
  createAlarm(scope, targets, {
    id: 'Silent',
    entry: 'sweep-silent',
    says: 'The sweep does not run: late pods and lost messages are not picked up.',
    metric: sweep.metricInvocations({ period }),
    rings: 'Below',
  });
}

export function alarmOnCluster(scope: Construct, targets: AlarmTargets, cluster: string): void {
  createAlarm(scope, targets, {
    id: 'WatcherSilent',
    entry: 'watcher-silent',
    says: `The watcher of cluster ${cluster} is silent; nothing is evicted there.`,
    metric: heartbeatMetric(cluster),
    rings: 'Below',
  });
}

/** Alarms over all clusters; the metric of the same name by cluster shows which one. */
const watched: readonly (Omit<AlarmOptions, 'id' | 'metric'> & {
  readonly name: MetricName;
  /** Period; default one minute. */
  readonly each?: Duration;
})[] = [
  {
    name: 'MessagesPoison',
    entry: 'poison-messages',
    says: 'Messages cannot be read and were dropped.',
    rings: 'AtLeast',
  },
  {
    name: 'EvictionsRefused',
    entry: 'evictions-refused',
    says: 'An API server forbids evictions or status writes (403).',
    rings: 'AtLeast',
  },
  {
    name: 'ClustersUnderOneName',
    entry: 'clusters-under-one-name',
    says: 'Two clusters are heard under one name.',
    rings: 'AtLeast',
  },
  {
    name: 'RevisionWentBack',
    entry: 'revision-went-back',
    says: 'The versions of a cluster went back, as after a restore of etcd.',
    rings: 'AtLeast',
  },
  {
    name: 'TokensDropped',
    entry: 'tokens-dropped',
    says: 'Tokens become too old before they are used: evictions are slower than their rates.',
    rings: 'AtLeast',
    each: Duration.minutes(5),
  },
  {
    name: 'LeasesTakenOver',
    entry: 'leases-taken-over',
    says: 'Rounds of the evict function end without ending their leases.',
    rings: 'AtLeast',
  },
  {
    name: 'IntentsInterrupted',
    entry: 'intents-open',
    says: 'Evictions were interrupted, and it is unknown what became of their pods.',
    rings: 'AtLeast',
  },
  {
    name: 'ObjectsOutstanding',
    entry: 'objects-outstanding',
    says: 'A watcher does not send objects that it was asked for; pods that depend on them stay.',
    rings: 'AtLeast',
    // The watcher is asked for each missing object every five minutes.
    each: Duration.minutes(10),
  },
  {
    name: 'MirrorDrift',
    entry: 'mirror-drift',
    says: 'The table differs from the API servers again and again.',
    rings: 'AtLeast',
    each: Duration.minutes(10),
  },
];

export function alarmOnInstallation(scope: Construct, targets: AlarmTargets, table: TableV2): void {
  alarmOnTable(scope, targets, table);
  for (const { name, each = period, ...of } of watched)
    createAlarm(scope, targets, { id: name, metric: sluiceMetric(name).with({ period: each }), ...of });
}

/** Table-wide metrics of throttled reads and writes; `ThrottledRequests` exists per operation only. */
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

function alarmOnTable(scope: Construct, targets: AlarmTargets, table: TableV2): void {
  const throttles = tableThrottles(table);
  const common = { entry: 'table-throttled', rings: 'AtLeast' } as const;
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
