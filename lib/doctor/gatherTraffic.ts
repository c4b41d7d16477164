// Reads recent queue figures from CloudWatch: unreadable messages, and whether the queue is polled.
import { CloudWatchClient, type MetricDataQuery, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import { type MetricName, metricsNamespace } from '../metrics.ts';

export interface Traffic {
  readonly poison?: number;
  readonly receives?: number;
}

interface Asked {
  readonly region: string;
  readonly now: number;
  readonly queueNames: readonly string[];
}

/** Maximum queries per GetMetricData request (CloudWatch quota). */
const perRequest = 500;
const spans = { poison: 3_600_000, receives: 900_000 } as const;
/** SQS publishes a minute's receives with some minutes of delay (Amazon SQS, CloudWatch metrics). */
const lag = 300_000;

/** By queue name, without queues that have no metrics. SQS publishes no receives for an inactive queue. */
export async function trafficOf({ region, now, queueNames }: Asked): Promise<ReadonlyMap<string, Traffic>> {
  const client = new CloudWatchClient({ region });
  const poison = await sumsOf(client, { from: now - spans.poison, to: now }, queueNames.map(poisonQuery));
  const asked = queueNames.flatMap((name) => receiveMetrics.map((metric) => receiveQuery(name, metric)));
  const receives = await sumsOf(client, { from: now - spans.receives - lag, to: now }, asked);
  client.destroy();
  return new Map(
    queueNames.map((name) => {
      const received = receiveMetrics.reduce((sum, metric) => sum + (receives.get(`${metric} ${name}`) ?? 0), 0);
      return [name, { poison: poison.get(`poison ${name}`) ?? 0, receives: received }];
    }),
  );
}

/** A query without its Id, which is numbered when it is sent. */
type Query = Omit<MetricDataQuery, 'Id'>;

const receiveMetrics = ['NumberOfEmptyReceives', 'NumberOfMessagesReceived'] as const;

function poisonQuery(name: string): Query {
  const MetricName: MetricName = 'MessagesPoison';
  const Metric = { Namespace: metricsNamespace, MetricName, Dimensions: [{ Name: 'cluster', Value: name }] };
  return { Label: `poison ${name}`, MetricStat: { Metric, Stat: 'Sum', Period: 3600 } };
}

function receiveQuery(name: string, MetricName: string): Query {
  const Metric = { Namespace: 'AWS/SQS', MetricName, Dimensions: [{ Name: 'QueueName', Value: name }] };
  return { Label: `${MetricName} ${name}`, MetricStat: { Metric, Stat: 'Sum', Period: 300 } };
}

/** Sums by label. */
async function sumsOf(
  client: CloudWatchClient,
  { from, to }: { readonly from: number; readonly to: number },
  queries: readonly Query[],
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (let first = 0; first < queries.length; first += perRequest) {
    const MetricDataQueries = queries.slice(first, first + perRequest).map((one, i) => ({ ...one, Id: `m${i}` }));
    const input = { MetricDataQueries, StartTime: new Date(from), EndTime: new Date(to) };
    for await (const { MetricDataResults = [] } of paginateGetMetricData({ client }, input))
      for (const { Label = '', Values = [] } of MetricDataResults)
        sums.set(
          Label,
          Values.reduce((sum, value) => sum + value, sums.get(Label) ?? 0),
        );
  }
  return sums;
}
