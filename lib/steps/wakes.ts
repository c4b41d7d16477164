// Messages that start work on a limiter: now, when pods become due, and when the tokens of a slow limiter come.
import { bucketNameOf, rateOf } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { readTokens } from '../state/bucketRows.ts';
import { currentRuleSet } from '../state/currentRules.ts';
import { claimWakes } from '../state/leaseRows.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

/** A pod may be found late, never early: waits beyond what a queue can hold are the sweep's. */
const longestQueueDelay: Milliseconds = 900_000;

/** The evict stage waits for the next token within this time; a later one needs a message. */
export const waitsInside: Milliseconds = 2000;

/** The sweep's period and its lateness. */
const ahead: Milliseconds = 65_000;

/** Just short of the sweep's period, so that it is the sweep which sends the next ones. */
const wokenFor: Milliseconds = 55_000;

const early: Milliseconds = 1500;

/** Tokens of a limiter for which no pod waits inside, in the time until the next sweep. */
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

/** One message for each token of a slow limiter until the next sweep, so that no invocation waits for it; once by all who ask. */
async function wakeAtTokens(deps: StepDependencies, state: State, limiters: readonly LimiterId[]): Promise<void> {
  const now = deps.clock.now();
  const ruleSet = await currentRuleSet(state);
  const limit = deps.limitOf(state.cluster);
  for (const limiter of limiters) {
    const rate = rateOf(limiter, ruleSet, now);
    const perSecond = Math.min(rate.perSecond, limit ?? rate.perSecond);
    // The evict stage itself waits for the tokens of a faster one.
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
  // After an edit the next token may be far off although the others follow closely.
  const rate = rateOf(limiter, await currentRuleSet(state), now);
  if (1000 / rate.perSecond <= waitsInside && at - now <= ahead) await sendAt(deps, state, { limiter, tokens: [at] });
}

/** Early, since a queue's delay is a whole number of seconds. */
async function sendAt(
  deps: StepDependencies,
  { cluster }: State,
  { limiter, tokens }: { readonly limiter: LimiterId; readonly tokens: readonly Instant[] },
): Promise<void> {
  await deps.queues.sendEvict(tokens.map((at) => ({ cluster, limiter, notBefore: at - early })));
}
