// Writes since when the taints of a PacedTaintRule count to its status; before that they evict no pod.
import { seenTaints } from '../../decide/ruleTaints.ts';
import { isSame } from '../../decide/same.ts';
import { ruleRef } from '../../model/rule.ts';
import type { LiveRule } from '../../ports.ts';
import type { State } from '../../state/state.ts';
import type { ClusterAccess, ClusterStepDependencies } from '../../steps/step.ts';
import { checkWritten } from './checkWritten.ts';

/** The watch event of this write has the rule's pods evaluated. */
export async function reportSeen(
  deps: ClusterStepDependencies,
  state: State,
  { rule, access }: LiveRule & { readonly access: ClusterAccess },
): Promise<void> {
  if (rule.kind !== 'PacedTaintRule') return;
  const seen = seenTaints(rule, deps.clock.now());
  if (isSame(seen, rule.seen)) return;
  const written = await access.ruleStatus.applySeen(rule, seen);
  checkWritten(deps, state, { object: ruleRef(rule), written });
}
