// AWS service quotas that a fleet may reach, from the same figures as its cost.
import { stageLimits, stages } from '../contract.ts';
import { changesPerBatch, type Fleet, perChange, perEviction } from './usage.ts';

export interface QuotaUse {
  readonly quota: string;
  /** Default value of the quota (AWS service quotas). */
  readonly standard: number;
  /** What the fleet needs at its peak. */
  readonly needed: number;
  /** If `needed` is above 80 % of `standard`: the value to request. */
  readonly raiseTo?: number;
}

/** A watcher that relists sends everything it knows, as fast as SQS accepts it. */
const relistBatchesPerSecond = 50;

/** Evictions per second of all limiters of a cluster together; ten rules at the default rate. */
const evictionsPerSecond = 100;

/** PATCH, DELETE, Event, and the read of the live rule. */
const apiCallsPerEviction = 4;

export function quotasOf(fleet: Fleet): readonly QuotaUse[] {
  const objects = fleet.nodes * (1 + 2 * fleet.devicesPerNode);
  const relistPerSecond = Math.min(objects, relistBatchesPerSecond * 10) + fleet.eventsPerSecond;
  const concurrency =
    stageLimits.ingest.maxConcurrency * fleet.clusters +
    stages.filter((stage) => stage !== 'ingest').reduce((sum, stage) => sum + stageLimits[stage].maxConcurrency, 0) +
    1;
  const writes = fleet.clusters * (relistPerSecond * perChange.writes + evictionsPerSecond * perEviction.writes);
  const reads = fleet.clusters * (relistPerSecond * perChange.reads + evictionsPerSecond * perEviction.reads);
  const inFlight = Math.max(objects, fleet.eventsPerSecond * 30);
  return [
    use('Lambda: concurrent executions', { standard: 1000, needed: concurrency }),
    use('DynamoDB: write request units a second, one table', { standard: 40_000, needed: writes }),
    use('DynamoDB: read request units a second, one table', { standard: 40_000, needed: reads }),
    use('SQS: messages in flight, one queue', {
      standard: 120_000,
      needed: inFlight / changesPerBatch(relistPerSecond),
    }),
    use('API server: requests a second of one user (its own flow control, not AWS)', {
      standard: 600,
      needed: evictionsPerSecond * apiCallsPerEviction,
    }),
  ];
}

function use(quota: string, { standard, needed }: { standard: number; needed: number }): QuotaUse {
  const whole = Math.ceil(needed);
  return whole > 0.8 * standard
    ? { quota, standard, needed: whole, raiseTo: roundUp(whole * 1.5) }
    : { quota, standard, needed: whole };
}

/** Rounds up to two significant digits. */
function roundUp(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / step) * step;
}
