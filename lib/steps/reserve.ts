// Gives a pod a slot of a limiter, in place of what it has; what it leaves is for others.
import { gainsBy } from '../decide/pace.ts';
import type { Ledger, LimiterId, Listing, Reservation } from '../model/eviction.ts';
import { type Instant, isDue, type Milliseconds } from '../model/time.ts';
import { type PodRow, writeLedger } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import { occupy, type Vacancy, vacate } from '../state/vacancyRows.ts';

export function listingAt({ ledger }: PodRow, limiter: LimiterId): Listing | undefined {
  return ledger?.listings.find((one) => one.limiter === limiter);
}

export function reservationOf({ ledger }: PodRow): Reservation | undefined {
  return ledger?.state === 'Reserved' ? ledger.reservation : undefined;
}

/** A lost race wastes the slot, which only makes the pace slower. What the pod has elsewhere is given up with it, for others. */
export async function reserve(
  state: State,
  row: PodRow,
  by: { readonly reservation: Reservation; readonly now: Instant; readonly vacancy?: Vacancy },
): Promise<PodRow | undefined> {
  const { reservation, now } = by;
  const { limiter, slot } = reservation;
  const listing = listingAt(row, limiter);
  if (!row.ledger || !listing || !isDue(listing.dueAt, now)) return undefined;
  const known = reservationOf(row);
  const isGain = by.vacancy ? leapsTo(known, reservation) : gainsBy(known, { limiter, slot, now });
  if (!isGain) return undefined;
  const ledger: Ledger = { ...row.ledger, state: 'Reserved', reservation };
  const left = vacatedBy(row, now);
  const moves = [...(by.vacancy ? [occupy(state, by.vacancy)] : []), ...(left ? [vacate(state, left)] : [])];
  const written = await writeLedger(state, row, { ledger, now, with: moves });
  return written.kind === 'Written' ? written.row : undefined;
}

/** A pod with a slot takes one that was left only where it gains so much: what it leaves in turn is for others, who are to be few. */
export const leap: Milliseconds = 10_000;

export function leapsTo(known: Reservation | undefined, { slot }: { readonly slot: Instant }): boolean {
  return !known || known.slot >= slot + leap;
}

/** The slot ahead that a pod leaves for another one. A workload's is shared, and nobody knows who leaves it last. */
export function vacatedBy(row: PodRow, now: Instant): Reservation | undefined {
  const left = reservationOf(row);
  return left?.series !== undefined && left.slot > now && listingAt(row, left.limiter)?.group === undefined
    ? left
    : undefined;
}
