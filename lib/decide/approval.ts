// Rules whose plan a person must approve, and the check of an approval: the digest of exactly that plan.
import { approveAnnotation, type Hold } from '../model/hold.ts';
import type { EvictionLimits, EvictionPolicy } from '../model/policy.ts';
import type { PacedDeviceSelector, TaintRule } from '../model/rule.ts';
import type { Settings } from '../model/snapshot.ts';
import { type Consumers, percentOf } from './census.ts';

/** A plan shown to people; `pods`: how many its rule matched at that time, evicted pods included. */
export interface Offer {
  readonly digest: string;
  readonly generation: number;
  readonly pods: number;
  /**
   * Deleted policies that its pods were pending under. An approval given before a policy was deleted does not cover evicting without that
   * policy.
   */
  readonly without?: readonly string[];
}

/** Why a rule's plan needs an approval, or may need one. */
export type ApprovalNeed =
  /** Its policy was deleted while pods were pending under that policy. */
  | 'PolicyGone'
  /** The selector is `{}`, or `all: true` in a PacedTaintRule: it selects every device. */
  | 'EmptySelector'
  /** Its policy has `approval: Required`. */
  | 'Policy'
  /** Its policy has limits that the rule may exceed. */
  | 'Limits';

export function approvalNeed(
  { deviceSelector, taint, policy, policyGone }: TaintRule,
  settings: Pick<Settings, 'holdEmptySelector'>,
): ApprovalNeed | undefined {
  if (taint.effect !== 'NoExecute' || !deviceSelector) return undefined;
  if (policyGone !== undefined) return 'PolicyGone';
  if (settings.holdEmptySelector && isEmpty(deviceSelector)) return 'EmptySelector';
  if (policy?.approval === 'Required') return 'Policy';
  return policy?.limits && limitsReach(policy.limits) ? 'Limits' : undefined;
}

/** Whether the policy sets any limit that a rule can exceed. */
export function limitsReach({ maxPods, maxNamespaces, maxPercent }: EvictionLimits): boolean {
  return maxPods !== undefined || maxNamespaces !== undefined || maxPercent !== undefined;
}

function isEmpty({ all: _, ...criteria }: PacedDeviceSelector): boolean {
  return Object.values(criteria).every((one) => one === undefined || (Array.isArray(one) && one.length === 0));
}

/** Evicted pods count too: a rule must not pass its limits one pod at a time. */
export function isOver(limits: EvictionLimits, matched: Matched): boolean {
  const { maxPods = Number.POSITIVE_INFINITY, maxNamespaces = Number.POSITIVE_INFINITY, maxPercent } = limits;
  const pods = matched.waiting + matched.evicted;
  const share = maxPercent === undefined ? Number.POSITIVE_INFINITY : shareOf(maxPercent, matched);
  return pods > maxPods || matched.namespaces > maxNamespaces || pods > share;
}

/** Evicted pods are added to the consumers: a fleet that shrinks through the rule's evictions does not lower the limit. */
function shareOf(percent: number, { consumers, evicted }: Matched): number {
  return consumers ? percentOf(percent, consumers.pods + evicted) : 0;
}

/** An approval covers up to 10 % more pods than its plan had, for the same generation and the same set of deleted policies. */
export function covers(
  offer: Offer | undefined,
  rule: Pick<TaintRule, 'generation' | 'policyGone'>,
  matched: number,
): boolean {
  return offer !== undefined && isOfVersion(offer, rule) && matched * 10 <= offer.pods * 11;
}

function isOfVersion(offer: Offer, { generation, policyGone }: Pick<TaintRule, 'generation' | 'policyGone'>): boolean {
  return offer.generation === generation && (policyGone === undefined || offer.without?.includes(policyGone) === true);
}

export interface Matched {
  /** Pods still pending. */
  readonly waiting: number;
  readonly namespaces: number;
  readonly evicted: number;
  /** Counted only if a limit is a percentage; while the count is missing, no pod is evicted. */
  readonly consumers?: Consumers;
}

