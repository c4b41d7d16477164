// At what rate a limiter evicts pods: the taint's own rate, annotations of its rule, its policy, else the default; a rate that cannot be read evicts no pod.
import type { LimiterId, Rate } from '../model/eviction.ts';
import type { Namespace } from '../model/namespace.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { ruleLimiter, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { holdOf } from './hold.ts';
import { policyFor, policyHold } from './policy.ts';
import { desertedKey, policyGoneFor } from './policyGone.ts';
import { readRate, type Said, type WrittenRate } from './writtenRate.ts';

export const rateAnnotation = 'sluice.dev/evictions-per-second';
export const burstAnnotation = 'sluice.dev/burst';

const standstill: Rate = { perSecond: 0, burst: 0 };

/** What decides about paces: rules have their policies with them, taints of slices find theirs here. */
export interface RuleSet {
  readonly rules: readonly TaintRule[];
  readonly policies?: readonly EvictionPolicy[];
  /** Those that have labels under `sluice.dev/`, by name. */
  readonly namespaces?: ReadonlyMap<string, Namespace>;
}

/**
 * A rate of 0 evicts no pod; so does one that is not a number from 0 to 10000 with at most four decimals, every rule that is held,
 * and everything whose policy holds it.
 */
export function rateOf(limiter: LimiterId, { rules, policies = [] }: RuleSet, now: Instant): Rate {
  const rule = rules.find((one) => limiter === ruleLimiter(one));
  return rule ? ruleRate(rule, now) : sliceRate(limiter, { policies, now });
}

function ruleRate(rule: TaintRule, now: Instant): Rate {
  return holdOf(rule, now) ? standstill : rateUnheld(rule);
}

/** As soon as nothing holds the rule. A policy that cannot be read has no rate. */
export function rateUnheld(rule: TaintRule): Rate {
  return rule.policy?.unreadable === undefined ? writtenRateOf(rule).rate : standstill;
}

/** What is written for one taint of a rule, and where. */
export function writtenRateOf({ annotations = {}, taint, policy }: TaintRule): WrittenRate {
  const said = (field: 'evictionsPerSecond' | 'burst', annotation: string): Said | undefined => {
    const [own, noted] = [taint[field], annotations[annotation]];
    if (own !== undefined) return { where: `${field} of its taint`, text: String(own) };
    return noted === undefined ? undefined : { where: annotation, text: noted };
  };
  return readRate({
    perSecond: said('evictionsPerSecond', rateAnnotation),
    burst: said('burst', burstAnnotation),
    policy,
  });
}

function sliceRate(
  limiter: LimiterId,
  { policies, now }: { readonly policies: readonly EvictionPolicy[]; readonly now: Instant },
): Rate {
  const policy = slicePolicy(limiter, policies);
  if (policy && policyHold(policy, now)) return standstill;
  if (!policy && policyGoneFor(desertedKey(limiter), policies) !== undefined) return standstill;
  return sliceRateUnheld(limiter, policy);
}

/** `slice|<driver>|<key>|<value>|<effect>`, and `<perSecond>/<burst>` of agents that ask for them; either may be empty. */
function sliceRateUnheld(limiter: LimiterId, policy: EvictionPolicy | undefined): Rate {
  const [perSecond, burst] = (limiter.split('|')[5] ?? '')
    .split('/')
    .map((text) => (text === '' ? undefined : { where: limiter, text }));
  return readRate({ perSecond, burst, policy }).rate;
}

/** Rate and burst as written, whatever holds them at the moment. */
export function rateWritten(limiter: LimiterId, { rules, policies = [] }: RuleSet): Rate {
  const rule = rules.find((one) => limiter === ruleLimiter(one));
  return rule ? rateUnheld(rule) : sliceRateUnheld(limiter, slicePolicy(limiter, policies));
}

/** Under which name a limiter's bucket is kept: a rule that is made again under its name continues with the bucket that it had. */
export function bucketNameOf(limiter: LimiterId, { rules }: RuleSet): string {
  const rule = rules.find((one) => limiter === ruleLimiter(one));
  return rule ? `${ruleRef(rule)}|${rule.taint.key}|${rule.taint.effect}` : limiter;
}

function slicePolicy(limiter: LimiterId, policies: readonly EvictionPolicy[]): EvictionPolicy | undefined {
  // Stryker disable next-line StringLiteral: a limiter of a slice names its driver and its key
  const [, driver = '', key = '', , , rates] = limiter.split('|');
  const source = rates === undefined ? 'ResourceSlice' : 'DeviceTaintSlice';
  return policyFor({ key, driver, source }, policies);
}

/** The policy that has a say in a limiter's pace. */
export function policyOf(limiter: LimiterId, { rules, policies = [] }: RuleSet): EvictionPolicy | undefined {
  if (limiter.startsWith('slice|')) return slicePolicy(limiter, policies);
  return rules.find((one) => limiter === ruleLimiter(one))?.policy;
}
