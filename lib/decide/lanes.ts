// How many pods an evictor works on at once: fewer when slots pass under its hands, more again while they do not.

/** One or more; the most is what a process has memory and connections for. */
export const laneLimits = { first: 8, most: 256 } as const;

/** `Late`: begun in time, but the slot had passed before the DELETE could be sent. */
export type LaneOutcome = 'InTime' | 'Late';

/**
 * Side by side, many pods on a slow table or API server all end too late, and none is ever evicted; a few of them end in
 * time. Halved when one was late, so that one bad second is enough; one more for each that was not, which doubles it while all
 * are.
 */
export function nextLanes(lanes: number, outcome: LaneOutcome): number {
  return outcome === 'Late' ? Math.max(1, Math.floor(lanes / 2)) : Math.min(laneLimits.most, lanes + 1);
}
