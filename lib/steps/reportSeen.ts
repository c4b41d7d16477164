// Writes down from when the taints of a PacedTaintRule count; before it stands in the status they evict nobody.
import { seenTaints } from '../decide/ruleTaints.ts';
import { isSame } from '../decide/same.ts';
import type { LiveRule } from '../ports.ts';
import type { State } from '../state/state.ts';
import type { ClusterAccess, ClusterStepDependencies } from './step.ts';

/** The watch event of what is written has the rule's pods evaluated. */
export async function reportSeen(
  deps: ClusterStepDependencies,
  state: State,
  { rule, access }: LiveRule & { readonly access: ClusterAccess },
): Promise<void> {
  if (rule.kind !== 'PacedTaintRule') return;
  const seen = seenTaints(rule, deps.clock.now());
  if (isSame(seen, rule.seen)) return;
  const written = await access.ruleStatus.applySeen(rule, seen);
  if (written.kind === 'RetryLater') throw new Error(`${rule.kind} ${rule.name}: ${written.why}`);
  if (written.kind !== 'Refused') return;
  deps.metrics.add('EvictionsRefused', 1, state.cluster);
  deps.log.error('times of taints refused', { cluster: state.cluster, rule: rule.name, why: written.why });
}
