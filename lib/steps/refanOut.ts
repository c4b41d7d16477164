// Finishes the fan-out of a rule whose handler died half way, or whose messages got lost: the pods of its selections are queued again.

import type { DeviceTaintSelector } from '../model/objects.ts';
import { podsUsing } from '../state/allocations.ts';
import { classRowKey, namespaceRowKey, ruleRowKey } from '../state/keys.ts';
import { closeChunk, epochOf, evictingSelector, openChunk, type RuleRow, readOldChunks } from '../state/ruleRows.ts';
import { type ClassRow, type StoredRules, selectionsOfClass } from '../state/ruleSetRows.ts';
import { clearDirty, type State } from '../state/state.ts';
import { chunksOf } from './chunks.ts';
import type { StepDependencies } from './step.ts';

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

/** The same of namespaces: their pods go in another way. */
export async function refanOutNamespaces(deps: StepDependencies, state: State, rules: StoredRules): Promise<void> {
  const dirty = rules.namespaces.filter((row) => row.dirty);
  if (dirty.length === 0) return;
  await queueAll(deps, state, [{}]);
  for (const row of dirty) await clearDirty(state, namespaceRowKey(state.cluster, row.key), row);
}

/** A chunk this old was lost. Many pods may take minutes, and repeating all of them must not be what keeps them waiting. */
const lostChunkAfter = 5 * 60_000;

/**
 * Repeats a rule's fan-out while chunks of it are missing. The new chunks are open before the old ones are closed, so that one
 * lost again is found again; limits, which wait for every chunk, would else wait for ever.
 */
export async function refanOutLost(deps: StepDependencies, state: State, { key, object }: RuleRow): Promise<void> {
  const now = deps.clock.now();
  const lost = await readOldChunks(state, key, now - lostChunkAfter);
  if (lost.length === 0) return;
  const epoch = epochOf(object);
  let sent = 0;
  for (const selector of evictingSelector(object)) {
    for await (const pods of podsUsing(state, selector)) {
      for (const chunk of chunksOf(pods)) {
        const fanout = { rule: key, epoch, chunk: `again.${now}.${sent++}` };
        await openChunk(state, key, { epoch, id: fanout.chunk, now });
        await deps.queues.sendReconcile([{ cluster: state.cluster, pods: chunk, fanout }]);
      }
    }
  }
  for (const chunk of lost) await closeChunk(state, key, chunk);
  deps.metrics.add('SweepRepaired', lost.length, state.cluster);
  deps.log.warn('fan-out repeated', { cluster: state.cluster, rule: key, lost: lost.length, sent });
}

/** Everybody on the selected devices is evaluated again. */
export async function queueAll(
  deps: StepDependencies,
  state: State,
  selectors: readonly DeviceTaintSelector[],
): Promise<void> {
  for (const selector of selectors) {
    for await (const pods of podsUsing(state, selector)) {
      await deps.queues.sendReconcile(chunksOf(pods).map((chunk) => ({ cluster: state.cluster, pods: chunk })));
    }
  }
  deps.metrics.add('SweepRepaired', 1, state.cluster);
}
