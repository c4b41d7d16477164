// How many pods a process evicts side by side: fewer when they are late, more again while they do not wait for each other.
import type { Milliseconds } from '../model/time.ts';

/** One or more; the most is what a process has memory and connections for. */
export const concurrencyLimits = { first: 8, most: 256 } as const;

/** `Slow`: the token had passed before the DELETE could be sent, or the API server asked for fewer calls or did not answer. */
export type StartOutcome = 'InTime' | 'Slow';

export interface ConcurrencyLimit {
  /** A fraction counts once it is whole. */
  readonly limit: number;
  /** What the fastest eviction took: the answers that it waits for, and no other pods. */
  readonly least: Milliseconds;
}

/** An eviction that takes longer, and twice as long as the fastest one, waits for those beside it. */
const quick: Milliseconds = 200;

/**
 * Side by side, many pods on a slow table or API server are all late, and none is ever evicted; a few of them are in time. Halved
 * when one was late, so that one bad second is enough. One more for each that waited for no other, which doubles it while none does,
 * and hardly more for the others: a pod that is late is read and decided again, so that beyond what a machine bears each further pod
 * costs all of them several times their work.
 */
export function nextConcurrency(
  { limit, least }: ConcurrencyLimit,
  outcome: StartOutcome,
  took: Milliseconds,
): ConcurrencyLimit {
  if (outcome === 'Slow') return { limit: Math.max(1, Math.floor(limit / 2)), least };
  const fastest = Math.min(least, took);
  const waited = took > Math.max(quick, 2 * fastest);
  return { limit: Math.min(concurrencyLimits.most, limit + (waited ? 0.25 / limit : 1)), least: fastest };
}
