// Why a taint evicts later than its own time says, for people.
import type { TaintDelay } from '../model/standing.ts';
import { formatInstant } from '../model/time.ts';
import type { Reason } from '../model/verdict.ts';

/** Continues a sentence about the reason; empty where nothing delays it. */
export function delayText({ at, delay }: Pick<Reason, 'at' | 'delay'>): string {
  return delay === undefined ? '' : `, from ${momentOf(at, delay)}`;
}

function momentOf(at: number, { reason, policy }: TaintDelay): string {
  switch (reason) {
    case 'MinimumAge':
      return `${formatInstant(at)} on, by the minimumAge of EvictionPolicy ${policy}`;
    case 'HealthyDelay':
      return `${formatInstant(at)} on, since it came back within the healthyDelay of EvictionPolicy ${policy}`;
    case 'NotSeenYet':
      return `when it has been seen to stand, which EvictionPolicy ${policy} asks for`;
    case 'BrokenObserver':
      return `when it is approved, since many devices were tainted alike at once: see EvictionPolicy ${policy}`;
    default:
      return reason satisfies never;
  }
}
