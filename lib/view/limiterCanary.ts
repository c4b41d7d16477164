// Reads the permits of a limiter's canary.
import type { CanarySeat } from '../decide/canary.ts';
import { epochsOf } from '../decide/epoch.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import { readCanary } from '../state/canaryRows.ts';
import type { State } from '../state/state.ts';

/** `undefined` if its policy has no canary. */
export async function readSeats(
  state: State,
  { limiter, ruleSet }: { readonly limiter: LimiterId; readonly ruleSet: RuleSet },
): Promise<readonly CanarySeat[] | undefined> {
  if (!policyOf(limiter, ruleSet)?.canary) return undefined;
  return readCanary(state, { limiter, epoch: epochsOf(ruleSet.rules)(limiter) });
}
