// A limiter's epoch: tokens taken under another epoch are void.
import type { LimiterId } from '../model/eviction.ts';
import { ruleLimiter, type TaintRule } from '../model/rule.ts';

/** A rule's epoch is its generation, which changes with every edit of its spec; slice taints have no epoch. */
export function epochsOf(rules: readonly TaintRule[]): (limiter: LimiterId) => number {
  const generations = new Map(rules.map((rule) => [ruleLimiter(rule), rule.generation]));
  return (limiter) => generations.get(limiter) ?? 0;
}
