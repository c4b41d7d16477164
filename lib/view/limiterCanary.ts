// What a limiter's canary keeps its pods for, as lists and cards say it.
import { type CanarySeat, canaryHold, canaryState } from '../decide/canary.ts';
import { epochsOf } from '../decide/epoch.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Instant } from '../model/time.ts';
import { readCanary } from '../state/canaryRows.ts';
import type { State } from '../state/state.ts';
import type { LimiterFacts } from './facts.ts';

/** `undefined` where its policy asks for none. */
export async function readSeats(
  state: State,
  { limiter, ruleSet }: { readonly limiter: LimiterId; readonly ruleSet: RuleSet },
): Promise<readonly CanarySeat[] | undefined> {
  if (!policyOf(limiter, ruleSet)?.canary) return undefined;
  return readCanary(state, { limiter, epoch: epochsOf(ruleSet.rules)(limiter) });
}

/** While seats are free, the pace of those that take them is what a person wants to know. */
export function canaryText(
  { limiter, rule, policies = [], listed, seats }: LimiterFacts,
  now: Instant,
): string | undefined {
  const policy = policyOf(limiter, { rules: rule ? [rule] : [], policies });
  if (!policy?.canary || !seats) return undefined;
  const found = canaryState(policy.canary, seats, now);
  if (found.kind === 'Running' && found.free.length > 0) return undefined;
  const going = seats.filter(({ deletedAt }) => deletedAt === undefined).length;
  return canaryHold(policy, found, listed.length - going)?.message.replace(/\.$/, '');
}
