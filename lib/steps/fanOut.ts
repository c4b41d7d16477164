// Hands pods to the reconcile queue in chunks that stay open until their pods are evaluated, and ends them.
import { evicts } from '../decide/taint.ts';
import type { LimiterId } from '../model/eviction.ts';
import { type RuleRef, ruleLimiter, ruleRef } from '../model/rule.ts';
import { podsUsing } from '../state/allocations.ts';
import { type Chunk, closeChunk, hasOpenChunks, openChunk, ruleOfCause } from '../state/chunkRows.ts';
import { currentRules } from '../state/neighbourhood.ts';
import type { State } from '../state/state.ts';
import type { Applied } from './applied.ts';
import { chunksOf } from './chunks.ts';
import type { StepDependencies } from './step.ts';

/** Each pod that references a claim, in chunks that stay open until they are evaluated. */
export async function reconcileAll(deps: StepDependencies, state: State): Promise<void> {
  const now = deps.clock.now();
  let sent = 0;
  for await (const pods of podsUsing(state, {}))
    for (const chunk of chunksOf(pods))
      await sendChunk(deps, state, {
        chunk: { cause: 'served#', epoch: String(now), id: String(sent++) },
        pods: chunk,
      });
}

async function sendChunk(
  deps: StepDependencies,
  state: State,
  { chunk, pods }: { readonly chunk: Chunk; readonly pods: readonly string[] },
): Promise<void> {
  await openChunk(state, chunk, { pods, now: deps.clock.now() });
  await deps.queues.sendReconcile([{ cluster: state.cluster, pods, chunk }]);
}

/**
 * Hands pods to the reconcile queue in chunks that are opened first: a rule's condition waits for its own, and one whose message is
 * lost is sent again. Answers the rules that have open ones.
 */
export async function queueChunks(
  deps: StepDependencies,
  state: State,
  by: { applied: readonly Applied[]; queued: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const owing = new Set<string>();
  for (const { rule, dirty, pods } of by.applied) {
    const cause = rule?.ref ?? `${dirty?.key.sk ?? ''}#`;
    const epoch = rule?.epoch ?? String(dirty?.row.ver ?? 0);
    const version = rule?.resourceVersion ?? dirty?.row.at ?? deps.clock.now();
    for (const [i, chunk] of chunksOf(pods.filter((pod) => by.queued.has(pod))).entries()) {
      await sendChunk(deps, state, { chunk: { cause, epoch, id: `${version}.${i}` }, pods: chunk });
      if (rule) owing.add(rule.ref);
    }
  }
  return owing;
}

/** The reconcile step's end of a chunk: the last one of a rule's fan-out has the rule reported. */
export async function finishChunk(deps: StepDependencies, state: State, chunk: Chunk): Promise<void> {
  await closeChunk(state, chunk);
  const rule = ruleOfCause(chunk.cause);
  if (rule === undefined || (await hasOpenChunks(state, rule, chunk.epoch))) return;
  await wakeRules(deps, state, { refs: new Set([rule]) });
  await deps.queues.sendReport([{ cluster: state.cluster, rule }]);
}

/** A rule that was edited may let pods go that have waited; under limits none goes before all pods of the rule are evaluated. */
export async function wakeRules(
  deps: StepDependencies,
  state: State,
  { refs, woken }: { readonly refs: ReadonlySet<RuleRef>; readonly woken?: ReadonlyMap<LimiterId, unknown> },
): Promise<void> {
  if (refs.size === 0) return;
  const edited = (await currentRules(state)).filter((rule) => evicts(rule.taint) && refs.has(ruleRef(rule)));
  const asleep = edited.map(ruleLimiter).filter((limiter) => !woken?.has(limiter));
  await deps.queues.sendEvict(asleep.map((limiter) => ({ cluster: state.cluster, limiter })));
}
