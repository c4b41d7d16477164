// Pods matched by a slice taint, and whether the policy's approval covers them.
import { covers, type Matched, type Offer } from '../decide/approval.ts';
import type { Consumers } from '../decide/census.ts';
import { addPod, noPodSum, type PodSum } from '../decide/planDigest.ts';
import { sliceOfferId } from '../decide/sliceApproval.ts';
import { approvedDigests } from '../decide/waveHold.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { readOffer } from './approvalRows.ts';
import { countListed, type ListedCounts } from './listedCounts.ts';
import { readEpisodeTally } from './recordRows.ts';
import type { State } from './state.ts';

/** What a rule or a taint in slices matches. */
export interface Found {
  readonly matched: Matched;
  /** Of its pods, where a plan of them is offered. */
  readonly sum: PodSum;
}

export interface Asked {
  readonly consumers?: Consumers;
  /** No more has to be matched than was found so far. */
  readonly isEnough?: ((matched: Matched) => boolean) | undefined;
  /** Absent: `sum` is of no pods. */
  readonly isOffered?: boolean | undefined;
}

export async function matchListed(
  state: State,
  limiters: readonly LimiterId[],
  by: Asked & { readonly readEvicted: () => Promise<number> },
): Promise<Found> {
  const { readEvicted, consumers, isEnough = () => false, isOffered } = by;
  const evicted = await readEvicted();
  const matchedBy = ({ pods, namespaces }: ListedCounts): Matched => ({
    waiting: pods,
    namespaces,
    evicted,
    ...(consumers ? { consumers } : {}),
  });
  let sum = noPodSum;
  const seen = (uid: Uid) => {
    sum = addPod(sum, uid);
  };
  const counts = await countListed(state, limiters, {
    ...(isOffered ? { seen } : {}),
    isEnough: (some) => isEnough(matchedBy(some)),
  });
  const matched = matchedBy(counts);
  // One that was evicted after the first look and is listed no longer has to count.
  return { sum, matched: { ...matched, evicted: isEnough(matched) ? evicted : await readEvicted() } };
}

/** `consumers`: those who use devices, where a percentage is of them. */
export async function findSlice(state: State, limiter: LimiterId, asked: Asked = {}): Promise<Found> {
  const readEvicted = () => readEpisodeTally(state, limiter);
  return matchListed(state, [limiter], { ...asked, readEvicted });
}

type Cover =
  | { readonly kind: 'Covered'; readonly offer: Offer }
  /** `outgrown`: was approved for this version of the policy, and covers too little. */
  | { readonly kind: 'Uncovered'; readonly outgrown: Offer | undefined };

/** The annotation may have digests for several taints and waves. */
export async function approvedOffers(
  state: State,
  { limiter, policy }: { readonly limiter: LimiterId; readonly policy: EvictionPolicy },
): Promise<readonly Offer[]> {
  const id = sliceOfferId(policy, limiter);
  const read = await Promise.all(approvedDigests(policy).map((digest) => readOffer(state, id, digest)));
  return read.flatMap((offer) => offer ?? []);
}

export function coverOf(
  offers: readonly Offer[],
  { policy, matched }: { readonly policy: EvictionPolicy; readonly matched: Matched },
): Cover {
  const pods = matched.waiting + matched.evicted;
  const offer = offers.find((one) => covers(one, policy, pods));
  if (offer) return { kind: 'Covered', offer };
  return { kind: 'Uncovered', outgrown: offers.find(({ generation }) => generation === policy.generation) };
}
