// Sluice's own metrics, named by the contract and never retyped.
import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, metrics, metricsNamespace } from '../lib/contract.ts';

export function sluiceMetric(name: MetricName, cluster: string, options: { readonly statistic: string }): Metric {
  return new Metric({
    namespace: metricsNamespace,
    metricName: name,
    dimensionsMap: { cluster },
    statistic: options.statistic,
    period: Duration.minutes(1),
    label: `${cluster}: ${metrics[name].meaning}`,
  });
}
