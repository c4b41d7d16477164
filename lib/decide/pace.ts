// A token bucket as a reserve-ahead schedule (GCRA): slots are given out in advance, one step apart after a burst.
import type { Bucket, LimiterId, Rate, Reservation } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/** A bucket's instants are whole microseconds, so that rates such as 3 per second do not drift. */
const microsecond = 1000;

export interface SlotRequest {
  readonly rate: Rate;
  readonly wanted: number;
  /** The floor of the schedule derives from it; a caller that retries keeps the first one. */
  readonly now: Instant;
  /** No slot later than this from `now`; absent: any. */
  readonly horizon?: Milliseconds;
}

export interface Reserved {
  readonly bucket: Bucket | undefined;
  /** Ascending; those not after `now` are the burst and may be used at once. */
  readonly slots: readonly Instant[];
}

/**
 * Up to `wanted` slots. In any window of t seconds at most burst + rate·t slots lie, however the time is cut; a clock that goes
 * back finds the schedule where it was and mints nothing. A rate or burst below what lets one pod go grants nothing.
 */
export function reserve(bucket: Bucket | undefined, request: SlotRequest): Reserved {
  const { rate, now, horizon = Number.POSITIVE_INFINITY } = request;
  const step = stepOf(rate);
  if (step === undefined) return { bucket, slots: [] };
  const floor = floorOf(rate, now) ?? 0;
  const first = Math.max(bucket?.tat ?? floor, floor);
  const latest = Math.round((now + horizon) * microsecond);
  const room = Math.floor((latest - first) / step) + 1;
  const count = Math.max(0, Math.min(Math.floor(request.wanted), room));
  if (count === 0) return { bucket, slots: [] };
  const tat = first + count * step;
  return { bucket: { tat }, slots: Array.from({ length: count }, (_, i) => (first + i * step) / microsecond) };
}

/** Microseconds between two slots, rounded up so that the rate is never exceeded; `undefined` where nothing may go. */
export function stepOf(rate: Rate): number | undefined {
  if (!(rate.perSecond > 0) || !(rate.burst >= 1)) return undefined;
  return Math.ceil((1000 * microsecond) / rate.perSecond);
}

/** The earliest instant, in microseconds, at which a schedule may stand: the whole burst lies between it and `now`. */
export function floorOf(rate: Rate, now: Instant): number | undefined {
  const step = stepOf(rate);
  return step === undefined ? undefined : Math.round(now * microsecond) - (Math.floor(rate.burst) - 1) * step;
}

/** A pod is moved to another limiter's slot only for a gain that its evictor can still hear of. */
const worthMoving = 1000;

/** Whether a pod gains by a slot of a limiter: it has none yet, or another limiter's that lies later by a second or more. */
export function gainsBy(
  reservation: Reservation | undefined,
  offer: { readonly limiter: LimiterId; readonly slot: Instant; readonly now: Instant },
): boolean {
  if (!reservation) return true;
  const usable = Math.max(offer.slot, offer.now);
  return reservation.limiter !== offer.limiter && usable + worthMoving <= reservation.slot;
}

/** The last instant at which a slot may be used; slots of a burst lie before the moment they were given, which then counts. */
export function lastUsable(
  reservation: { readonly slot: Instant; readonly reservedAt: Instant },
  lateness: Milliseconds,
): Instant {
  return Math.max(reservation.slot, reservation.reservedAt) + lateness;
}
