// The pace of a limiter: evictions per second lately, measured over the same time by every renderer.
import type { Rate } from '../model/eviction.ts';
import type { Instant } from '../model/time.ts';
import type { RecentEviction } from '../state/recentRows.ts';

/** Seconds covered by a limiter's chart. */
const chartSeconds = 120;

/** Evictions per second, oldest first; by whole second, so that a drawn bar never changes. */
export function countPerSecond(recent: readonly RecentEviction[], now: Instant): readonly number[] {
  const counts = new Array<number>(chartSeconds).fill(0);
  const second = Math.floor(now / 1000);
  for (const { at, outcome } of recent) {
    const index = chartSeconds - (second - Math.floor(at / 1000));
    if (outcome === 'Evicted' && index >= 0 && index < chartSeconds) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

const sumOf = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);

/** Seconds of five evictions at the rate, at least `least`. */
function secondsOf(perSecond: number, least: number): number {
  return perSecond > 0 ? Math.max(least, Math.ceil(5 / perSecond)) : least;
}

/** For the estimate, which must soon notice that evictions slow down or end. */
const soon = 5;
/** For people: in a shorter time a burst would look like a pace above the rate. */
const long = 10;

/** The last seconds, or those since the first eviction if it is more recent; never less than the time of one token. */
function measured(counts: readonly number[], perSecond: number): readonly number[] {
  const last = counts.slice(-secondsOf(perSecond, long));
  const start = counts.findIndex((count) => count > 0) - (counts.length - last.length);
  if (start <= 0) return last;
  const least = perSecond > 0 ? Math.ceil(1 / perSecond) : last.length;
  return last.slice(Math.max(0, Math.min(start, last.length - least)));
}

/** Seconds by which tokens and the times of their evictions may differ: lateness, and whole seconds at both ends. */
const blur = 2;

/**
 * `counts`: evictions per second, oldest first. Evictions above the rate that its burst allows are not part of the pace. More than rate and
 * burst allow is shown as it is: it was an earlier rate, or the pods of a workload with one token.
 */
export function paceSeen(
  counts: readonly number[],
  { perSecond, burst }: Rate,
): { readonly pace: number; readonly hasBurst: boolean } {
  const last = measured(counts, perSecond);
  const seen = sumOf(last);
  const hasBurst = seen > perSecond * last.length && seen <= burst + perSecond * (last.length + blur);
  return { pace: hasBurst ? perSecond : meanOf(last), hasBurst };
}

/** `2.6/s`, with more decimals for a low rate; `note`: empty, or that a burst was evicted too. */
export function paceText(counts: readonly number[], rate: Rate): { readonly pace: string; readonly note: string } {
  const { pace, hasBurst } = paceSeen(counts, rate);
  const decimals = rate.perSecond < 0.1 ? 3 : rate.perSecond < 1 ? 2 : 1;
  return { pace: `${pace.toFixed(decimals)}/s`, note: hasBurst ? ', with a burst' : '' };
}

/** 0 without a count. */
function meanOf(counts: readonly number[]): number {
  return counts.length === 0 ? 0 : sumOf(counts) / counts.length;
}

/** The pace of the last few seconds. */
function paceNow(counts: readonly number[], perSecond: number): number {
  return meanOf(counts.slice(-secondsOf(perSecond, soon)));
}

/** There were evictions, and none lately. */
export function hasStalled(counts: readonly number[], perSecond: number): boolean {
  return sumOf(counts) > 0 && paceNow(counts, perSecond) === 0;
}

/** Below this share of the rate, evictions count as slowed down by other limits. */
const slowShare = 0.8;

/** Seconds without an eviction after which evictions count as begun again, as after a hold or a canary. */
const pauseOf = 3;

/** Whether evictions have begun again a few seconds ago, and keep to the rate since; the first second may be a part of one. */
function hasJustBegun(counts: readonly number[], perSecond: number): boolean {
  const last = counts.findLastIndex((_, i) =>
    counts.slice(Math.max(0, i - pauseOf + 1), i + 1).every((one) => one === 0),
  );
  const since = counts.slice(last + 1);
  if (last < pauseOf - 1 || since.length === 0) return false;
  if (since.length === 1) return sumOf(since) > 1;
  return Math.max(meanOf(since), meanOf(since.slice(1))) >= slowShare * perSecond;
}

/**
 * The pace if it is clearly below the rate. `undefined` unless the time before had at least half as many evictions, because evictions
 * that have just begun say nothing about the pace.
 */
export function slowPace(counts: readonly number[], perSecond: number): number | undefined {
  const seconds = secondsOf(perSecond, soon);
  const pace = paceNow(counts, perSecond);
  if (counts.length < 2 * seconds || sumOf(counts.slice(-2 * seconds, -seconds)) < (pace * seconds) / 2)
    return undefined;
  if (hasJustBegun(counts.slice(-2 * seconds), perSecond)) return undefined;
  return pace > 0 && pace < slowShare * perSecond ? pace : undefined;
}
