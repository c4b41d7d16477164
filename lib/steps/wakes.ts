// Messages that wake a limiter: now, when pods become due, and when tokens of a slow limiter become available.
import { bucketNameOf, rateOf } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { readTokens } from '../state/bucketRows.ts';
import { currentRuleSet } from '../state/currentRules.ts';
import { claimWakes } from '../state/leaseRows.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** The longest SQS delay. A pod may be found late, never early; the sweep covers longer waits. */
const longestQueueDelay: Milliseconds = 900_000;

/** The evict stage sleeps for a token that comes within this time; a later token needs a message. */
export const waitsInside: Milliseconds = 2000;

/** The sweep's period plus its lateness. */
const ahead: Milliseconds = 65_000;

/** Just below the sweep's period, so that the sweep sends the next messages. */
const wokenFor: Milliseconds = 55_000;

const early: Milliseconds = 1500;

/** Tokens of a slow limiter until the next sweep, at most. */
const mostTokens = ahead / waitsInside;

export async function wakeLimiters(
  deps: StepDependencies,
  state: State,
  wake: ReadonlyMap<LimiterId, Instant>,
): Promise<void> {
  const now = deps.clock.now();
  const { cluster } = state;
  const soon = [...wake].filter(([, at]) => at - now <= longestQueueDelay);
  await deps.queues.sendEvict(soon.map(([limiter, notBefore]) => ({ cluster, limiter, notBefore })));
  const due = soon.filter(([, at]) => at <= now).map(([limiter]) => limiter);
  if (due.length > 0) await wakeAtTokens(deps, state, due);
}

/** Sends one message per token of a slow limiter until the next sweep, so that no invocation sleeps for it; once for all callers. */
async function wakeAtTokens(deps: StepDependencies, state: State, limiters: readonly LimiterId[]): Promise<void> {
  const now = deps.clock.now();
  const ruleSet = await currentRuleSet(state);
  const limit = deps.limitOf(state.cluster);
  for (const limiter of limiters) {
    const rate = rateOf(limiter, ruleSet, now);
    const perSecond = Math.min(rate.perSecond, limit ?? rate.perSecond);
    // The evict stage itself sleeps for the tokens of a faster limiter.
    if (!(perSecond > 0) || 1000 / perSecond <= waitsInside) continue;
    const name = bucketNameOf(limiter, ruleSet);
    const { tokens } = await readTokens(state, { name, rate, now, wanted: mostTokens, ahead, limit });
    const later = tokens.filter((at) => at > now + waitsInside);
    const until = now + wokenFor;
    if (later.length === 0 || !(await claimWakes(state, limiter, { now, until, rate: perSecond }))) continue;
    await sendAt(deps, state, { limiter, tokens: later });
  }
}

/** For an invocation that ends before the next token of its limiter comes. */
export async function wakeAtNextToken(
  deps: StepDependencies,
  state: State,
  { limiter, at }: { readonly limiter: LimiterId; readonly at: Instant },
): Promise<void> {
  const now = deps.clock.now();
  await wakeAtTokens(deps, state, [limiter]);
  // After an edit of the rate, the first token may be far off although later ones follow closely.
  const rate = rateOf(limiter, await currentRuleSet(state), now);
  if (1000 / rate.perSecond <= waitsInside && at - now <= ahead) await sendAt(deps, state, { limiter, tokens: [at] });
}

/** Sent early, since an SQS delay is a whole number of seconds. */
async function sendAt(
  deps: StepDependencies,
  { cluster }: State,
  { limiter, tokens }: { readonly limiter: LimiterId; readonly tokens: readonly Instant[] },
): Promise<void> {
  await deps.queues.sendEvict(tokens.map((at) => ({ cluster, limiter, notBefore: at - early })));
}
