// Counts a limiter's listing rows by state, and collects the due times of waiting pods.
import { farFuture, type Instant } from '../model/time.ts';
import { type ListingRow, type Standing, standingOf } from '../state/listingRows.ts';

/** State of a row; a waiting row whose due time has passed counts as pending. */
export function standingAt(row: Pick<ListingRow, 'sk' | 'deleting'>, now: Instant): Standing {
  const standing = standingOf(row);
  return standing.kind === 'Waiting' && standing.dueAt <= now ? { kind: 'Pending' } : standing;
}

export interface Standings {
  readonly waiting: number;
  readonly pending: number;
  readonly deleting: number;
  /** Due times of waiting pods, ascending; without pods held until an operator acts. */
  readonly dueTimes: readonly Instant[];
}

export function tallyStandings(standings: readonly Standing[]): Standings {
  const waiting = standings.flatMap((one) => (one.kind === 'Waiting' ? [one.dueAt] : []));
  const deleting = standings.filter(({ kind }) => kind === 'Deleting').length;
  return {
    waiting: waiting.length,
    pending: standings.length - waiting.length - deleting,
    deleting,
    // farFuture: the pod is held until an operator acts, so it has no due time.
    dueTimes: waiting.filter((dueAt) => dueAt < farFuture).sort((a, b) => a - b),
  };
}

const weight = { Waiting: 0, Pending: 1, Deleting: 2 } as const;

/** For a pod listed by several limiters: the state closest to its deletion. */
export function nearest(a: Standing | undefined, b: Standing): Standing {
  return a && weight[a.kind] >= weight[b.kind] ? a : b;
}
