// What a limiter's listing rows say about its pods: how many wait for what, and the instants they wait for.
import { farFuture, type Instant } from '../model/time.ts';
import { type ListingRow, type Standing, standingOf } from '../state/listingRows.ts';

/** As the row says, but a waiting one whose time has come counts as pending. */
export function standingAt(row: Pick<ListingRow, 'sk' | 'deleting'>, now: Instant): Standing {
  const standing = standingOf(row);
  return standing.kind === 'Waiting' && standing.dueAt <= now ? { kind: 'Pending' } : standing;
}

export interface Standings {
  readonly waiting: number;
  readonly pending: number;
  readonly deleting: number;
  /** Ascending; of those who wait for a time. */
  readonly dueTimes: readonly Instant[];
}

export function tallyStandings(standings: readonly Standing[]): Standings {
  const waiting = standings.flatMap((one) => (one.kind === 'Waiting' ? [one.dueAt] : []));
  const deleting = standings.filter(({ kind }) => kind === 'Deleting').length;
  return {
    waiting: waiting.length,
    pending: standings.length - waiting.length - deleting,
    deleting,
    // Who is kept until a person does something has no time at which it will go.
    dueTimes: waiting.filter((dueAt) => dueAt < farFuture).sort((a, b) => a - b),
  };
}

const weight = { Waiting: 0, Pending: 1, Deleting: 2 } as const;

/** Of a pod that several limiters list, what is nearest to its delete. */
export function nearest(a: Standing | undefined, b: Standing): Standing {
  return a && weight[a.kind] >= weight[b.kind] ? a : b;
}
