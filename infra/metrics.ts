// Sluice's metrics as CDK metrics; names and units come from lib/contract.ts.
import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { gaugesEveryMinutes } from '../lib/contract.ts';
import { type MetricName, metrics, metricsNamespace } from '../lib/metrics.ts';

const statisticOf = { Count: Stats.SUM, Milliseconds: Stats.percentile(99), Gauge: Stats.MAXIMUM } as const;

/** Period in minutes; gauges are published less often. */
const periodOf = { Count: 1, Milliseconds: 1, Gauge: gaugesEveryMinutes } as const;

/** Statistic: sum for counts, 99th percentile for durations, maximum for gauges. Without `cluster`: all clusters together. */
export function sluiceMetric(name: MetricName, cluster?: string): Metric {
  return new Metric({
    namespace: metricsNamespace,
    metricName: name,
    ...(cluster === undefined ? {} : { dimensionsMap: { cluster } }),
    statistic: statisticOf[metrics[name].unit],
    period: Duration.minutes(periodOf[metrics[name].unit]),
  });
}

/** Labelled with the metric name, for narrow legends. Not for alarms: a label would turn them into alarms on an expression. */
export function labelledMetric(name: MetricName, cluster: string): Metric {
  return sluiceMetric(name, cluster).with({ label: name });
}

/** Number of heartbeats received from a watcher. */
export function heartbeatMetric(cluster: string): Metric {
  return sluiceMetric('WatcherLag', cluster).with({ statistic: Stats.SAMPLE_COUNT });
}
