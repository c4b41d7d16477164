// Estimates when the next and the last pod are evicted, from a limiter's rate, token bucket and listed pods.
import { takeTokens } from '../decide/bucket.ts';
import type { Bucket, Rate } from '../model/eviction.ts';
import type { Instant } from '../model/time.ts';
import { hasStalled, slowPace } from './pace.ts';
import type { Standings } from './standing.ts';

export interface Estimate {
  readonly nextAt?: Instant;
  readonly finishAt?: Instant;
  /** `finishAt` follows the evictions of the last seconds, because other limits keep them below the rate. */
  readonly isSlowed?: true;
}

export interface Backlog {
  readonly standings: Standings;
  readonly rate: Rate;
  /** Absent before the first token was taken. */
  readonly bucket: Bucket | undefined;
  readonly now: Instant;
  /** Evictions per second, oldest first; the last entry is the second before `now`. */
  readonly perSecond?: readonly number[];
}

/** Empty with a rate or burst of 0, and while tokens are free and no pod takes one: then other limits decide. */
export function estimate({ standings, rate, bucket, now, perSecond = [] }: Backlog): Estimate {
  const { pending, dueTimes } = standings;
  const [free] = takeTokens({ rate, bucket, now, wanted: 1, ahead: Number.POSITIVE_INFINITY }).tokens;
  if (pending + dueTimes.length === 0 || free === undefined) return {};
  if (pending > 0 && free <= now && hasStalled(perSecond, rate.perSecond)) return {};
  const seen = pending > 0 ? slowPace(perSecond, rate.perSecond) : undefined;
  const step = 1000 / (seen ?? rate.perSecond);
  const burst = seen === undefined ? (Math.floor(rate.burst) - 1) * step : 0;
  const first = pending > 0 ? free : (dueTimes[0] ?? free);
  const last = lastOf({ free, step, burst, pending, dueTimes });
  return {
    nextAt: Math.max(now, first),
    finishAt: Math.max(now, last),
    ...(seen === undefined ? {} : { isSlowed: true }),
  };
}

interface Queue {
  readonly free: Instant;
  readonly step: number;
  readonly burst: number;
  readonly pending: number;
  readonly dueTimes: readonly Instant[];
}

/** Pending pods take tokens in turn; waiting pods follow at their due times and may use tokens accumulated by then. */
function lastOf({ free, step, burst, pending, dueTimes }: Queue): Instant {
  let next = free + pending * step;
  let last = pending > 0 ? next - step : 0;
  for (const dueAt of dueTimes) {
    const token = Math.max(next, dueAt - burst);
    last = Math.max(token, dueAt);
    next = token + step;
  }
  return last;
}

/** Tokens available now. */
export function tokensIn({ rate, bucket, now }: Omit<Backlog, 'standings'>): number {
  return takeTokens({ rate, bucket, now, wanted: Math.floor(rate.burst), ahead: 0 }).tokens.length;
}
