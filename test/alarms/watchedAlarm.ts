// An alarm as a template or CloudWatch describes it, with the data points that decide its state.
import * as z from 'zod';
import { type AlarmDefinition, evaluationRange } from './evaluate.ts';
import type { MetricId, MetricStore, Statistic } from './metricStore.ts';

export interface WatchedAlarm extends AlarmDefinition {
  readonly name: string;
  readonly metric: MetricId;
  readonly statistic: Statistic;
  /** Milliseconds. */
  readonly period: number;
}

/** Each alarm of Sluice watches one metric, so an expression is an error here. */
const described = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Statistic: z.enum(['Sum', 'Maximum', 'Minimum', 'Average', 'SampleCount']),
  Period: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.optional(z.number()),
  Threshold: z.number(),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  TreatMissingData: z.enum(['breaching', 'notBreaching', 'ignore', 'missing']),
  dimensions: z.record(z.string(), z.string()),
});

/** Throws for an alarm of another form. */
export function watchedAlarm(name: string, properties: object): WatchedAlarm {
  const of = described.parse(properties);
  return {
    name,
    metric: { namespace: of.Namespace, name: of.MetricName, dimensions: of.dimensions },
    statistic: of.Statistic,
    period: of.Period * 1000,
    evaluationPeriods: of.EvaluationPeriods,
    datapointsToAlarm: of.DatapointsToAlarm ?? of.EvaluationPeriods,
    threshold: of.Threshold,
    comparison: of.ComparisonOperator,
    treatMissingData: of.TreatMissingData,
  };
}

/** The data points of the evaluation range that ends at `end`. */
export function pointsOf(metrics: MetricStore, alarm: WatchedAlarm, end: number): readonly (number | undefined)[] {
  const { statistic, period } = alarm;
  const range = evaluationRange(alarm);
  return Array.from({ length: range }, (_, i) =>
    metrics.statistic(alarm.metric, { statistic, from: end - (range - i) * period, period }),
  );
}
