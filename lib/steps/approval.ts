// Whether a rule that needs a person's approval has it for what it matches now.
import {
  approveAnnotation,
  awaitingApproval,
  covers,
  digestOf,
  type Matched,
  needsApproval,
  type Offer,
} from '../decide/approval.ts';
import type { Hold } from '../decide/hold.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import type { LimiterId } from '../model/eviction.ts';
import { type AnyRule, ruleLimiter, type TaintRule } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { readOffer, storeOffer } from '../state/approvalRows.ts';
import { type Listed, readListedOf } from '../state/limiterRows.ts';
import { readTally } from '../state/recordRows.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** A rule over everything lists everybody, so its count is not made anew for each of its pods. */
const remembersFor: Milliseconds = 1000;

const remembered = new Map<string, { readonly at: Instant; readonly covered: boolean }>();

/** For pacers and evictors: nothing is read for rules that need no approval. */
export async function isUnapproved(
  deps: StepDependencies,
  state: State,
  by: { readonly limiter: LimiterId; readonly rules: readonly TaintRule[] },
): Promise<boolean> {
  const rule = by.rules.find((one) => by.limiter === ruleLimiter(one));
  if (!rule || !needsApproval(rule, deps.settings)) return false;
  const approved = await approvedOffer(state, rule);
  if (!approved) return true;
  const key = `${state.cluster}|${rule.uid}|${rule.generation}|${approved.digest}`;
  const now = deps.clock.now();
  const kept = remembered.get(key);
  if (kept && now >= kept.at && now - kept.at < remembersFor) return !kept.covered;
  const { matched } = await match(
    state,
    by.rules.filter(({ uid }) => uid === rule.uid),
  );
  const covered = covers(approved, rule, matched.waiting + matched.evicted);
  if (remembered.size > 1000) remembered.clear();
  remembered.set(key, { at: now, covered });
  return !covered;
}

/** For the rule's condition: the plan is shown with a digest, and remembered, so that it can be approved of. */
export async function offerPlan(deps: StepDependencies, state: State, rule: AnyRule): Promise<Hold | undefined> {
  const taints = taintRulesOf(rule);
  if (!taints.some((one) => needsApproval(one, deps.settings))) return undefined;
  const [approved, { listed, matched }] = await Promise.all([approvedOffer(state, rule), match(state, taints)]);
  const pods = matched.waiting + matched.evicted;
  if (covers(approved, rule, pods)) return undefined;
  const digest = digestOf(
    rule,
    listed.map(({ uid }) => uid),
  );
  const offer: Offer = { digest, generation: rule.generation, pods };
  await storeOffer(state, rule.uid, { offer, now: deps.clock.now() });
  return awaitingApproval(rule, { matched, digest, approved });
}

async function approvedOffer(state: State, rule: Pick<AnyRule, 'uid' | 'annotations'>): Promise<Offer | undefined> {
  const digest = rule.annotations?.[approveAnnotation];
  return digest === undefined ? undefined : readOffer(state, rule.uid, digest);
}

async function match(
  state: State,
  taints: readonly TaintRule[],
): Promise<{ listed: readonly Listed[]; matched: Matched }> {
  const [listed, evicted] = await Promise.all([
    readListedOf(state, taints.map(ruleLimiter)),
    readTally(state, taints[0]?.uid ?? ''),
  ]);
  const namespaces = new Set(listed.map(({ namespace }) => namespace)).size;
  return { listed, matched: { waiting: listed.length, namespaces, evicted } };
}
