// The pace of a limiter: evictions per second lately, measured over the same time by every renderer and by the estimate.

const sumOf = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);

/** Seconds of five evictions at the rate, at least five. */
function secondsOf(perSecond: number): number {
  return perSecond > 0 ? Math.max(5, Math.ceil(5 / perSecond)) : 5;
}

/** `counts`: evictions per second, oldest first. 0 without a count. */
export function paceOf(counts: readonly number[], rate: number): number {
  const last = counts.slice(-secondsOf(rate));
  return last.length === 0 ? 0 : sumOf(last) / last.length;
}

/** `2.6`, with more decimals for a low rate. */
export function paceText(counts: readonly number[], rate: number): string {
  const decimals = rate < 0.1 ? 3 : rate < 1 ? 2 : 1;
  return paceOf(counts, rate).toFixed(decimals);
}

/** There were evictions, and none lately. */
export function hasStalled(counts: readonly number[], rate: number): boolean {
  return sumOf(counts) > 0 && paceOf(counts, rate) === 0;
}

/** Below this share of the rate, evictions count as slowed down by other limits. */
const slowShare = 0.8;

/**
 * The pace if it is clearly below the rate. `undefined` unless the time before had at least half as many evictions, because evictions
 * that have just begun say nothing about the pace.
 */
export function slowPace(counts: readonly number[], rate: number): number | undefined {
  const seconds = secondsOf(rate);
  const pace = paceOf(counts, rate);
  if (counts.length < 2 * seconds || sumOf(counts.slice(-2 * seconds, -seconds)) < (pace * seconds) / 2)
    return undefined;
  return pace > 0 && pace < slowShare * rate ? pace : undefined;
}
