// How many pods a process evicts side by side: fewer when they are slow, more again while they are not.

/** One or more; the most is what a process has memory and connections for. */
export const concurrencyLimits = { first: 8, most: 256 } as const;

/** `Slow`: the token had passed before the DELETE could be sent, or the API server asked for fewer calls or did not answer. */
export type StartOutcome = 'InTime' | 'Slow';

/**
 * Side by side, many pods on a slow table or API server are all late, and none is ever evicted; a few of them are in time. Halved
 * when one was slow, so that one bad second is enough; one more for each that was not, which doubles it while none is.
 */
export function nextConcurrency(limit: number, outcome: StartOutcome): number {
  return outcome === 'Slow' ? Math.max(1, Math.floor(limit / 2)) : Math.min(concurrencyLimits.most, limit + 1);
}
