// The dashboard: alarms first, then the progress of the rules, then from the watcher to the dead letters in the order of the flow.
import {
  type Alarm,
  AlarmStatusWidget,
  CustomWidget,
  Dashboard,
  DashboardVariable,
  DefaultValue,
  GraphWidget,
  type IMetric,
  MathExpression,
  TextWidget,
  Values,
  VariableInputType,
  VariableType,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type MetricName, metricsNamespace } from '../lib/metrics.ts';
import { alarmsBelow } from './alarm.ts';
import { tableThrottles } from './alarms.ts';
import { heartbeatMetric, labelledMetric } from './metrics.ts';
import type { Stage } from './stage.ts';

export interface DashboardProps {
  readonly clusters: readonly string[];
  readonly stages: readonly Stage[];
  readonly sweep: IFunction;
  readonly widget: IFunction;
  readonly table: TableV2;
}

type Graph = readonly [title: string, metrics: readonly IMetric[]];

/** Metrics of clusters are shown for one cluster at a time; a list above the graphs says which. */
export function createDashboard(scope: Construct, props: DashboardProps): Dashboard {
  const dashboard = new Dashboard(scope, 'Dashboard', { variables: [clusterVariable(props.clusters)] });
  dashboard.addWidgets(alarmWidget(alarmsBelow(scope)));
  dashboard.addWidgets(progressWidget(props));
  for (const [title, ...graphs] of rowsOf(props)) {
    dashboard.addWidgets(new TextWidget({ markdown: `## ${title}`, width: 24, height: 1 }));
    dashboard.addWidgets(
      ...graphs.map(
        ([name, left]) => new GraphWidget({ title: name, left: [...left], width: 24 / graphs.length, height: 6 }),
      ),
    );
  }
  return dashboard;
}

function clusterVariable(clusters: readonly string[]): DashboardVariable {
  return new DashboardVariable({
    id: 'cluster',
    label: 'Cluster',
    type: VariableType.PROPERTY,
    value: 'cluster',
    inputType: VariableInputType.SELECT,
    values: Values.fromValues(...clusters.map((value) => ({ value }))),
    defaultValue: DefaultValue.value(clusters[0]),
  });
}

function alarmWidget(alarms: Alarm[]): AlarmStatusWidget {
  return new AlarmStatusWidget({ title: 'Alarms', width: 24, height: 4, alarms });
}

/** The page's own picture; the list of clusters above it fills the parameter of the same name. */
function progressWidget({ clusters, widget }: DashboardProps): CustomWidget {
  const params = { cluster: clusters[0] ?? '' };
  return new CustomWidget({
    title: 'Progress',
    functionArn: widget.functionArn,
    params,
    width: 24,
    height: 14,
    updateOnTimeRangeChange: false,
  });
}

function rowsOf({ clusters, stages, sweep, table, widget }: DashboardProps): readonly [string, ...Graph[]][] {
  const own = (...names: MetricName[]) => names.map((name) => labelledMetric(name, clusters[0] ?? ''));
  const pairs = stages.flatMap((stage) => [...stage.queues.values()]);
  const functions = [...stages.map((stage) => stage.function), sweep, widget];
  const throttles = tableThrottles(table);
  return [
    ['Watchers', ['Heartbeats', [heartbeatMetric(clusters[0] ?? '')]], ['Age of a heartbeat, ms', own('WatcherLag')]],
    [
      'In use',
      ['Taints', own('Rules', 'TaintedDevices', 'AllocatedTaintedDevices', 'ClaimsWithTolerations')],
      ['Pods', own('PodsPending', 'PodsHeld')],
    ],
    [
      'Ingest',
      ['Changes', own('ChangesApplied', 'ChangesStale')],
      ['Incarnations', own('OtherIncarnation', 'ClustersUnderOneName', 'RevisionWentBack')],
      ['Oldest message per queue, s', pairs.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage())],
    ],
    [
      'State',
      ['Capacity used', [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]],
      ['Throttled', [throttles.reads, throttles.writes]],
      ['Undecided pods and missing objects', own('VerdictsUnknown', 'ObjectsRefused', 'ObjectsOutstanding')],
    ],
    [
      'Pacing',
      ['Found and deleted, per minute', own('PodsListed', 'PodsEvicted')],
      ['Tokens and leases', own('TokensDropped', 'LeasesTakenOver')],
      ['Repairs', own('SweepRepaired', 'IntentsInterrupted', 'ReleasesWaiting', 'MirrorDrift')],
      ['Shadow mode', own('ShadowDifferences', 'ShadowAgreements')],
    ],
    [
      'Evictions',
      ['Pods', own('PodsEvicted', 'EvictionsCancelled', 'EvictionsRefused')],
      ['Latency, ms', own('FirstDeleteLatency', 'PaceError', 'DeletionDuration')],
      ['Answers that make a step retry', own('ApiServerErrors')],
    ],
    [
      'Dead letters and functions',
      ['Set aside', pairs.map((pair) => pair.deadLetterQueue.metricApproximateNumberOfMessagesVisible())],
      ['Poison, by queue', [poisonEverywhere()]],
      ['Errors', functions.map((one) => one.metricErrors())],
      ['Duration, p99', functions.map((one) => one.metricDuration({ statistic: 'p99' }))],
    ],
  ];
}

/** A search, because the list of clusters must not rename the queues that poison is counted under. */
function poisonEverywhere(): MathExpression {
  const name: MetricName = 'MessagesPoison';
  return new MathExpression({
    expression: `SEARCH('{${metricsNamespace},cluster} MetricName="${name}"', 'Sum')`,
    usingMetrics: {},
    label: '',
  });
}
