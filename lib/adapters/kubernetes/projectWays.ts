// Reads an EvictionPolicy's settings on how pods are evicted: mode, order, grouping, grace period.
import type { EvictionMode, EvictionOrder, EvictionPolicy } from '../../model/policy.ts';
import type { Reader } from './read.ts';

const orders: readonly EvictionOrder[] = ['PriorityThenAge', 'DueTime'];

const modes: readonly EvictionMode[] = ['Delete', 'Evict', 'WaitForCompletion', 'Skip'];

/** One day in seconds, as in the CRD. */
const longestGrace = 86_400;

type Ways = Pick<EvictionPolicy, 'mode' | 'modeDeadline' | 'gracePeriodSeconds' | 'order' | 'groupBy'>;

/** Unreadable values are reported as problems; the policy then holds what it selects. */
export function waysIn(spec: Reader): { readonly [K in keyof Ways]-?: Ways[K] | undefined } {
  const gracePeriodSeconds = spec.optionalNumber('gracePeriodSeconds');
  if (gracePeriodSeconds !== undefined && !isGrace(gracePeriodSeconds))
    spec.problem(`gracePeriodSeconds ${gracePeriodSeconds} is no whole number from 0 to ${longestGrace}`);
  return {
    mode: oneOf(spec, 'mode', modes),
    order: oneOf(spec, 'order', orders),
    groupBy: oneOf(spec, 'groupBy', ['Workload', 'Replica'] as const),
    modeDeadline: spec.optionalDuration('modeDeadline'),
    gracePeriodSeconds,
  };
}

function oneOf<T extends string>(spec: Reader, name: string, values: readonly T[]): T | undefined {
  const text = spec.optionalText(name);
  const value = values.find((one) => one === text);
  if (text !== undefined && value === undefined) spec.problem(`${name} "${text}" is none of ${values.join(', ')}`);
  return value;
}

function isGrace(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= longestGrace;
}
