// Hands the pods that a change can touch to the evaluate queue, a page at a time from where the last one ended, and ends that.
import { evicts } from '../decide/taint.ts';
import type { LimiterId } from '../model/eviction.ts';
import { type RuleRef, ruleLimiter, ruleRef } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { currentRules } from '../state/currentRules.ts';
import {
  advanceFanOut,
  beginFanOut,
  type Chunk,
  closeChunk,
  type FanOut,
  type FanOutOf,
  fanOutKey,
  isFanningOut,
  nextPage,
  ruleOfCause,
} from '../state/fanOutRows.ts';
import type { ReachedPage } from '../state/reach.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** One invocation continues for so long; another one continues from there. Well below the time that a function has. */
export const fanOutFor: Milliseconds = 10_000;

/** From its beginning, or from where an invocation that ended half way has left it. */
export async function fanOutTo(deps: StepDependencies, state: State, of: FanOutOf): Promise<void> {
  const now = deps.clock.now();
  const fanOut = await beginFanOut(state, of, now);
  await goOn(deps, state, { fanOut, until: now + fanOutFor });
}

/** `first`: the next page, where the caller has read it already. */
export async function goOn(
  deps: StepDependencies,
  state: State,
  by: { readonly fanOut: FanOut; readonly first?: ReachedPage; readonly until: Instant },
): Promise<void> {
  let { fanOut } = by;
  let page = by.first ?? (await nextPage(state, fanOut));
  for (;;) {
    const advanced = await advanceFanOut(state, fanOut, { page, now: deps.clock.now() });
    // The step that was faster continues.
    if (advanced === 'Lost') return;
    const { cluster } = state;
    await deps.queues.sendEvaluate(advanced.chunks.map(({ chunk, pods }) => ({ cluster, pods, chunk })));
    if (!advanced.rest) {
      if (advanced.chunks.length === 0) await endOfRule(deps, state, fanOut);
      return;
    }
    fanOut = advanced.rest;
    if (deps.clock.now() >= by.until) {
      await deps.queues.sendDue([{ stage: 'ingest', cluster, rows: [fanOutKey(state, fanOut.cause)] }]);
      return;
    }
    page = await nextPage(state, fanOut, page.ahead);
  }
}

/** The evaluate step's end of a chunk: the last one of a rule's fan-out has the rule reported. */
export async function finishChunk(deps: StepDependencies, state: State, chunk: Chunk): Promise<void> {
  await closeChunk(state, chunk);
  await endOfRule(deps, state, chunk);
}

async function endOfRule(
  deps: StepDependencies,
  state: State,
  { cause, epoch }: Pick<FanOutOf, 'cause' | 'epoch'>,
): Promise<void> {
  const rule = ruleOfCause(cause);
  if (rule === undefined || (await isFanningOut(state, cause, epoch))) return;
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
