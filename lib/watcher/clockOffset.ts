// How far the API server's clock is from this one, from Date headers that know whole seconds only.
import type { Instant, Milliseconds } from '../model/time.ts';

/** One answer: its Date header, and when the request left and the answer came by this clock. */
export interface DateSample {
  readonly date: Instant;
  readonly asked: Instant;
  readonly answered: Instant;
}

/** The offset lies between the two. */
export interface OffsetRange {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
}

/** A Date of second s was written at some instant of [s, s + 1000), between asking and being answered. */
export function offsetOf({ date, asked, answered }: DateSample): OffsetRange {
  return { from: date - answered, to: date + 999 - asked };
}

/**
 * What all samples agree on: a few of them narrow a whole second down to milliseconds. Where they contradict each other a
 * clock was set, and only the newest counts.
 */
export function narrowed(samples: readonly DateSample[]): OffsetRange | undefined {
  let range: OffsetRange | undefined;
  for (const sample of samples.toReversed()) {
    const one = offsetOf(sample);
    const both: OffsetRange = range ? { from: Math.max(range.from, one.from), to: Math.min(range.to, one.to) } : one;
    if (both.from > both.to) break;
    range = both;
  }
  return range;
}

export function middleOf({ from, to }: OffsetRange): Milliseconds {
  return Math.round((from + to) / 2);
}
