// Writes the Held condition of a rule, under its own field manager, so that it never waits for the throttle.

import { holdOf } from '../../decide/hold.ts';
import { unowned } from '../../decide/ownership.ts';
import { rateHold } from '../../decide/rate.ts';
import { effectOf } from '../../decide/ruleTaints.ts';
import { selectorHold } from '../../decide/selectorHold.ts';
import { evicts } from '../../decide/taint.ts';
import { descriptionText } from '../../decide/taintText.ts';
import { recallOf } from '../../memory.ts';
import type { Hold } from '../../model/hold.ts';
import { sourceOfKind } from '../../model/ownership.ts';
import type { ReasonOf } from '../../model/reasons.ts';
import { ruleRef } from '../../model/rule.ts';
import type { State } from '../../state/state.ts';
import { offerPlan } from '../../steps/approval.ts';
import { canaryHoldOf } from '../../steps/canary.ts';
import type { ClusterStepDependencies, ReportedRule } from '../../steps/step.ts';
import { checkWritten } from './checkWritten.ts';
import type { ClusterHold } from './clusterHold.ts';

export const heldCondition = 'sluice.dev/Held';

/** Returns the hold of the rule itself, which its plan needs. A rule that was never held gets no such condition. */
export async function reportHold(
  deps: ClusterStepDependencies,
  state: State,
  { rule, taints, conditions, access, modes, cluster }: ReportedRule & { readonly cluster: ClusterHold },
): Promise<Hold | undefined> {
  const now = deps.clock.now();
  const mode = modes[sourceOfKind(rule.kind)];
  const hold = mode === 'own' ? await whyHeld(deps, state, { rule, taints }) : unowned(mode);
  const previous = conditions.find((one) => one.type === heldCondition);
  const shown = mode === 'own' && cluster.hold ? bothOf(cluster.hold, hold) : hold;
  if (!shown && previous?.status !== 'True') return undefined;
  const content = contentOf(shown);
  const isSame = previous?.status === content.status && previous.message === content.message;
  if (isSame && previous.observedGeneration === rule.generation) return hold;
  const since = previous?.status === content.status ? previous.lastTransitionTime : now;
  const condition = { type: heldCondition, ...content, observedGeneration: rule.generation, lastTransitionTime: since };
  const written = await access.ruleStatus.apply(rule, [condition], 'hold');
  checkWritten(deps, state, { object: ruleRef(rule), written });
  return hold;
}

/** An invalid selector is reported for every effect; the other holds matter only where pods would be evicted. */
async function whyHeld(
  deps: ClusterStepDependencies,
  state: State,
  of: Pick<ReportedRule, 'rule' | 'taints'>,
): Promise<Hold | undefined> {
  const { rule, taints } = of;
  const [known] = taints;
  const broken = known && selectorHold(known, recallOf(state.memory));
  if (broken || effectOf(rule) !== 'NoExecute') return broken;
  const hold = holdOfTaints(of, deps.clock.now());
  if (hold && !approvableUnder.includes(hold.reason)) return hold;
  const offered = await offerPlan(deps, state, of);
  if (!hold) return offered ?? canaryHoldOf(deps, state, of);
  // The reason of an offered plan shows the button to approve it.
  return offered && hold.reason === 'StandsStill' ? bothOf(offered, hold) : bothOf(hold, offered);
}

/** Holds whose end selects no other pods, so an approval given before still covers them. */
const approvableUnder: readonly Hold['reason'][] = ['Paused', 'OutsideWindow', 'StandsStill'];

/** Each taint may have its own policy: a hold of one taint does not hold the others, and the message says so. */
function holdOfTaints({ rule, taints }: Pick<ReportedRule, 'rule' | 'taints'>, now: number): Hold | undefined {
  const acting = taints.filter(({ taint }) => evicts(taint));
  const held = acting.flatMap((one) => {
    const { taint, policy } = one;
    const of = { ...rule, ...(policy ? { policy } : {}) };
    const hold = holdOf(of, now) ?? rateHold({ ...one, annotations: rule.annotations ?? {} });
    return hold ? [{ key: `${taint.key}${descriptionText(taint)}`, hold }] : [];
  });
  // A rate of 0 ends with the rate alone, and the reason decides whether a plan is offered.
  const first = held.find(({ hold }) => hold.reason !== 'StandsStill') ?? held[0];
  if (!first) return undefined;
  const isOne = new Set(held.map(({ hold }) => hold.message)).size === 1;
  if (isOne && held.length === acting.length) return first.hold;
  const others = held.length === acting.length ? '' : ' Pods continue for its other taints.';
  return { ...first.hold, message: `${held.map(({ key, hold }) => `${key}: ${hold.message}`).join(' ')}${others}` };
}

/** What holds now comes first; the message also says what holds the rule after that. */
function bothOf(first: Hold, next: Hold | undefined): Hold {
  return next ? { ...first, message: `${first.message} ${next.message}` } : first;
}

function contentOf(hold: Hold | undefined): {
  readonly status: 'True' | 'False';
  readonly reason: ReasonOf<typeof heldCondition>;
  readonly message: string;
} {
  return hold
    ? { status: 'True', reason: hold.reason, message: hold.message }
    : { status: 'False', reason: 'NotHeld', message: 'Nothing holds this rule.' };
}
