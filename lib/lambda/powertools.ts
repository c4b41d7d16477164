// Logs and metrics of the functions: JSON lines, and EMF lines that CloudWatch converts to metrics.
import { Logger } from '@aws-lambda-powertools/logger';
import { type MetricDefinition, type MetricName, metrics, metricsNamespace } from '../metrics.ts';
import { type ClusterId, type ClusterName, clusterNameOf, incarnationOf } from '../model/identity.ts';
import type { Log, Metrics } from '../ports.ts';

export function createLog(stage: string): Log {
  const logger = new Logger({ serviceName: `sluice-${stage}` });
  return {
    info: (message, fields = {}) => logger.info(message, named(fields)),
    warn: (message, fields = {}) => logger.warn(message, named(fields)),
    error: (message, fields = {}) => logger.error(message, named(fields)),
  };
}

/** Logs `cluster` as a name and `incarnation` separately, because people filter by name. */
function named({ cluster, ...fields }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof cluster !== 'string') return { ...fields, ...(cluster === undefined ? {} : { cluster }) };
  const incarnation = cluster.includes('@') ? { incarnation: incarnationOf(cluster as ClusterId) } : {};
  return { cluster: clusterNameOf(cluster), ...incarnation, ...fields };
}

const definitions: Readonly<Record<MetricName, MetricDefinition>> = metrics;

/** Maximum values of a metric per line (CloudWatch embedded metric format). */
const valuesPerLine = 100;

/** Collects the metrics of one invocation and writes one EMF line per cluster at its end, or when a line is full. */
export interface FlushedMetrics extends Metrics {
  flush(): void;
}

/** `write` takes one JSON line. Only `cluster` is a dimension: with taints or pods each would be a billed metric. */
export function createMetrics(write: (line: string) => void, now: () => number): FlushedMetrics {
  const values = new Map<ClusterName, Map<MetricName, number[]>>();
  const flush = (cluster: ClusterName) => {
    const ofCluster = values.get(cluster);
    if (ofCluster) write(emfLine(cluster, ofCluster, now()));
    values.delete(cluster);
  };
  return {
    add(name, value, of) {
      const { unit } = definitions[name];
      // CloudWatch bills each hour in which a metric is written.
      if (value === 0 && unit !== 'Milliseconds') return;
      const cluster = clusterNameOf(of);
      const ofCluster = values.get(cluster) ?? new Map<MetricName, number[]>();
      values.set(cluster, ofCluster);
      if (unit === 'Milliseconds') {
        const all = [...(ofCluster.get(name) ?? []), value];
        ofCluster.set(name, all);
        if (all.length === valuesPerLine) flush(cluster);
      }
      if (unit === 'Gauge') ofCluster.set(name, [value]);
      if (unit === 'Count') ofCluster.set(name, [(ofCluster.get(name)?.[0] ?? 0) + value]);
    },
    flush() {
      for (const cluster of [...values.keys()]) flush(cluster);
    },
  };
}

function emfLine(cluster: ClusterName, values: ReadonlyMap<MetricName, readonly number[]>, at: number): string {
  const names = [...values.keys()];
  const body = Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
  const directives = [
    directiveOf(names, ['cluster']),
    directiveOf(
      names.filter((name) => definitions[name].isWatched),
      [],
    ),
  ].filter(({ Metrics }) => Metrics.length > 0);
  return JSON.stringify({ _aws: { Timestamp: at, CloudWatchMetrics: directives }, cluster, ...body });
}

function directiveOf(names: readonly MetricName[], dimensions: readonly string[]) {
  const Metrics = names.map((Name) => ({ Name, Unit: emfUnit(definitions[Name].unit) }));
  return { Namespace: metricsNamespace, Dimensions: [dimensions], Metrics };
}

/** CloudWatch has no gauges. */
function emfUnit(unit: MetricDefinition['unit']): 'Count' | 'Milliseconds' {
  return unit === 'Gauge' ? 'Count' : unit;
}
