// How many pods a process evicts concurrently: fewer when evictions are late, more while they do not delay each other.
import type { Milliseconds } from '../model/time.ts';

/** `first`: start value. `most`: what a process has memory and connections for. The lower bound is 1. */
export const concurrencyLimits = { first: 8, most: 256 } as const;

/** `Slow`: the token expired before the DELETE could be sent, or the API server throttled the call or did not answer. */
export type StartOutcome = 'InTime' | 'Slow';

export interface ConcurrencyLimit {
  /** Only the whole part counts. */
  readonly limit: number;
  /** Duration of the fastest eviction so far: its own API calls, without waiting for other pods. */
  readonly least: Milliseconds;
}

/** An eviction that takes longer than this, and more than twice the fastest one, was delayed by concurrent ones. */
const quick: Milliseconds = 200;

/**
 * With too much concurrency on a slow table or API server all pods are late and none is evicted; with less, some are in time. A late pod
 * halves the limit, so one bad second is enough. An eviction that was not delayed adds 1, which doubles the limit per round; a delayed one
 * adds almost nothing. A late pod is read and decided again, so beyond the machine's capacity each further pod costs all of them several
 * times their work.
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
