// Approval of slice taints, which is given on their policy: such taints have no object of their own.

import type { Ledger, LimiterId } from '../model/eviction.ts';
import { approveAnnotation, type Hold } from '../model/hold.ts';
import { type EvictionPolicy, policyRef } from '../model/policy.ts';
import {
  type ApprovalNeed,
  isOver,
  limitsReach,
  type Matched,
  type Offer,
  reachText,
  reasonsOfNeed,
} from './approval.ts';
import { taintTextOf } from './policyGone.ts';
import { policyOf, type RuleSet } from './rate.ts';

/** How many taints a message names. */
const taintsNamed = 5;

export function sliceApprovalNeed(policy: EvictionPolicy | undefined): 'Policy' | 'Limits' | undefined {
  if (policy?.approval === 'Required') return 'Policy';
  return policy?.limits && limitsReach(policy.limits) ? 'Limits' : undefined;
}

/** Whether the pods that the taint matches now need an approval. */
export function isSliceUnmet(policy: EvictionPolicy, matched: Matched): boolean {
  const need = sliceApprovalNeed(policy);
  return need === 'Limits' ? isOver(policy.limits ?? {}, matched) : need !== undefined;
}

/** Refs of the policies whose conditions count pods that these ledgers list for slice taints. */
export function policiesCounting(
  ledgers: readonly (Pick<Ledger, 'listings'> | undefined)[],
  ruleSet: RuleSet,
): ReadonlySet<string> {
  const limiters = ledgers.flatMap((ledger) => ledger?.listings ?? []).map(({ limiter }) => limiter);
  const slices = limiters.filter((limiter) => limiter.startsWith('slice|'));
  const counting = slices.flatMap((limiter) => {
    const policy = policyOf(limiter, ruleSet);
    return policy && sliceApprovalNeed(policy) ? [policyRef(policy.name)] : [];
  });
  return new Set(counting);
}

/** Id of the offers and approvals of one taint; approvals are not valid for another policy. */
export function sliceOfferId({ uid }: Pick<EvictionPolicy, 'uid'>, limiter: LimiterId): string {
  return `${uid}|${limiter}`;
}

/** One reason why a policy holds taints; one annotation approves all of them. */
export interface Waiting {
  readonly reason: Hold['reason'];
  readonly text: string;
  /** The digests that approve what the text describes. */
  readonly digests: readonly string[];
}

/** A slice taint whose pods are held. */
export interface HeldSlice {
  readonly limiter: LimiterId;
  readonly need: Exclude<ApprovalNeed, 'EmptySelector' | 'PolicyGone'>;
  readonly matched: Matched;
  readonly digest: string;
  /** The approval for this generation of the policy that no longer covers enough pods. */
  readonly outgrown: Offer | undefined;
}

export function slicesWaiting(policy: EvictionPolicy, held: readonly HeldSlice[]): Waiting | undefined {
  const [first] = held;
  if (!first) return undefined;
  const named = held.slice(0, taintsNamed);
  const more = held.length > named.length ? ` And ${held.length - named.length} more taints.` : '';
  const text = `${named.map((one) => describe(policy, one)).join(' ')}${more}`;
  const reason = first.outgrown ? 'PlanGrew' : reasonsOfNeed[first.need];
  return { reason, text, digests: named.map(({ digest }) => digest) };
}

function describe(policy: EvictionPolicy, { limiter, need, matched, outgrown }: HeldSlice): string {
  const reach = reachText({ policy }, { need, matched });
  const pods = `${matched.waiting} pods in ${matched.namespaces} namespaces would be evicted.`;
  const grew = outgrown ? ` Approved were ${outgrown.pods} pods, ${matched.waiting + matched.evicted} match now.` : '';
  return `${taintTextOf(limiter)}: ${reach}: ${pods}${grew}`;
}

/** All reasons why the policy is held, with one command. `kept`: digests that are still valid and must stay in the annotation. */
export function policyHeld(
  { name }: Pick<EvictionPolicy, 'name'>,
  by: { readonly parts: readonly (Waiting | undefined)[]; readonly kept: readonly string[] },
): Hold | undefined {
  const parts = by.parts.flatMap((part) => part ?? []);
  const [first] = parts;
  if (!first) return undefined;
  const digests = [...new Set([...by.kept, ...parts.flatMap((part) => part.digests)])];
  const how = `To evict the pods: kubectl annotate --overwrite evictionpolicy ${name} ${approveAnnotation}=${digests.join(',')}`;
  return { reason: first.reason, message: `${parts.map(({ text }) => text).join(' ')} ${how}` };
}
