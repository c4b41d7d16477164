// Metrics as CloudWatch stores them: values that services report, and values in embedded metric format.
import * as z from 'zod';

export type Statistic = 'Sum' | 'Maximum' | 'Minimum' | 'Average' | 'SampleCount';

export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

export interface MetricStore {
  put(metric: MetricId, value: number, at: number): void;
  /** Reads one line of a log; lines that are not in embedded metric format are ignored. */
  putLine(line: string): void;
  /** The statistic of the period that begins at `from`, in milliseconds; `undefined` if nothing was reported. */
  statistic(metric: MetricId, of: { statistic: Statistic; from: number; period: number }): number | undefined;
}

const directive = z.object({
  Namespace: z.string(),
  Dimensions: z.array(z.array(z.string())),
  Metrics: z.array(z.object({ Name: z.string() })),
});
const embedded = z.looseObject({
  _aws: z.object({ Timestamp: z.number(), CloudWatchMetrics: z.array(directive) }),
});
const values = z.union([z.number().transform((value) => [value]), z.array(z.number())]);

export function createMetricStore(): MetricStore {
  const all = new Map<string, { readonly value: number; readonly at: number }[]>();
  const put = (metric: MetricId, value: number, at: number) => {
    const id = idOf(metric);
    const known = all.get(id) ?? [];
    known.push({ value, at });
    all.set(id, known);
  };
  return {
    put,
    putLine(line) {
      for (const { metric, value, at } of samplesOf(line)) put(metric, value, at);
    },
    statistic(metric, { statistic, from, period }) {
      const points = (all.get(idOf(metric)) ?? []).filter(({ at }) => at >= from && at < from + period);
      if (points.length === 0) return undefined;
      const reported = points.map(({ value }) => value);
      const sum = reported.reduce((total, value) => total + value, 0);
      const of: Readonly<Record<Statistic, number>> = {
        Sum: sum,
        Average: sum / reported.length,
        Maximum: Math.max(...reported),
        Minimum: Math.min(...reported),
        SampleCount: reported.length,
      };
      return of[statistic];
    },
  };
}

function samplesOf(line: string): readonly { metric: MetricId; value: number; at: number }[] {
  const parsed = embedded.safeParse(parseJson(line));
  if (!parsed.success) return [];
  const { _aws: aws, ...members } = parsed.data;
  return aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = Object.fromEntries(names.map((name) => [name, String(members[name])]));
      return Metrics.flatMap(({ Name: name }) =>
        values.parse(members[name]).map((value) => ({
          metric: { namespace, name, dimensions },
          value,
          at: aws.Timestamp,
        })),
      );
    }),
  );
}

/** A metric is identified by its name and exactly its dimensions. */
function idOf({ namespace, name, dimensions }: MetricId): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
