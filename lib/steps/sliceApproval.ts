// Whether a taint in slices that needs a person's approval has it on its policy, for what it matches now.
import { digestOf, type Offer } from '../decide/approval.ts';
import { consumersFor } from '../decide/census.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import { type HeldSlice, isSliceUnmet, sliceApprovalNeed, sliceOfferId } from '../decide/sliceApproval.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { storeOffer } from '../state/approvalRows.ts';
import { readLimiters } from '../state/limiterRows.ts';
import { coverOf, type Found, findSlice } from '../state/sliceMatch.ts';
import type { State } from '../state/state.ts';
import { recentCensus } from './census.ts';
import { recently } from './recentlyFound.ts';
import type { StepDependencies } from './step.ts';

interface SliceOf {
  readonly limiter: LimiterId;
  readonly policy: EvictionPolicy;
}

/** For the gates: nothing is read where the policy needs no approval. */
export async function isSliceUnapproved(
  deps: StepDependencies,
  state: State,
  at: { readonly limiter: LimiterId; readonly ruleSet: RuleSet },
): Promise<boolean> {
  const { limiter } = at;
  const policy = policyOf(limiter, at.ruleSet);
  if (!policy || !sliceApprovalNeed(policy)) return false;
  const key = `${state.cluster}|${policy.uid}|${policy.generation}|${limiter}`;
  const { matched } = await recently(key, deps.clock.now(), () => find(deps, state, { limiter, policy }));
  return isSliceUnmet(policy, matched) && (await coverOf(state, { limiter, policy, matched })).kind !== 'Covered';
}

/** For the policy's condition: the taints that wait for an approval, each with the digest of what is offered now. */
export async function offerSlices(
  deps: StepDependencies,
  state: State,
  { policy, ruleSet }: { readonly policy: EvictionPolicy; readonly ruleSet: RuleSet },
): Promise<{ readonly held: readonly HeldSlice[]; readonly kept: readonly string[] }> {
  const nothing = { held: [], kept: [] };
  if (!sliceApprovalNeed(policy)) return nothing;
  const limiters = (await readLimiters(state)).filter((limiter) => limiter.startsWith('slice|'));
  const mine = limiters.filter((limiter) => policyOf(limiter, ruleSet)?.name === policy.name);
  const offered = await Promise.all(mine.map((limiter) => offerSlice(deps, state, { limiter, policy })));
  return { held: offered.flatMap(({ held }) => held ?? []), kept: offered.flatMap(({ kept }) => kept) };
}

async function offerSlice(
  deps: StepDependencies,
  state: State,
  { limiter, policy }: SliceOf,
): Promise<{ readonly held?: HeldSlice; readonly kept: readonly string[] }> {
  const { listed, matched } = await find(deps, state, { limiter, policy });
  const need = sliceApprovalNeed(policy);
  const cover = await coverOf(state, { limiter, policy, matched });
  const kept = cover.kind === 'Covered' ? [cover.offer.digest] : [];
  if (!need || listed.length === 0 || cover.kind === 'Covered' || !isSliceUnmet(policy, matched)) return { kept };
  const id = sliceOfferId(policy, limiter);
  const { generation } = policy;
  const pods = listed.map(({ uid }) => uid);
  const digest = digestOf({ uid: id, generation }, pods);
  const offer: Offer = { digest, generation, pods: matched.waiting + matched.evicted };
  await storeOffer(state, id, { offer, now: deps.clock.now() });
  return { held: { limiter, need, matched, digest, outgrown: cover.outgrown }, kept };
}

async function find(deps: StepDependencies, state: State, { limiter, policy }: SliceOf): Promise<Found> {
  const found = await findSlice(state, limiter);
  if (policy.limits?.maxPercent === undefined) return found;
  const [, driver = ''] = limiter.split('|');
  const consumers = consumersFor({ deviceSelector: { driver } }, await recentCensus(deps, state));
  return { ...found, matched: { ...found.matched, consumers } };
}
