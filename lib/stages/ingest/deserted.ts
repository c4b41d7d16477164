// Finds what a policy leaves that is deleted in the middle of an eviction, and forgets it when that eviction is over.
import { policyFor, subjectOf } from '../../decide/policy.ts';
import { desertedKey, desertedKeyOf, limiterOfKey } from '../../decide/policyGone.ts';
import { policyOf } from '../../decide/rate.ts';
import { evicts } from '../../decide/taint.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import type { Instant } from '../../model/time.ts';
import { isListing, readLimiters } from '../../state/limiterRows.ts';
import { keepDeserted, type PolicyRow } from '../../state/policyRows.ts';
import { livePolicies, liveTaintRules, readRules } from '../../state/ruleSetRows.ts';
import type { State } from '../../state/state.ts';

/** The taints with pods waiting that have this policy, and would have none without it. Nothing where the policy is gone already. */
export async function findDeserted(state: State, { name }: EvictionPolicy): Promise<readonly string[]> {
  const [stored, limiters] = await Promise.all([readRules(state), readLimiters(state)]);
  const others = livePolicies(stored).filter((one) => one.name !== name);
  const ofRules = liveTaintRules(stored)
    .filter((rule) => evicts(rule.taint) && rule.policy?.name === name && !policyFor(subjectOf(rule), others))
    .map(desertedKeyOf);
  const policies = livePolicies(stored);
  const ofSlices = limiters
    .filter((limiter) => policyOf(limiter, { rules: [], policies })?.name === name)
    .filter((limiter) => !policyOf(limiter, { rules: [], policies: others }))
    .map((limiter) => desertedKey(limiter));
  return listing(state, [...ofRules, ...ofSlices]);
}

/** Of a policy that is due. Once no pod waits any more, or the rule is another version, who comes later was never under the policy. */
export async function lookAtDeserted(state: State, row: PolicyRow, now: Instant): Promise<void> {
  const deserted = (row.gone && row.object.deserted) || [];
  const versions = new Set(liveTaintRules(await readRules(state)).map(desertedKeyOf));
  const standing = deserted.filter((key) => key.startsWith('slice|') || versions.has(key));
  const left = await listing(state, standing);
  await keepDeserted(state, row, { deserted: left, isSame: left.length === deserted.length, now });
}

async function listing(state: State, keys: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(keys.map(async (key) => ((await isListing(state, limiterOfKey(key))) ? [key] : [])));
  return found.flat();
}
