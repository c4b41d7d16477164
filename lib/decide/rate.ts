// How fast a limiter lets pods go: the taint's own rate, annotations of its rule, else the default; a rate that cannot be read stands still.
import { defaultRate, type LimiterId, type Rate } from '../model/eviction.ts';
import { ruleLimiter, type TaintRule } from '../model/rule.ts';
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
export function rateOf(limiter: LimiterId, rules: readonly TaintRule[], now: Instant): Rate {
  const rule = rules.find((one) => limiter === ruleLimiter(one));
  if (!rule) return ratesIn(limiter.split('|')[5]);
  if (holdOf(rule, now)) return standstill;
  const { annotations = {}, taint } = rule;
  const [perSecond, burst] = [taint.evictionsPerSecond, taint.burst].map((own) =>
    own === undefined ? undefined : String(own),
  );
  return rateWritten(perSecond ?? annotations[rateAnnotation], burst ?? annotations[burstAnnotation]);
}

/** `<perSecond>/<burst>` of an agent's taint, as `originKey` writes it; either may be empty. */
function ratesIn(text: string | undefined): Rate {
  const [perSecond = '', burst = ''] = (text ?? '').split('/');
  return rateWritten(perSecond || undefined, burst || undefined);
}

function rateWritten(perSecond: string | undefined, burst: string | undefined): Rate {
  return {
    perSecond: written(perSecond, /^\d{1,5}(\.\d{1,4})?$/) ?? defaultRate.perSecond,
    burst: written(burst, /^\d{1,5}$/) ?? defaultRate.burst,
  };
}

/** `undefined` where nothing is written, 0 (the safe side) where it cannot be read. */
function written(text: string | undefined, form: RegExp): number | undefined {
  if (text === undefined) return undefined;
  const value = form.test(text) ? Number(text) : 0;
  return value <= largestRate ? value : 0;
}
