// Tokens of one limiter and of its cluster (GCRA): which come within a time, and what a change of the rate makes of the debt.
import type { Bucket, Rate } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/** Buckets hold whole microseconds. */
const microsecond = 1000;

/** Microseconds between two tokens, rounded up so that the rate is never exceeded; `undefined` where none comes. */
export function periodOf(rate: Rate): number | undefined {
  if (!(rate.perSecond > 0) || !(rate.burst >= 1)) return undefined;
  return Math.ceil((1000 * microsecond) / rate.perSecond);
}

/** A limit on a whole cluster lets the tokens of one second go at once. */
export function clusterRate(perSecond: number): Rate {
  return { perSecond, burst: Math.max(1, Math.floor(perSecond)) };
}

export interface Take {
  readonly rate: Rate;
  readonly bucket: Bucket | undefined;
  /** Of the whole cluster, where it has a limit. */
  readonly cluster?: { readonly rate: Rate; readonly bucket: Bucket | undefined };
  readonly now: Instant;
  readonly wanted: number;
  /** No token comes later than this from `now`. */
  readonly ahead: Milliseconds;
}

export interface Taken {
  /** Ascending; those not after `now` are what the burst has saved. */
  readonly tokens: readonly Instant[];
  /** After the take; absent where no token ever comes. */
  readonly bucket?: Bucket;
  readonly cluster?: Bucket;
  /** When the token after these comes. */
  readonly next?: Instant;
}

/**
 * At most burst + rate·t tokens lie in any time t, of the limiter and of the cluster: each token has the later of the times at which
 * both have one.
 */
export function takeTokens(take: Take): Taken {
  const { rate, now, cluster } = take;
  const own = scheduleOf(take.bucket, rate, now);
  const shared = cluster && scheduleOf(cluster.bucket, cluster.rate, now);
  if (!own || (cluster && !shared)) return { tokens: [] };
  const timeOf = (n: number) => Math.max(own.tokenAt(n), shared?.tokenAt(n) ?? 0) / microsecond;
  const tokens: Instant[] = [];
  while (tokens.length < take.wanted && timeOf(tokens.length) <= now + take.ahead) tokens.push(timeOf(tokens.length));
  const count = tokens.length;
  return {
    tokens,
    bucket: own.after(count),
    ...(shared ? { cluster: shared.after(count) } : {}),
    next: timeOf(count),
  };
}

interface Schedule {
  /** Microseconds. */
  tokenAt(n: number): number;
  after(count: number): Bucket;
}

function scheduleOf(bucket: Bucket | undefined, rate: Rate, now: Instant): Schedule | undefined {
  const period = periodOf(rate);
  if (period === undefined) return undefined;
  const at = Math.round(now * microsecond);
  const tat = fullAt(bucket, { period, at });
  const saved = (Math.floor(rate.burst) - 1) * period;
  return { tokenAt: (n) => tat - saved + n * period, after: (count) => ({ tat: tat + count * period, period, at }) };
}

/**
 * When the bucket is full. At another rate the debt is turned into tokens and back, and what has been paid since is counted at the
 * slower of both rates: an edit neither forgives a token nor adds one. A clock that goes back finds the debt as it was.
 */
function fullAt(bucket: Bucket | undefined, { period, at }: { readonly period: number; readonly at: number }): number {
  if (!bucket) return at;
  if (bucket.period === period) return Math.max(bucket.tat, at);
  const owed = (bucket.tat - bucket.at) / bucket.period;
  const paid = Math.max(0, at - bucket.at) / Math.max(bucket.period, period);
  return Math.max(at, bucket.at) + Math.ceil(Math.max(0, owed - paid) * period);
}
