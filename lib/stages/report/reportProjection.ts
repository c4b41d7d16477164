// Projects a PacedTaintRule as native rules for the scheduler.
import { picksByState } from '../../decide/deviceMatch.ts';
import { nonePicked, type PickedDevices, pickedIn, placedByRule } from '../../decide/projection.ts';
import { ruleRef, type TaintRule } from '../../model/rule.ts';
import { poolPages } from '../../state/poolPages.ts';
import { readRule } from '../../state/ruleRows.ts';
import type { State } from '../../state/state.ts';
import type { ClusterStepDependencies, ReportedRule } from '../../steps/step.ts';
import { tellScheduler } from './tellScheduler.ts';

/** Throws where the API server cannot be reached, so that SQS redelivers the message. */
export async function reportProjection(
  deps: ClusterStepDependencies,
  state: State,
  { rule, taints, conditions, access, modes }: ReportedRule,
): Promise<void> {
  if (rule.kind !== 'PacedTaintRule' || !deps.settings.projectRules) return;
  // Until the table has this version's class, the rule would seem to select nothing and its projection would be deleted briefly.
  if ((await readRule(state, ruleRef(rule)))?.object.generation !== rule.generation) return;
  await tellScheduler(deps, state, {
    access,
    modes,
    conditions,
    source: rule,
    ref: ruleRef(rule),
    async taints() {
      const picked = await pickedBy(deps, state, taints);
      return taints.map((taint) => placedByRule(taint, picked));
    },
    write: (condition) => access.ruleStatus.apply(rule, [condition], 'projection'),
  });
}

/** Reads devices only if the selector needs their state; all taints of a rule select the same devices. */
async function pickedBy(
  deps: ClusterStepDependencies,
  state: State,
  [rule]: readonly TaintRule[],
): Promise<PickedDevices> {
  const { maxRules } = deps.settings.projection;
  let picked = nonePicked;
  if (!rule?.deviceSelector || !picksByState(rule.deviceSelector)) return picked;
  for await (const snapshot of poolPages(state, deps.settings)) picked = pickedIn(picked, { rule, snapshot, maxRules });
  return picked;
}
