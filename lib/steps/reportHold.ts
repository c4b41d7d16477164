// Says on a rule that it stands still, and why; a part of the status of its own, so that it never waits for the throttle.
import { holdOf } from '../decide/hold.ts';
import { effectOf } from '../decide/ruleTaints.ts';
import { selectorHold } from '../decide/selectorHold.ts';
import type { Hold } from '../model/hold.ts';
import type { State } from '../state/state.ts';
import { offerPlan } from './approval.ts';
import type { ClusterStepDependencies, ReportedRule } from './step.ts';

export const heldCondition = 'sluice.dev/Held';

/** A rule that was never held has no such condition. */
export async function reportHold(
  deps: ClusterStepDependencies,
  state: State,
  { rule, taints, conditions, access }: ReportedRule,
): Promise<void> {
  const now = deps.clock.now();
  const hold = await whyHeld(deps, state, { rule, taints });
  const previous = conditions.find((one) => one.type === heldCondition);
  if (!hold && previous?.status !== 'True') return;
  const content = contentOf(hold);
  const isSame = previous?.status === content.status && previous.message === content.message;
  if (isSame && previous.observedGeneration === rule.generation) return;
  const since = previous?.status === content.status ? previous.lastTransitionTime : now;
  const condition = { type: heldCondition, ...content, observedGeneration: rule.generation, lastTransitionTime: since };
  const written = await access.ruleStatus.apply(rule, [condition], 'hold');
  if (written.kind === 'RetryLater') throw new Error(`rule ${rule.name}: ${written.why}`);
  if (written.kind !== 'Refused') return;
  deps.metrics.add('EvictionsRefused', 1, state.cluster);
  deps.log.error('condition refused', { cluster: state.cluster, rule: rule.name, why: written.why });
}

/** What is wrong with a selector is said whatever the effect; the rest matters only where pods would go. */
async function whyHeld(
  deps: ClusterStepDependencies,
  state: State,
  of: Pick<ReportedRule, 'rule' | 'taints'>,
): Promise<Hold | undefined> {
  const { rule, taints } = of;
  const [known] = taints;
  const broken = known && selectorHold(known);
  if (broken || effectOf(rule) !== 'NoExecute') return broken;
  const policy = known?.policy ? { policy: known.policy } : {};
  return holdOf({ ...rule, ...policy }, deps.clock.now()) ?? offerPlan(deps, state, of);
}

function contentOf(hold: Hold | undefined) {
  return hold
    ? ({ status: 'True', ...hold } as const)
    : ({ status: 'False', reason: 'NotHeld', message: 'Pods go at the pace of the rule.' } as const);
}
