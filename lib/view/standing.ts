// What a limiter's listing rows say about its pods: how many wait for what, and the instants they wait for.
import { farFuture, type Instant } from '../model/time.ts';
import { deletingPrefix, pendingPrefix, waitingPrefix } from '../state/listingRows.ts';

export type Standing =
  | { readonly kind: 'Waiting'; readonly dueAt: Instant }
  | { readonly kind: 'Pending' }
  | { readonly kind: 'Deleting' };

/** Reads a listing row's sort key; a waiting row whose time has come counts as pending. */
export function standingOf(sk: string, now: Instant): Standing | undefined {
  if (sk.startsWith(pendingPrefix)) return { kind: 'Pending' };
  if (sk.startsWith(deletingPrefix)) return { kind: 'Deleting' };
  if (!sk.startsWith(waitingPrefix)) return undefined;
  const dueAt = instantIn(sk);
  return dueAt <= now ? { kind: 'Pending' } : { kind: 'Waiting', dueAt };
}

function instantIn(sk: string): Instant {
  return Number(sk.split('#')[1]);
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
