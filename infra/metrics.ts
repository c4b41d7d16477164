// Sluice's own metrics as CloudWatch metrics: name and unit come from the contract and are never retyped.
import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { gaugesEveryMinutes } from '../lib/contract.ts';
import { type MetricName, metrics, metricsNamespace } from '../lib/metrics.ts';

const statisticOf = { Count: Stats.SUM, Milliseconds: Stats.percentile(99), Gauge: Stats.MAXIMUM } as const;

/** Minutes; a gauge is written once in a while. */
const periodOf = { Count: 1, Milliseconds: 1, Gauge: gaugesEveryMinutes } as const;

/** Counts are summed per minute, durations are the 99th percentile, gauges the highest. Without a cluster: of all of them together. */
export function sluiceMetric(name: MetricName, cluster?: string): Metric {
  return new Metric({
    namespace: metricsNamespace,
    metricName: name,
    ...(cluster === undefined ? {} : { dimensionsMap: { cluster } }),
    statistic: statisticOf[metrics[name].unit],
    period: Duration.minutes(periodOf[metrics[name].unit]),
  });
}

/** With its name for narrow legends, the reference has its meaning; a label would turn a plain alarm into one on an expression. */
export function labelledMetric(name: MetricName, cluster: string): Metric {
  return sluiceMetric(name, cluster).with({ label: name });
}

/** How many heartbeats of a watcher arrived. */
export function heartbeatMetric(cluster: string): Metric {
  return sluiceMetric('WatcherLag', cluster).with({ statistic: Stats.SAMPLE_COUNT });
}
