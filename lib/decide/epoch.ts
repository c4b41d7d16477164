// A limiter's epoch: slots that were given under another one are void.
import type { LimiterId } from '../model/eviction.ts';
import type { DeviceTaintRule } from '../model/objects.ts';

/** A rule's generation moves with every edit of its spec; slice taints have no epoch. */
export function epochsOf(rules: readonly DeviceTaintRule[]): (limiter: LimiterId) => number {
  const generations = new Map(rules.map((rule) => [`rule|${rule.uid}`, rule.generation]));
  return (limiter) => generations.get(limiter) ?? 0;
}
