// Sluice's own metrics as CloudWatch metrics: name, unit and meaning come from the contract and are never retyped.
import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, metrics, metricsNamespace } from '../lib/contract.ts';

const statisticOf = { Count: Stats.SUM, Milliseconds: Stats.percentile(99) } as const;

/** Per minute; counts are summed, durations are the 99th percentile. */
export function sluiceMetric(name: MetricName, cluster: string): Metric {
  const { unit, meaning } = metrics[name];
  return new Metric({
    namespace: metricsNamespace,
    metricName: name,
    dimensionsMap: { cluster },
    statistic: statisticOf[unit],
    period: Duration.minutes(1),
    label: `${name}: ${meaning}`,
  });
}

/** A message that cannot be parsed names no cluster, so it is counted under the queue that it came from. */
export function poisonMetric(queueName: string): Metric {
  return sluiceMetric('MessagesPoison', queueName);
}
