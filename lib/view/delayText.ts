// Text about why a taint evicts later than its timeAdded.
import type { TaintDelay } from '../model/standing.ts';
import { formatInstant } from '../model/time.ts';
import type { Reason } from '../model/verdict.ts';

/** Appended to a sentence about the reason; empty without a delay. */
export function delayText({ at, delay }: Pick<Reason, 'at' | 'delay'>): string {
  return delay === undefined ? '' : `, evicted ${momentOf(at, delay)}`;
}

function momentOf(at: number, { reason, policy }: TaintDelay): string {
  switch (reason) {
    case 'MinimumAge':
      return `from ${formatInstant(at)}, by the minimumAge of EvictionPolicy ${policy}`;
    case 'HealthyDelay':
      return `from ${formatInstant(at)}, because the taint came back within the healthyDelay of EvictionPolicy ${policy}`;
    case 'NotSeenYet':
      return `once the taint has been observed, as EvictionPolicy ${policy} requires`;
    case 'BrokenObserver':
      return `once it is approved, because many devices were tainted at once: see EvictionPolicy ${policy}`;
    default:
      return reason satisfies never;
  }
}
