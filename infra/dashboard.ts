// The first dashboard: from the watcher to the dead letters, in the order of the flow.
import { Dashboard, GraphWidget, type IMetric, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Operation } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { MetricName } from '../lib/contract.ts';
import { sluiceMetric } from './metrics.ts';
import type { Stage } from './stage.ts';

export interface DashboardProps {
  readonly clusters: readonly string[];
  readonly stages: readonly Stage[];
  readonly table: TableV2;
}

export function createDashboard(scope: Construct, props: DashboardProps): void {
  const dashboard = new Dashboard(scope, 'Dashboard');
  const own = (names: readonly MetricName[], statistic = 'Sum') =>
    names.flatMap((name) => props.clusters.map((cluster) => sluiceMetric(name, cluster, { statistic })));
  const row = (title: string, ...graphs: readonly [string, readonly IMetric[]][]) =>
    dashboard.addWidgets(
      new TextWidget({ markdown: `## ${title}`, width: 24, height: 1 }),
      ...graphs.map(([name, left]) => new GraphWidget({ title: name, left: [...left], width: 12, height: 6 })),
    );
  row(
    'Watchers and ingest',
    ['Heartbeats', own(['WatcherHeartbeat'])],
    ['Changes', own(['ChangesApplied', 'ChangesStale', 'MessagesPoison'])],
  );
  row(
    'Evictions',
    ['Pods', own(['PodsListed', 'PodsEvicted', 'EvictionsCancelled'])],
    ['Delete after slot, p99 ms', own(['EvictionLatenessMs'], 'p99')],
  );
  row(
    'What a person should look at',
    ['Held back', own(['EvictionsRefused', 'VerdictsUnknown', 'ApiServerErrors'])],
    ['Repaired', own(['SlotsVoided', 'SweepRepaired'])],
  );
  row(
    'Queues',
    [
      'Oldest message, s',
      props.stages.flatMap((stage) => stage.queues.map((queue) => queue.metricApproximateAgeOfOldestMessage())),
    ],
    [
      'Dead letters',
      props.stages.flatMap((stage) =>
        stage.deadLetterQueues.map((queue) => queue.metricApproximateNumberOfMessagesVisible()),
      ),
    ],
  );
  row(
    'Functions and table',
    ['Duration p99', props.stages.map((stage) => stage.function.metricDuration({ statistic: 'p99' }))],
    ['Table throttles', [tableThrottles(props.table)]],
  );
}

export function tableThrottles(table: TableV2): IMetric {
  return table.metricThrottledRequestsForOperation(Operation.UPDATE_ITEM);
}
