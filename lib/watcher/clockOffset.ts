// The offset of the API server's clock from this process's clock, from Date headers, which have whole seconds only.
import type { Instant, Milliseconds } from '../model/time.ts';

/** One response: its Date header, and when the request was sent and the response arrived by this clock. */
export interface DateSample {
  readonly date: Instant;
  readonly asked: Instant;
  readonly answered: Instant;
}

/** The offset lies between both values. */
export interface OffsetRange {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
}

/** A Date of second s was set at some instant of [s, s + 1000), between request and response. */
export function offsetOf({ date, asked, answered }: DateSample): OffsetRange {
  return { from: date - answered, to: date + 999 - asked };
}

/**
 * The range common to all samples: a few samples narrow a second down to milliseconds. If they contradict each other, a clock was set, and
 * only the newest ones count.
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
