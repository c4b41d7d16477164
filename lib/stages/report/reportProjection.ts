// Tells the scheduler of a PacedTaintRule.
import { picksByState } from '../../decide/deviceMatch.ts';
import { nonePicked, type PickedDevices, pickedIn, placedByRule } from '../../decide/projection.ts';
import { ruleRef, type TaintRule } from '../../model/rule.ts';
import { poolPages } from '../../state/poolPages.ts';
import { readRule } from '../../state/ruleRows.ts';
import type { State } from '../../state/state.ts';
import type { ClusterStepDependencies, ReportedRule } from '../../steps/step.ts';
import { tellScheduler } from './tellScheduler.ts';

/** Throws where the API server cannot be reached, so that the message comes back. */
export async function reportProjection(
  deps: ClusterStepDependencies,
  state: State,
  { rule, taints, conditions, access, modes }: ReportedRule,
): Promise<void> {
  if (rule.kind !== 'PacedTaintRule' || !deps.settings.projectRules) return;
  // Without the class of its new version a rule would seem to select nothing, and what was projected would go for a moment.
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

/** Only where more than names pick them; all taints of a rule pick the same. */
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
