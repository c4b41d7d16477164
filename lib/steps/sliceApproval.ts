// Decides whether a slice taint that needs approval is approved on its policy for the pods that it matches now.
import type { Matched, Offer } from '../decide/approval.ts';
import { consumersFor } from '../decide/census.ts';
import { digestOf } from '../decide/planDigest.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import { type HeldSlice, isSliceUnmet, sliceApprovalNeed, sliceOfferId } from '../decide/sliceApproval.ts';
import { approvedDigests } from '../decide/waveHold.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { storeOffer } from '../state/approvalRows.ts';
import { readSliceLimiters } from '../state/limiterRows.ts';
import { type Asked, approvedOffers, coverOf, type Found, findSlice } from '../state/sliceMatch.ts';
import type { State } from '../state/state.ts';
import { recentCensus } from './census.ts';
import { mapParallel } from './mapParallel.ts';
import { recently } from './recentlyFound.ts';
import type { StepDependencies } from './step.ts';

/** Taints counted in parallel. */
const parallelOffers = 4;

interface SliceOf {
  readonly limiter: LimiterId;
  readonly policy: EvictionPolicy;
}

/** For the gates. Reads nothing where the policy needs no approval. */
export async function isSliceUnapproved(
  deps: StepDependencies,
  state: State,
  at: { readonly limiter: LimiterId; readonly ruleSet: RuleSet },
): Promise<boolean> {
  const { limiter } = at;
  const policy = policyOf(limiter, at.ruleSet);
  if (!policy || !sliceApprovalNeed(policy)) return false;
  const key = [state.cluster, policy.uid, policy.generation, limiter, ...approvedDigests(policy)].join('|');
  const { isUnapproved } = await recently(deps, key, async () => {
    const offers = await approvedOffers(state, { limiter, policy });
    const isUnmet = (matched: Matched) =>
      isSliceUnmet(policy, matched) && coverOf(offers, { policy, matched }).kind !== 'Covered';
    // Adding pods never turns "unapproved" into "approved", so counting can stop early.
    const { matched } = await find(deps, state, { limiter, policy, isEnough: isUnmet });
    return { isUnapproved: isUnmet(matched), pods: matched.waiting };
  });
  return isUnapproved;
}

/** For the policy's condition: the taints that wait for approval, each with the digest of its current plan. */
export async function offerSlices(
  deps: StepDependencies,
  state: State,
  { policy, ruleSet }: { readonly policy: EvictionPolicy; readonly ruleSet: RuleSet },
): Promise<{ readonly held: readonly HeldSlice[]; readonly kept: readonly string[] }> {
  const nothing = { held: [], kept: [] };
  if (!sliceApprovalNeed(policy)) return nothing;
  const mine = await readSliceLimiters(state, (limiter) => policyOf(limiter, ruleSet)?.name === policy.name);
  const offered = await mapParallel(mine, parallelOffers, (limiter) => offerSlice(deps, state, { limiter, policy }));
  return { held: offered.flatMap(({ held }) => held ?? []), kept: offered.flatMap(({ kept }) => kept) };
}

async function offerSlice(
  deps: StepDependencies,
  state: State,
  { limiter, policy }: SliceOf,
): Promise<{ readonly held?: HeldSlice; readonly kept: readonly string[] }> {
  const { sum, matched } = await find(deps, state, { limiter, policy, isOffered: true });
  const need = sliceApprovalNeed(policy);
  const cover = coverOf(await approvedOffers(state, { limiter, policy }), { policy, matched });
  const kept = cover.kind === 'Covered' ? [cover.offer.digest] : [];
  if (!need || matched.waiting === 0 || cover.kind === 'Covered' || !isSliceUnmet(policy, matched)) return { kept };
  const id = sliceOfferId(policy, limiter);
  const { generation } = policy;
  const digest = digestOf({ uid: id, generation }, sum);
  const offer: Offer = { digest, generation, pods: matched.waiting + matched.evicted };
  await storeOffer(state, id, { offer, now: deps.clock.now() });
  return { held: { limiter, need, matched, digest, outgrown: cover.outgrown }, kept };
}

async function find(
  deps: StepDependencies,
  state: State,
  { limiter, policy, ...asked }: SliceOf & Omit<Asked, 'consumers'>,
): Promise<Found> {
  if (policy.limits?.maxPercent === undefined) return findSlice(state, limiter, asked);
  const [, driver = ''] = limiter.split('|');
  const consumers = consumersFor({ deviceSelector: { driver } }, await recentCensus(deps, state));
  return findSlice(state, limiter, { ...asked, consumers });
}
