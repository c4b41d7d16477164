// Says on a rule that it stands still, and why; a part of the status of its own, so that it never waits for the throttle.
import { type Hold, holdOf } from '../decide/hold.ts';
import { effectOf } from '../decide/ruleTaints.ts';
import type { LiveRule } from '../ports.ts';
import type { State } from '../state/state.ts';
import { offerPlan } from './approval.ts';
import type { ClusterAccess, ClusterStepDependencies } from './step.ts';

export const heldCondition = 'sluice.dev/Held';

/** A rule that was never held has no such condition. */
export async function reportHold(
  deps: ClusterStepDependencies,
  state: State,
  { rule, conditions, access }: LiveRule & { readonly access: ClusterAccess },
): Promise<void> {
  const now = deps.clock.now();
  const hold = effectOf(rule) === 'NoExecute' ? (holdOf(rule, now) ?? (await offerPlan(deps, state, rule))) : undefined;
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

function contentOf(hold: Hold | undefined) {
  return hold
    ? ({ status: 'True', ...hold } as const)
    : ({ status: 'False', reason: 'NotHeld', message: 'Pods go at the pace of the rule.' } as const);
}
