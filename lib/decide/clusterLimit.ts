// The limit of a whole cluster: time is cut into bins that hold so many slots, and every slot of every limiter takes a place in one.
import type { Rate } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { floorOf, stepOf } from './pace.ts';

/** A bucket's instants are whole microseconds. */
const microsecond = 1000;

/**
 * Bins instead of one more schedule, because slots are given up to a minute and a half ahead: a slow limiter that reserves far ahead
 * must not keep the others from the places before it.
 */
export interface Bins {
  /** At least a second. */
  readonly length: Milliseconds;
  readonly capacity: number;
}

/** In any window of t seconds at most `perSecond · t` slots lie, and twice a bin's capacity more. `undefined` for a limit of 0. */
export function binsOf(perSecond: number): Bins | undefined {
  if (!(perSecond > 0)) return undefined;
  const capacity = Math.ceil(perSecond);
  return { capacity, length: Math.ceil((1000 * capacity) / perSecond) };
}

export function binAt({ length }: Bins, at: Instant): number {
  return Math.floor(at / length);
}

export interface Placement {
  /** Ascending; those not after `now` may be used at once. */
  readonly slots: readonly Instant[];
  /** Where the limiter's schedule stands afterwards, in microseconds. */
  readonly tat: number | undefined;
  /** Places taken, by bin. */
  readonly places: ReadonlyMap<number, number>;
}

/**
 * Up to `wanted` slots that keep both the limiter's rate and the cluster's: each lies where the limiter allows it, or at the
 * beginning of the first bin after that which has room; the limiter's schedule goes on from there, so that what waited for room is not
 * made up for.
 */
export function placeSlots(
  tat: number | undefined,
  by: {
    readonly rate: Rate;
    readonly bins: Bins;
    /** Places that are taken already. */
    readonly taken: (bin: number) => number;
    readonly wanted: number;
    readonly now: Instant;
    readonly horizon: Milliseconds;
  },
): Placement {
  const { rate, bins, now } = by;
  const [step, floor] = [stepOf(rate), floorOf(rate, now)];
  const slots: Instant[] = [];
  const places = new Map<number, number>();
  // Stryker disable next-line ConditionalExpression,LogicalOperator: both are there or neither, and what is no number has no room
  if (step === undefined || floor === undefined) return { slots, tat, places };
  const latest = now + by.horizon;
  let next = Math.max(tat ?? floor, floor);
  while (slots.length < by.wanted) {
    const allowed = Math.max(next / microsecond, now);
    const at = firstRoom(allowed, { bins, latest, count: (bin) => by.taken(bin) + (places.get(bin) ?? 0) });
    if (at === undefined) break;
    const bin = binAt(bins, at);
    places.set(bin, (places.get(bin) ?? 0) + 1);
    slots.push(at > allowed ? at : next / microsecond);
    next = Math.max(next, floorOf(rate, at) ?? next) + step;
  }
  return slots.length === 0 ? { slots, tat, places } : { slots, tat: next, places };
}

/** `undefined` where there is none up to `latest`. */
function firstRoom(
  from: Instant,
  { bins, latest, count }: { bins: Bins; latest: Instant; count: (bin: number) => number },
): Instant | undefined {
  for (let at = from; at <= latest; at = (binAt(bins, at) + 1) * bins.length)
    if (count(binAt(bins, at)) < bins.capacity) return at;
  return undefined;
}
