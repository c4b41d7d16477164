// Text about the approval that a slice taint needs on its policy, for lists, cards and `sluice why`.
import { taintTextOf } from '../decide/policyGone.ts';
import { isSliceUnmet, sliceApprovalNeed } from '../decide/sliceApproval.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { approvedOffers, coverOf, findSlice } from '../state/sliceMatch.ts';
import type { State } from '../state/state.ts';

/** `undefined` if no approval is needed, and for rules, whose conditions show it. Ignores pods allowed by a percentage. */
export async function readUnapproved(
  state: State,
  limiter: LimiterId,
  policy: EvictionPolicy | undefined,
): Promise<string | undefined> {
  if (!policy || !limiter.startsWith('slice|') || !sliceApprovalNeed(policy)) return undefined;
  const { maxPercent: _, ...counted } = policy.limits ?? {};
  const { matched } = await findSlice(state, limiter);
  if (!isSliceUnmet({ ...policy, limits: counted }, matched)) return undefined;
  if (coverOf(await approvedOffers(state, { limiter, policy }), { policy, matched }).kind === 'Covered')
    return undefined;
  return `EvictionPolicy ${policy.name} waits for an approval of ${taintTextOf(limiter)}: its condition sluice.dev/Held has the command`;
}
