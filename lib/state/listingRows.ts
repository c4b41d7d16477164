// Where a pod stands in its limiters' partitions: waiting, pending or reserved, in eviction order; pure.
import { placeAt } from '../decide/line.ts';
import type { Ledger, LimiterId, Listing } from '../model/eviction.ts';
import { farFuture, type Instant, isDue } from '../model/time.ts';
import { instantText } from './keys.ts';

/** One row in one limiter's partition. */
export interface ListingRow {
  readonly limiter: LimiterId;
  readonly sk: string;
  /** The row lies in the partition of a group at that limiter, so that its members are found together. */
  readonly group?: string;
}

/** `W` waits for its due time, `P` may go now, `R` has a slot or is being deleted. The partition counts all of them. */
export const waitingPrefix = 'W#';
export const pendingPrefix = 'P#';
export const reservedPrefix = 'R#';

/** A pod under several limiters is listed at each; only the one that gave the slot shows it as reserved. */
export function listingRowsOf(ledger: Ledger | undefined, now: Instant): readonly ListingRow[] {
  if (!ledger || !['Pending', 'Reserved', 'Deleting'].includes(ledger.state)) return [];
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
  if (ledger.reservation?.limiter === limiter)
    return { limiter, sk: `${reservedPrefix}${instantText(ledger.reservation.slot)}#${ledger.podUid}` };
  if (!isDue(dueAt, now)) return { limiter, sk: `${waitingPrefix}${instantText(dueAt)}#${ledger.podUid}` };
  return { limiter, sk: `${pendingPrefix}${placeAt(ledger, listing)}` };
}

/** The last sort key of waiting rows that are due at `now`. */
export function waitingUpTo(now: Instant): string {
  return `${waitingPrefix}${instantText(now)}#￿`;
}

/** Whether a listed pod waits for a person and not for a time. */
export function waitsForPeople(sk: string): boolean {
  return sk.startsWith(`${waitingPrefix}${instantText(farFuture)}#`);
}

/** The last sort key of reserved rows whose slot is not after `slot`. */
export function reservedUpTo(slot: Instant): string {
  return `${reservedPrefix}${instantText(slot)}#￿`;
}

/** What a listing row's sort key says of the pod. */
export type Standing =
  | { readonly kind: 'Waiting'; readonly dueAt: Instant }
  | { readonly kind: 'Pending' }
  | { readonly kind: 'Reserved'; readonly slot: Instant };

export function standingOf(sk: string): Standing {
  const [kind, at] = sk.split('#');
  if (`${kind}#` === pendingPrefix) return { kind: 'Pending' };
  return `${kind}#` === waitingPrefix ? { kind: 'Waiting', dueAt: Number(at) } : { kind: 'Reserved', slot: Number(at) };
}
