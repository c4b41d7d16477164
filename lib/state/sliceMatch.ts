// Pods matched by a slice taint, and whether the policy's approval covers them.
import { covers, type Matched, type Offer } from '../decide/approval.ts';
import { sliceOfferId } from '../decide/sliceApproval.ts';
import { approvedDigests } from '../decide/waveHold.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { readOffer } from './approvalRows.ts';
import { type Listed, readListed } from './limiterRows.ts';
import { readEpisodeTally } from './recordRows.ts';
import type { State } from './state.ts';

export interface Found {
  readonly listed: readonly Listed[];
  readonly matched: Matched;
}

/** Without those who use devices, which percentages are of. */
export async function findSlice(state: State, limiter: LimiterId): Promise<Found> {
  const [listed, evicted] = await Promise.all([readListed(state, limiter), readEpisodeTally(state, limiter)]);
  const namespaces = new Set(listed.map(({ namespace }) => namespace)).size;
  return { listed, matched: { waiting: listed.length, namespaces, evicted } };
}

type Cover =
  | { readonly kind: 'Covered'; readonly offer: Offer }
  /** `outgrown`: was approved for this version of the policy, and covers too little. */
  | { readonly kind: 'Uncovered'; readonly outgrown: Offer | undefined };

/** The annotation may have digests for several taints and waves. */
export async function coverOf(
  state: State,
  by: { readonly limiter: LimiterId; readonly policy: EvictionPolicy; readonly matched: Matched },
): Promise<Cover> {
  const { limiter, policy, matched } = by;
  const id = sliceOfferId(policy, limiter);
  const read = await Promise.all(approvedDigests(policy).map((digest) => readOffer(state, id, digest)));
  const offers = read.flatMap((offer) => offer ?? []);
  const pods = matched.waiting + matched.evicted;
  const offer = offers.find((one) => covers(one, policy, pods));
  if (offer) return { kind: 'Covered', offer };
  return { kind: 'Uncovered', outgrown: offers.find(({ generation }) => generation === policy.generation) };
}