export const reasonsOfNeed = {
  PolicyGone: 'PolicyGone',
  EmptySelector: 'AwaitingApproval',
  Policy: 'AwaitingApproval',
  Limits: 'OverLimits',
} as const satisfies Record<ApprovalNeed, Hold['reason']>;

/** The hold that the rule's condition shows until the plan with that digest is approved. */
export function awaitingApproval(
  rule: Pick<TaintRule, 'kind' | 'name' | 'generation' | 'policy' | 'policyGone'>,
  by: {
    readonly need: ApprovalNeed;
    readonly matched: Matched;
    readonly digest: string;
    readonly approved: Offer | undefined;
    /** Current value of the rule's annotation. */
    readonly given?: string | undefined;
  },
): Hold {
  const { need, matched, approved } = by;
  const { waiting, namespaces } = matched;
  const reach = `${reachText(rule, { need, matched })}: ${waiting} pods in ${namespaces} namespaces would be evicted.`;
  const how = ` To evict them: kubectl annotate --overwrite ${rule.kind.toLowerCase()} ${rule.name} ${approveAnnotation}=${by.digest}`;
  const reason = approved && isOfVersion(approved, rule) ? 'PlanGrew' : reasonsOfNeed[need];
  return { reason, message: `${reach}${shortfallOf(rule, by)}${how}` };
}

/** Why an approval that was given is not valid for the current plan. */
function shortfallOf(
  rule: Pick<TaintRule, 'generation' | 'policyGone'>,
  { approved, matched, given }: Pick<Parameters<typeof awaitingApproval>[1], 'approved' | 'matched' | 'given'>,
): string {
  if (!approved)
    return given === undefined ? '' : ` ${approveAnnotation}=${given} does not match any plan offered for this rule.`;
  const { generation } = rule;
  if (isOfVersion(approved, rule))
    return ` Approved were ${approved.pods} pods, ${matched.waiting + matched.evicted} match now.`;
  return approved.generation === generation
    ? ' The approval is outdated: it was given while the policy was there.'
    : ` The approval is outdated: it is of generation ${approved.generation} of the rule, which is of ${generation} now.`;
}

export function reachText(
  { kind, policy, policyGone }: Partial<Pick<TaintRule, 'kind' | 'policy' | 'policyGone'>>,
  { need, matched }: { readonly need: ApprovalNeed; readonly matched: Matched },
): string {
  const { name, limits = {} }: Partial<EvictionPolicy> = policy ?? {};
  switch (need) {
    case 'PolicyGone':
      return `EvictionPolicy ${policyGone} was deleted while pods waited under it, and no other is for the taint`;
    case 'EmptySelector':
      return `${kind === 'PacedTaintRule' ? 'A selector of all devices' : 'An empty selector'} reaches every device`;
    case 'Policy':
      return `EvictionPolicy ${name} asks for an approval`;
    case 'Limits': {
      const went = matched.evicted > 0 ? `, ${matched.evicted} pods evicted` : '';
      return `Over the limits of EvictionPolicy ${name} (${limitTexts(limits, matched).join(', ')}${went})`;
    }
    // Stryker disable next-line ConditionalExpression: there is no other kind
    default:
      return need satisfies never;
  }
}

function limitTexts({ maxPods, maxNamespaces, maxPercent }: EvictionLimits, matched: Matched): readonly string[] {
  const { consumers, evicted } = matched;
  return [
    ...(maxPods === undefined ? [] : [`maxPods ${maxPods}`]),
    ...(maxNamespaces === undefined ? [] : [`maxNamespaces ${maxNamespaces}`]),
    ...(maxPercent === undefined
      ? []
      : [
          consumers
            ? `maxPercent ${maxPercent}: ${shareOf(maxPercent, matched)} of ${consumers.pods + evicted} pods that use ${consumers.using}`
            : `maxPercent ${maxPercent}`,
        ]),
  ];
}
