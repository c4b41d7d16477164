// Token buckets (GCRA) of one limiter and of its cluster: the tokens available within a time, and the debt after a change of the rate.
import type { Bucket, Rate } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/** Buckets store whole microseconds. */
const microsecond = 1000;

/** Microseconds between two tokens, rounded up so that the rate is never exceeded; `undefined` if the rate yields no token. */
export function periodOf(rate: Rate): number | undefined {
  if (!(rate.perSecond > 0) || !(rate.burst >= 1)) return undefined;
  return Math.ceil((1000 * microsecond) / rate.perSecond);
}

/** The burst of a cluster-wide limit is the tokens of one second. */
export function clusterRate(perSecond: number): Rate {
  return { perSecond, burst: Math.max(1, Math.floor(perSecond)) };
}

export interface Take {
  readonly rate: Rate;
  readonly bucket: Bucket | undefined;
  /** The cluster-wide bucket, if the cluster has a limit. */
  readonly cluster?: { readonly rate: Rate; readonly bucket: Bucket | undefined };
  readonly now: Instant;
  readonly wanted: number;
  /** Take no token whose time is later than `now + ahead`. */
  readonly ahead: Milliseconds;
}

export interface Taken {
  /** Ascending. Tokens at or before `now` are the unused burst. */
  readonly tokens: readonly Instant[];
  /** After the take; absent if the rate yields no token. */
  readonly bucket?: Bucket;
  readonly cluster?: Bucket;
  /** Time of the token after these. */
  readonly next?: Instant;
}

/**
 * At most burst + rate·t tokens lie in any time t, both for the limiter and for the cluster: the time of each token is the later of the two
 * buckets' times.
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
 * When the bucket is full. After a change of the rate, the debt is converted to tokens and back, and the time since then pays it at the
 * slower of both rates: an edit neither forgives a token nor adds one. If the clock is set back, the debt is unchanged.
 */
function fullAt(bucket: Bucket | undefined, { period, at }: { readonly period: number; readonly at: number }): number {
  if (!bucket) return at;
  if (bucket.period === period) return Math.max(bucket.tat, at);
  const owed = (bucket.tat - bucket.at) / bucket.period;
  const paid = Math.max(0, at - bucket.at) / Math.max(bucket.period, period);
  return Math.max(at, bucket.at) + Math.ceil(Math.max(0, owed - paid) * period);
}
