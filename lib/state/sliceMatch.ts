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

/** The pods that a rule or a slice taint matches. */
export interface Found {
  readonly matched: Matched;
  /** Checksum of the pods, if the plan is offered for approval. */
  readonly sum: PodSum;
}

export interface Asked {
  readonly consumers?: Consumers;
  /** Stops counting once the pods found so far are enough. */
  readonly isEnough?: ((matched: Matched) => boolean) | undefined;
  /** If absent, `sum` covers no pods. */
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
  // Read the tally again: a pod that was evicted after the first read and is no longer listed must count.
  return { sum, matched: { ...matched, evicted: isEnough(matched) ? evicted : await readEvicted() } };
}

/** `consumers`: pods that use devices, where a limit is a percentage of them. */
export async function findSlice(state: State, limiter: LimiterId, asked: Asked = {}): Promise<Found> {
  const readEvicted = () => readEpisodeTally(state, limiter);
  return matchListed(state, [limiter], { ...asked, readEvicted });
}

type Cover =
  | { readonly kind: 'Covered'; readonly offer: Offer }
  /** `outgrown`: an offer that was approved for this version of the policy, but covers too few pods. */
  | { readonly kind: 'Uncovered'; readonly outgrown: Offer | undefined };

/** The annotation may contain digests for several taints and waves. */
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
