// Finishes the fan-out of a rule whose handler died half way: all pods of its unfinished selections are queued again.
import { podsUsing } from '../state/allocations.ts';
import { ruleRowKey } from '../state/keys.ts';
import type { RuleRow } from '../state/ruleRows.ts';
import { clearDirty, type State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

const chunkSize = 100;

/** Repeating an evaluation does no harm, so a fan-out that is merely slow may run twice. */
export async function refanOut(deps: StepDependencies, state: State, row: RuleRow): Promise<void> {
  for (const selector of row.dirty ?? []) {
    for await (const pods of podsUsing(state, selector)) {
      const chunks = Array.from({ length: Math.ceil(pods.length / chunkSize) }, (_, i) =>
        pods.slice(i * chunkSize, (i + 1) * chunkSize),
      );
      await deps.queues.sendReconcile(chunks.map((chunk) => ({ cluster: state.cluster, pods: chunk })));
    }
  }
  deps.metrics.add('SweepRepaired', 1, state.cluster);
  await clearDirty(state, ruleRowKey(state.cluster, row.key), row);
  await deps.queues.sendReport([{ cluster: state.cluster, rule: row.key, notBefore: deps.clock.now() + 10_000 }]);
}
