// Sends the pods that a change can affect to the evaluate queue, page by page; an interrupted fan-out is continued.
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

/** Time per invocation, well below the function's timeout; the next invocation continues the fan-out. */
export const fanOutFor: Milliseconds = 10_000;

/**
 * The first page has few pods. If more than a thousand allocated devices were read, only these pods are evaluated and evicted for this long,
 * because searching and evaluating thousands of others would delay the first evictions.
 */
const firstPageAlone: Milliseconds = 1000;

/** Starts a fan-out, or continues an interrupted one. */
export async function fanOutTo(deps: StepDependencies, state: State, of: FanOutOf): Promise<void> {
  const now = deps.clock.now();
  const fanOut = await beginFanOut(state, of, now);
  await goOn(deps, state, { fanOut, until: now + fanOutFor });
}

/** `first`: the next page, if the caller has already read it. */
export async function goOn(
  deps: StepDependencies,
  state: State,
  by: { readonly fanOut: FanOut; readonly first?: ReachedPage; readonly until: Instant },
): Promise<void> {
  let { fanOut } = by;
  let page = by.first ?? (await nextPage(state, fanOut));
  for (;;) {
    const advanced = await advanceFanOut(state, fanOut, { page, now: deps.clock.now() });
    // Another step advanced the fan-out first and continues it.
    if (advanced === 'Lost') return;
    const { cluster } = state;
    await deps.queues.sendEvaluate(advanced.chunks.map(({ chunk, pods }) => ({ cluster, pods, chunk })));
    if (!advanced.rest) {
      if (advanced.chunks.length === 0) await endOfRule(deps, state, fanOut);
      return;
    }
    const alone = isFirstOfMany(fanOut, page) ? firstPageAlone : undefined;
    fanOut = advanced.rest;
    if (alone !== undefined || deps.clock.now() >= by.until) return handOn(deps, state, fanOut, alone);
    page = await nextPage(state, fanOut, page.ahead);
  }
}

function isFirstOfMany({ pages }: FanOut, { pods, ahead }: ReachedPage): boolean {
  return pages === 0 && pods.length > 0 && ahead?.next !== undefined;
}

/** Another invocation continues the fan-out; if its message is lost, the sweep sends one. */
async function handOn(deps: StepDependencies, state: State, { cause }: FanOut, after: Milliseconds = 0): Promise<void> {
  const { cluster } = state;
  const notBefore = deps.clock.now() + after;
  await deps.queues.sendDue([{ stage: 'ingest', cluster, rows: [fanOutKey(state, cause)], notBefore }]);
}

/** Closes a chunk for the evaluate stage; the last chunk of a rule's fan-out requests a report of the rule. */
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

/** An edit may end the hold of a rule's pods; with limits, no pod is evicted before all pods of the rule are evaluated. */
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
