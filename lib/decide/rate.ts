// How fast a limiter lets pods go: annotations of the rule, else the default; a rate that cannot be read stands still.
import { defaultRate, type LimiterId, type Rate } from '../model/eviction.ts';
import type { DeviceTaintRule } from '../model/objects.ts';
import type { Instant } from '../model/time.ts';
import { holdOf } from './hold.ts';

export const rateAnnotation = 'sluice.dev/evictions-per-second';
export const burstAnnotation = 'sluice.dev/burst';

const largestRate = 10_000;

const standstill: Rate = { perSecond: 0, burst: 0 };

/**
 * A rate of 0 stands still; so does one that is not a number from 0 to 10000 with at most four decimals, and every rule
 * that is held.
 */
export function rateOf(limiter: LimiterId, rules: readonly DeviceTaintRule[], now: Instant): Rate {
  const rule = rules.find((one) => limiter === `rule|${one.uid}`);
  if (!rule?.annotations) return defaultRate;
  if (holdOf(rule, now)) return standstill;
  return {
    perSecond: annotated(rule.annotations[rateAnnotation], /^\d{1,5}(\.\d{1,4})?$/) ?? defaultRate.perSecond,
    burst: annotated(rule.annotations[burstAnnotation], /^\d{1,5}$/) ?? defaultRate.burst,
  };
}

/** `undefined` where there is no annotation, 0 (the safe side) where it cannot be read. */
function annotated(text: string | undefined, form: RegExp): number | undefined {
  if (text === undefined) return undefined;
  const value = form.test(text) ? Number(text) : 0;
  return value <= largestRate ? value : 0;
}
