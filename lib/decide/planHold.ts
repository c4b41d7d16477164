// Why no pod of a plan is evicted now, in words.
import { awaitsApproval, type Hold } from '../model/hold.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Settings } from '../model/snapshot.ts';
import type { RuleCondition } from '../model/status.ts';
import type { Instant } from '../model/time.ts';
import { approvalNeed, isOver, type Matched } from './approval.ts';
import { holdOf } from './hold.ts';

/** Short, because the text of the stop, with its author and how to end it, is shown beside the plan. */
export const clusterStopped = 'all evictions of the cluster are stopped';

/** Short, because the number of these pods is shown beside it. */
export const namespacesPaused = 'their namespaces are paused';

export interface HoldsKnown {
  readonly now: Instant;
  /** About EvictionStops; absent: there is none. */
  readonly stopped?: string | undefined;
  /** A hold that only the condition `sluice.dev/Held` tells. */
  readonly told?: string | undefined;
}

/** `undefined` unless every taint of the rule is held. */
export function planHold(taints: readonly TaintRule[], { now, stopped, told }: HoldsKnown): string | undefined {
  const holds = taints.map((rule) => holdOf(rule, now));
  return heldText(holds.includes(undefined) ? undefined : holds[0], { stopped, told });
}

/** `hold`: of all taints that the plan is about. */
export function heldText(
  hold: Pick<Hold, 'message'> | undefined,
  { stopped, told }: Pick<HoldsKnown, 'stopped' | 'told'>,
): string | undefined {
  if (stopped !== undefined) return clusterStopped;
  return (hold?.message ?? told)?.replace(/\.$/, '');
}

/** Short, because the condition of the rule names the pods that an approval covers, and how to give it. */
export const unapproved = 'it waits for an approval';

/** Holds that follow from the state table. The others follow from the rule itself. */
const onlyTold = ['Canary', 'ObserverInDoubt'];

/** The message of a hold that does not follow from the rule itself; none for an approval, which the plan of a report is for. */
export function toldBy(hold: { readonly reason: string; readonly message: string } | undefined): string | undefined {
  return hold !== undefined && onlyTold.includes(hold.reason) ? hold.message : undefined;
}

/** The hold that only a condition of the rule or policy tells. */
export function toldHold(conditions: readonly RuleCondition[]): string | undefined {
  const held = conditions.find(({ type, status }) => type === 'sluice.dev/Held' && status === 'True');
  return awaitsApproval(held) ? unapproved : toldBy(held);
}

/**
 * For a rule without the condition `sluice.dev/Held` and without an approval: whether it will wait for one. A share of the fleet
 * (`maxPercent`) is not judged.
 */
export function approvalAhead(
  taints: readonly TaintRule[],
  by: {
    readonly settings: Pick<Settings, 'holdEmptySelector'>;
    readonly matched: Pick<Matched, 'waiting' | 'namespaces'>;
  },
): string | undefined {
  const asks = (rule: TaintRule) => {
    const need = approvalNeed(rule, by.settings);
    if (need !== 'Limits') return need !== undefined;
    // Stryker disable next-line OptionalChaining: a need of limits comes from a policy
    const { maxPercent: _, ...limits } = rule.policy?.limits ?? {};
    return isOver(limits, { ...by.matched, evicted: 0 });
  };
  return taints.some(asks) ? unapproved : undefined;
}
