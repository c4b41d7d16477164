// Decides whether a rule that needs approval is approved for the pods that it matches now.
import {
  type ApprovalNeed,
  approvalNeed,
  awaitingApproval,
  covers,
  isOver,
  type Matched,
  type Offer,
} from '../decide/approval.ts';
import { type Census, type Consumers, consumersFor } from '../decide/census.ts';
import { digestOf } from '../decide/planDigest.ts';
import type { RuleSet } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import { approveAnnotation, type Hold } from '../model/hold.ts';
import { type AnyRule, ruleLimiter, type TaintRule } from '../model/rule.ts';
import { readOffer, storeOffer } from '../state/approvalRows.ts';
import { readTally } from '../state/recordRows.ts';
import { isBeingFound } from '../state/ruleRows.ts';
import { type Asked, type Found, matchListed } from '../state/sliceMatch.ts';
import type { State } from '../state/state.ts';
import { recentCensus } from './census.ts';
import { recently } from './recentlyFound.ts';
import { isSliceUnapproved } from './sliceApproval.ts';
import type { ReportedRule, StepDependencies } from './step.ts';

/** For the gates. Reads nothing for rules and slice taints that need no approval. */
export async function isUnapproved(
  deps: StepDependencies,
  state: State,
  by: { readonly limiter: LimiterId; readonly ruleSet: RuleSet },
): Promise<boolean> {
  const { rules } = by.ruleSet;
  if (by.limiter.startsWith('slice|')) return isSliceUnapproved(deps, state, by);
  const rule = rules.find((one) => by.limiter === ruleLimiter(one));
  const need = rule && approvalNeed(rule, deps.settings);
  if (!rule || !need) return false;
  const approved = await approvedOffer(state, rule);
  if (need === 'Limits') {
    // Until all pods of the rule are evaluated, the number of matched pods is unknown.
    if (await isBeingFound(state, rule)) return true;
  } else if (!approved) return true;
  const taints = rules.filter(({ uid }) => uid === rule.uid);
  const limits = rule.policy?.limits ?? {};
  const isMet = (matched: Matched) =>
    (need === 'Limits' && !isOver(limits, matched)) || covers(approved, rule, matched.waiting + matched.evicted);
  const key = [state.cluster, rule.uid, rule.generation, need, JSON.stringify([limits, approved])].join('|');
  const { isUnapproved } = await recently(deps, key, async () => {
    // Adding pods never turns "unapproved" into "approved", so counting can stop early.
    const { matched } = await match(deps, state, taints, { isEnough: (some) => !isMet(some) });
    return { isUnapproved: !isMet(matched), pods: matched.waiting };
  });
  return isUnapproved;
}

/** For the rule's condition. Stores the digest of the current plan as an offer, so that an operator can approve it. */
export async function offerPlan(
  deps: StepDependencies,
  state: State,
  { rule, taints }: Pick<ReportedRule, 'rule' | 'taints'>,
): Promise<Hold | undefined> {
  if (!taints.some((one) => approvalNeed(one, deps.settings))) return undefined;
  const [approved, { sum, matched }] = await Promise.all([
    approvedOffer(state, rule),
    match(deps, state, taints, { isOffered: true }),
  ]);
  const pods = matched.waiting + matched.evicted;
  const without = [...new Set(taints.flatMap(({ policyGone }) => policyGone ?? []))].sort();
  if (taints.every((one) => covers(approved, one, pods))) return undefined;
  const needy = taints.find((one) => isUnmet(one, { need: approvalNeed(one, deps.settings), matched }));
  const need = needy && approvalNeed(needy, deps.settings);
  if (!need) return undefined;
  const digest = digestOf(rule, sum, without);
  const offer: Offer = { digest, generation: rule.generation, pods, ...(without.length > 0 ? { without } : {}) };
  await storeOffer(state, rule.uid, { offer, now: deps.clock.now() });
  const given = rule.annotations?.[approveAnnotation];
  return awaitingApproval(needy, { need, matched, digest, approved, given });
}

/** The taints of a rule may have different policies: one may require approval above its limits, another always. */
function isUnmet(rule: TaintRule, by: { readonly need: ApprovalNeed | undefined; readonly matched: Matched }): boolean {
  return by.need === 'Limits' ? isOver(rule.policy?.limits ?? {}, by.matched) : by.need !== undefined;
}

async function approvedOffer(state: State, rule: Pick<AnyRule, 'uid' | 'annotations'>): Promise<Offer | undefined> {
  const digest = rule.annotations?.[approveAnnotation];
  return digest === undefined ? undefined : readOffer(state, rule.uid, digest);
}

async function match(
  deps: StepDependencies,
  state: State,
  taints: readonly TaintRule[],
  asked: Omit<Asked, 'consumers'>,
): Promise<Found> {
  const [relative] = taints.filter(({ policy }) => policy?.limits?.maxPercent !== undefined);
  // All taints of a rule are on the same devices.
  const consumers = relative ? { consumers: await countConsumers(deps, state, relative) } : {};
  const readEvicted = () => readTally(state, taints[0]?.uid ?? '');
  return matchListed(state, taints.map(ruleLimiter), { ...asked, ...consumers, readEvicted });
}

async function countConsumers(deps: StepDependencies, state: State, rule: TaintRule): Promise<Consumers> {
  const name = rule.deviceSelector?.deviceClassName;
  const isEnough = ({ byClass }: Census) => name === undefined || byClass.has(name);
  return consumersFor(rule, await recentCensus(deps, state, isEnough));
}
