// Writes the rate that applies to the pods of a PacedTaintRule to its status, wherever the rate is set: `kubectl get` shows it.
import { ratesText } from '../../decide/pacingReport.ts';
import { rateUnheld } from '../../decide/rate.ts';
import { ruleRef } from '../../model/rule.ts';
import type { State } from '../../state/state.ts';
import type { ClusterStepDependencies, ReportedRule } from '../../steps/step.ts';
import { checkWritten } from './checkWritten.ts';

export async function reportRate(
  deps: ClusterStepDependencies,
  state: State,
  { rule, taints, access, shownRate }: ReportedRule,
): Promise<void> {
  if (rule.kind !== 'PacedTaintRule') return;
  const rate = ratesText(taints.map(rateUnheld), deps.limitOf(state.cluster));
  if (rate === shownRate) return;
  const written = await access.ruleStatus.applyRate(rule, rate);
  checkWritten(deps, state, { object: ruleRef(rule), written });
}
