// The rows that list a pod in its limiters' partitions: waiting, pending or being deleted, in eviction order. Pure.
import { placeAt } from '../decide/line.ts';
import type { Ledger, LimiterId, Listing } from '../model/eviction.ts';
import { farFuture, type Instant, isDue } from '../model/time.ts';
import { instantText } from './keys.ts';

/** One row in one limiter's partition. */
export interface ListingRow {
  readonly limiter: LimiterId;
  readonly sk: string;
  /** Present in rows of a group's partition at that limiter, by which its members are found together. */
  readonly group?: string;
  /** Partition of a spread list; absent in the first one. */
  readonly shard?: number;
  /** The pod is being deleted. Its row keeps its sort key, so that one write records this. */
  readonly deleting?: true;
}

/** `W`: waits for its due time; `P`: pending. Rows of releases up to 0.2 also have `D`: the pod is being deleted. */
export const waitingPrefix = 'W#';
export const pendingPrefix = 'P#';

/** The rows that a ledger requires; a pod under several limiters is listed at each. */
export function listingRowsOf(ledger: Ledger | undefined, now: Instant): readonly ListingRow[] {
  if (ledger?.state === 'Deleting')
    return ledger.listings.map((listing) => ({ ...rowOf(ledger, listing, now), deleting: true }));
  if (ledger?.state !== 'Pending') return [];
  return ledger.listings.flatMap((listing) => {
    const own = rowOf(ledger, listing, now);
    const { limiter, group } = listing;
    return group === undefined || own.sk.startsWith(waitingPrefix)
      ? [own]
      : [own, { limiter, group, sk: ledger.podUid }];
  });
}

function rowOf(ledger: Ledger, listing: Listing, now: Instant): ListingRow {
  const { limiter, dueAt } = listing;
  if (!isDue(dueAt, now)) return { limiter, sk: `${waitingPrefix}${instantText(dueAt)}#${ledger.podUid}` };
  return { limiter, sk: `${pendingPrefix}${placeAt(ledger, listing)}` };
}

/** The last sort key of waiting rows that are due at `now`. */
export function waitingUpTo(now: Instant): string {
  return `${waitingPrefix}${instantText(now)}#￿`;
}

/** Whether a listed pod waits for an operator, not for a time. */
export function waitsForPeople(sk: string): boolean {
  return sk.startsWith(`${waitingPrefix}${instantText(farFuture)}#`);
}

/** The state of a pod in a listing row. */
export type Standing =
  | { readonly kind: 'Waiting'; readonly dueAt: Instant }
  | { readonly kind: 'Pending' }
  | { readonly kind: 'Deleting' };

export function standingOf({ sk, deleting }: Pick<ListingRow, 'sk' | 'deleting'>): Standing {
  if (deleting) return { kind: 'Deleting' };
  const [kind, at] = sk.split('#');
  if (`${kind}#` === pendingPrefix) return { kind: 'Pending' };
  return `${kind}#` === waitingPrefix ? { kind: 'Waiting', dueAt: Number(at) } : { kind: 'Deleting' };
}
