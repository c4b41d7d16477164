// Dashboard on one screen: progress of rules, alarms and backlog; below, the metrics from the watcher to the table.
import {
  type Alarm,
  AlarmStatusWidget,
  Column,
  CustomWidget,
  Dashboard,
  DashboardVariable,
  DefaultValue,
  GraphWidget,
  type IMetric,
  LegendPosition,
  MathExpression,
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

type Graph = readonly [title: string, left: readonly IMetric[], right?: readonly IMetric[]];

/** Heights in grid rows of about 60 pixels: a screen of 1920 by 1080 shows twelve rows below the controls of CloudWatch. */
const heights = { progress: 8, alarms: 3, waiting: 3, evicted: 2, below: 2 } as const;
const columns = 24;
const progressColumns = 15;

/** Shows health, holds and pending pods on one screen. Per-cluster metrics are of the cluster selected at the top. */
export function createDashboard(scope: Construct, props: DashboardProps): Dashboard {
  const dashboard = new Dashboard(scope, 'Dashboard', { variables: [clusterVariable(props.clusters)] });
  const { beside, below } = graphsOf(props);
  const side = columns - progressColumns;
  dashboard.addWidgets(
    progressWidget(props),
    new Column(
      alarmWidget(alarmsBelow(scope), side),
      graphWidget(beside.waiting, { width: side, height: heights.waiting }),
      graphWidget(beside.evicted, { width: side, height: heights.evicted }),
    ),
  );
  for (const row of below) {
    const size = { width: columns / row.length, height: heights.below };
    dashboard.addWidgets(...row.map((one) => graphWidget(one, size)));
  }
  return dashboard;
}

/** Legend at the right, to keep the height for the lines. */
function graphWidget([title, left, right = []]: Graph, size: { width: number; height: number }): GraphWidget {
  const legendPosition = LegendPosition.RIGHT;
  return new GraphWidget({ title, left: [...left], right: [...right], legendPosition, ...size });
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

function alarmWidget(alarms: Alarm[], width: number): AlarmStatusWidget {
  return new AlarmStatusWidget({ title: 'Alarms', width, height: heights.alarms, alarms });
}

/** Custom widget with the progress; the dashboard's cluster variable sets its parameter `cluster`. */
function progressWidget({ clusters, widget }: DashboardProps): CustomWidget {
  const params = { cluster: clusters[0] ?? '' };
  return new CustomWidget({
    title: 'Progress',
    functionArn: widget.functionArn,
    params,
    width: progressColumns,
    height: heights.progress,
    updateOnTimeRangeChange: false,
  });
}

function graphsOf({ clusters, stages, sweep, table, widget }: DashboardProps): {
  readonly beside: { readonly waiting: Graph; readonly evicted: Graph };
  readonly below: readonly (readonly Graph[])[];
} {
  const own = (...names: MetricName[]) => names.map((name) => labelledMetric(name, clusters[0] ?? ''));
  const pairs = stages.flatMap((stage) => [...stage.queues.values()]);
  const functions = [...stages.map((stage) => stage.function), sweep, widget];
  const throttles = tableThrottles(table);
  const deadLetters = pairs.map((pair) => pair.deadLetterQueue.metricApproximateNumberOfMessagesVisible());
  return {
    beside: {
      waiting: ['Pods that wait', own('PodsPending', 'PodsHeld')],
      evicted: ['Found and evicted, per minute', own('PodsListed', 'PodsEvicted', 'EvictionsCancelled')],
    },
    below: [
      [
        ['Watcher: heartbeats, and their age in ms', [heartbeatMetric(clusters[0] ?? '')], own('WatcherLag')],
        ['Oldest message per queue, s', pairs.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage())],
        ['Set aside, refused or not known', [...deadLetters, poisonEverywhere(), ...own(...stuck)]],
        ['Latency of evictions, ms', own('FirstDeleteLatency', 'PaceError', 'DeletionDuration')],
      ],
      [
        ['Functions: errors, and p99 of their time', errorsOf(functions), durationsOf(functions)],
        [
          'Table: throttled, and capacity used',
          [throttles.reads, throttles.writes],
          [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()],
        ],
        ['Repairs and changes', own(...repairs)],
        ['Taints, and shadow mode', own(...tainted, 'ShadowDifferences', 'ShadowAgreements')],
      ],
    ],
  };
}

/** Metrics of what prevents evictions or decisions. */
const stuck = [
  'EvictionsRefused',
  'ApiServerErrors',
  'VerdictsUnknown',
  'ObjectsRefused',
  'ObjectsOutstanding',
] as const;
const repairs = [
  'ChangesApplied',
  'ChangesStale',
  'TokensDropped',
  'LeasesTakenOver',
  'SweepRepaired',
  'IntentsInterrupted',
  'ReleasesWaiting',
  'MirrorDrift',
  'OtherIncarnation',
  'ClustersUnderOneName',
  'RevisionWentBack',
] as const;
const tainted = ['Rules', 'TaintedDevices', 'AllocatedTaintedDevices', 'ClaimsWithTolerations'] as const;

function errorsOf(functions: readonly IFunction[]): readonly IMetric[] {
  return functions.map((one) => one.metricErrors());
}

function durationsOf(functions: readonly IFunction[]): readonly IMetric[] {
  return functions.map((one) => one.metricDuration({ statistic: 'p99' }));
}

/** A search expression, because the cluster variable must not replace the queue dimension of this metric. */
function poisonEverywhere(): MathExpression {
  const name: MetricName = 'MessagesPoison';
  return new MathExpression({
    expression: `SEARCH('{${metricsNamespace},cluster} MetricName="${name}"', 'Sum')`,
    usingMetrics: {},
    label: '',
  });
}
