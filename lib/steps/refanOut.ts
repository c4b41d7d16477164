// Finishes the fan-out of a rule whose handler died half way: all pods of its unfinished selections are queued again.

import type { DeviceTaintSelector } from '../model/objects.ts';
import { podsUsing } from '../state/allocations.ts';
import { classRowKey, ruleRowKey } from '../state/keys.ts';
import type { RuleRow } from '../state/ruleRows.ts';
import { type ClassRow, type StoredRules, selectionsOfClass } from '../state/ruleSetRows.ts';
import { clearDirty, type State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

const chunkSize = 100;

/** Repeating an evaluation does no harm, so a fan-out that is merely slow may run twice. */
export async function refanOut(deps: StepDependencies, state: State, row: RuleRow): Promise<void> {
  await queueAll(deps, state, row.dirty ?? []);
  await clearDirty(state, ruleRowKey(state.cluster, row.key), row);
  await deps.queues.sendReport([{ cluster: state.cluster, rule: row.key, notBefore: deps.clock.now() + 10_000 }]);
}

/** The same of a device class: the rules that name it. */
export async function refanOutClass(
  deps: StepDependencies,
  state: State,
  by: { readonly row: ClassRow; readonly rules: StoredRules },
): Promise<void> {
  await queueAll(deps, state, selectionsOfClass(by.rules, by.row.key));
  await clearDirty(state, classRowKey(state.cluster, by.row.key), by.row);
}

async function queueAll(
  deps: StepDependencies,
  state: State,
  selectors: readonly DeviceTaintSelector[],
): Promise<void> {
  for (const selector of selectors) {
    for await (const pods of podsUsing(state, selector)) {
      const chunks = Array.from({ length: Math.ceil(pods.length / chunkSize) }, (_, i) =>
        pods.slice(i * chunkSize, (i + 1) * chunkSize),
      );
      await deps.queues.sendReconcile(chunks.map((chunk) => ({ cluster: state.cluster, pods: chunk })));
    }
  }
  deps.metrics.add('SweepRepaired', 1, state.cluster);
}
