// The rate of a limiter: from the taint, its rule's annotations, its policy, or the default. An unreadable rate evicts no pod.
import type { LimiterId, Rate } from '../model/eviction.ts';
import type { Hold } from '../model/hold.ts';
import type { Namespace } from '../model/namespace.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { isOfRule, ruleLimiter, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { periodOf } from './bucket.ts';
import { holdOf } from './hold.ts';
import { type PolicySubject, policyFor, policyHold } from './policy.ts';
import { desertedKey, policyGoneFor } from './policyGone.ts';
import { readRate, type Said, type WrittenRate } from './writtenRate.ts';

export const rateAnnotation = 'sluice.dev/evictions-per-second';
export const burstAnnotation = 'sluice.dev/burst';

const standstill: Rate = { perSecond: 0, burst: 0 };

/** What determines rates. Rules carry their policies; policies of slice taints are found here. */
export interface RuleSet {
  readonly rules: readonly TaintRule[];
  readonly policies?: readonly EvictionPolicy[];
  /** Namespaces with labels under `sluice.dev/` or pauses, by name. */
  readonly namespaces?: ReadonlyMap<string, Namespace>;
}

/**
 * The rate is 0 for an unreadable value (not a number from 0 to 10000 with at most four decimals), for a held rule, and for a taint whose
 * policy holds it. It is also 0 for a rule that does not exist: until its pods are evaluated again, they would get the default rate.
 */
export function rateOf(limiter: LimiterId, { rules, policies = [] }: RuleSet, now: Instant): Rate {
  const rule = rules.find((one) => limiter === ruleLimiter(one));
  if (rule) return ruleRate(rule, now);
  return isOfRule(limiter) ? standstill : sliceRate(limiter, { policies, now });
}

function ruleRate(rule: TaintRule, now: Instant): Rate {
  return holdOf(rule, now) ? standstill : rateUnheld(rule);
}

/** The rate without holds. A policy that cannot be read has rate 0. */
export function rateUnheld(rule: TaintRule): Rate {
  return rule.policy?.unreadable === undefined ? writtenRateOf(rule).rate : standstill;
}

/** Why a rule whose rate or burst is 0, or cannot be read, evicts no pod; the message names the value and where it is set. */
export function rateHold(rule: TaintRule): Hold | undefined {
  const { rate, from, burstFrom, cappedBy, problems } = writtenRateOf(rule);
  if (periodOf(rate) !== undefined) return undefined;
  const where = cappedBy === undefined ? from : `maxEvictionsPerSecond of EvictionPolicy ${cappedBy}`;
  const zero = rate.perSecond > 0 ? `Its burst is 0 (${burstFrom}).` : `Its rate is 0 (${where}).`;
  const unreadable = `${problems.join('; ')}: no pod is evicted until it is fixed or removed.`;
  return { reason: 'StandsStill', message: problems.length > 0 ? unreadable : zero };
}

/** The rate of one taint of a rule, and where it is set. */
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

/**
 * Format: `slice|<driver>|<key>|<value>|<effect>`, plus `|<perSecond>/<burst>` for a DeviceTaintSlice that sets them; either may be empty.
 */
function sliceRateUnheld(limiter: LimiterId, policy: EvictionPolicy | undefined): Rate {
  const [perSecond, burst] = (limiter.split('|')[5] ?? '')
    .split('/')
    .map((text) => (text === '' ? undefined : { where: limiter, text }));
  return readRate({ perSecond, burst, policy }).rate;
}

/** Rate and burst as configured, without holds; 0 for a rule that does not exist. */
export function rateWritten(limiter: LimiterId, { rules, policies = [] }: RuleSet): Rate {
  const rule = rules.find((one) => limiter === ruleLimiter(one));
  if (rule) return rateUnheld(rule);
  return isOfRule(limiter) ? standstill : sliceRateUnheld(limiter, slicePolicy(limiter, policies));
}

/** Name of a limiter's bucket. A rule that is recreated with the same name keeps its bucket. */
export function bucketNameOf(limiter: LimiterId, { rules }: RuleSet): string {
  const rule = rules.find((one) => limiter === ruleLimiter(one));
  return rule ? `${ruleRef(rule)}|${rule.taint.key}|${rule.taint.effect}` : limiter;
}

function slicePolicy(limiter: LimiterId, policies: readonly EvictionPolicy[]): EvictionPolicy | undefined {
  return policyFor(sliceSubject(limiter), policies);
}

/** The taint of a limiter of slice taints, as policies select it. */
export function sliceSubject(limiter: LimiterId): PolicySubject {
  // Stryker disable next-line StringLiteral: a slice limiter always has a driver and a key
  const [, driver = '', key = '', , , rates] = limiter.split('|');
  const source = rates === undefined ? 'ResourceSlice' : 'DeviceTaintSlice';
  return { key, driver, source };
}

/** The policy that applies to a limiter. */
export function policyOf(limiter: LimiterId, { rules, policies = [] }: RuleSet): EvictionPolicy | undefined {
  if (limiter.startsWith('slice|')) return slicePolicy(limiter, policies);
  return rules.find((one) => limiter === ruleLimiter(one))?.policy;
}
