// What policies keep a waiting pod for: their pauses and windows, and their canaries.
import { canaryHold, canaryState } from '../decide/canary.ts';
import { epochsOf } from '../decide/epoch.ts';
import { policyHold } from '../decide/policy.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import type { Ledger, LimiterId } from '../model/eviction.ts';
import type { Instant } from '../model/time.ts';
import { readCanary } from '../state/canaryRows.ts';
import { readListed } from '../state/limiterRows.ts';
import { currentRuleSet } from '../state/neighbourhood.ts';
import type { State } from '../state/state.ts';

/** Sentences, each once. */
export async function readPolicyHolds(state: State, { listings }: Ledger, now: Instant): Promise<readonly string[]> {
  const ruleSet = await currentRuleSet(state);
  const held = await Promise.all(listings.map(({ limiter }) => holdAt(state, { limiter, ruleSet, now })));
  return [...new Set(held.flat())];
}

async function holdAt(
  state: State,
  { limiter, ruleSet, now }: { readonly limiter: LimiterId; readonly ruleSet: RuleSet; readonly now: Instant },
): Promise<readonly string[]> {
  const policy = policyOf(limiter, ruleSet);
  if (!policy) return [];
  const hold = policyHold(policy, now);
  if (hold || !policy.canary) return hold ? [hold.message] : [];
  const [seats, listed] = await Promise.all([
    readCanary(state, { limiter, epoch: epochsOf(ruleSet.rules)(limiter) }),
    readListed(state, limiter),
  ]);
  const going = seats.filter(({ deletedAt }) => deletedAt === undefined).length;
  const kept = canaryHold(policy, canaryState(policy.canary, seats, now), listed.length - going);
  return kept ? [kept.message] : [];
}
