// Monthly AWS usage, from the size and activity of a fleet.
import { stages, sweepLimits } from '../contract.ts';
import { type MetricName, metrics } from '../metrics.ts';

/** One installation with equal clusters. */
export interface Fleet {
  readonly clusters: number;
  /** Per cluster. */
  readonly nodes: number;
  readonly devicesPerNode: number;
  /** Changes of pods, claims, slices and rules that a cluster's watcher forwards, per second on average. */
  readonly eventsPerSecond: number;
  /** Per cluster and month. */
  readonly evictionsPerMonth: number;
  /** Per cluster. Rules are matched on changes, and each is stored in one row of 2 KB. */
  readonly rules: number;
  /** CloudWatch alarms of the stack. Default: the stack's own alarms. */
  readonly alarms?: number;
}

export interface Usage {
  readonly sqsRequests: number;
  readonly lambdaRequests: number;
  readonly lambdaGbSeconds: number;
  readonly dynamoDbWrites: number;
  readonly dynamoDbReads: number;
  readonly dynamoDbGb: number;
  readonly logsGb: number;
  readonly metrics: number;
  readonly alarms: number;
  readonly dashboards: number;
}

const hoursPerMonth = 730;
export const secondsPerMonth = hoursPerMonth * 3600;

/** CloudWatch alarms; a test compares them with the template. */
export const alarmsOf = { installation: 24, cluster: 3 } as const;

/** Request units and messages; a test compares them with the real steps. */
export const perChange = { writes: 3, reads: 6.3 } as const;
export const perEviction = { writes: 27, reads: 10, messages: 0.06 } as const;
/** Heartbeats and sweeps of an idle cluster. */
export const perIdleMinute = { writes: 4, reads: 29 } as const;

/** Changes per evicted pod: marked, terminating, gone, its claim released, a successor and its claim. */
const changesPerEviction = 6;
const heartbeatsPerSecond = 0.05;

/** Send, receive, delete. */
const requestsPerBatch = 3;

/** Empty receives of one event source mapping that polls an idle queue (five pollers, long polls of 20 s). */
const idleRequestsPerQueue = 0.65e6;

/** The watcher polls its request queue with one long poll after the other. */
const watcherPolls = secondsPerMonth / 20;

/** Duration of a warm invocation in ms; evict waits for its pods' tokens. */
const durations = { ingest: 60, others: 80, evict: 1000, sweep: 150 } as const;
const memoryGb = 0.5;
const rowGb = 2.5e-6;
const logGbPerChange = 0.3e-6;
const logGbPerEviction = 3e-6;

export function usageOf(fleet: Fleet): Usage {
  const { clusters } = fleet;
  const evictions = fleet.evictionsPerMonth * clusters;
  const changes = fleet.eventsPerSecond * secondsPerMonth * clusters + evictions * changesPerEviction;
  const heartbeats = heartbeatsPerSecond * secondsPerMonth * clusters;
  const batches = changes / changesPerBatch(fleet.eventsPerSecond) + heartbeats;
  const minutes = (secondsPerMonth / 60) * clusters;
  const sweeps = minutes / sweepLimits.everyMinutes;
  const messages = evictions * perEviction.messages;
  const queues = clusters + stages.length - 1;
  const milliseconds =
    batches * durations.ingest +
    sweeps * durations.sweep +
    messages * durations.others +
    (evictions / 10) * durations.evict;
  const rows = clusters * (fleet.nodes * (1 + 3 * fleet.devicesPerNode) + fleet.rules);
  return {
    sqsRequests: (batches + messages) * requestsPerBatch + queues * idleRequestsPerQueue + clusters * watcherPolls,
    lambdaRequests: batches + messages + sweeps,
    lambdaGbSeconds: (milliseconds / 1000) * memoryGb,
    dynamoDbWrites: changes * perChange.writes + evictions * perEviction.writes + minutes * perIdleMinute.writes,
    dynamoDbReads: changes * perChange.reads + evictions * perEviction.reads + minutes * perIdleMinute.reads,
    dynamoDbGb: rows * rowGb + evictions * rowGb * 3,
    logsGb: changes * logGbPerChange + evictions * logGbPerEviction,
    metrics: metricsPerCluster(fleet) * clusters,
    alarms: fleet.alarms ?? alarmsOf.installation + alarmsOf.cluster * clusters,
    dashboards: 1,
  };
}

/** Metrics written with each heartbeat, and with changes; all others are written with taints and evictions. */
const steady: readonly MetricName[] = ['WatcherLag'];
const ofChanges: readonly MetricName[] = ['ChangesApplied', 'ChangesStale'];

/** CloudWatch bills a metric per hour in which it is written. */
function metricsPerCluster({ eventsPerSecond, evictionsPerMonth }: Fleet): number {
  const always = [...steady, ...(eventsPerSecond > 0 ? ofChanges : [])];
  const share = Math.min(hoursPerMonth, evictionsPerMonth) / hoursPerMonth;
  return always.length + (Object.keys(metrics).length - always.length) * share;
}

/** An idle watcher sends each change at once; under load it sends ten together (SQS SendMessageBatch). */
export function changesPerBatch(eventsPerSecond: number): number {
  return Math.min(10, Math.max(1, eventsPerSecond / 10));
}
