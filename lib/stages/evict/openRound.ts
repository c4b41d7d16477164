// Puts together what an invocation works with, around one limiter.
import { epochsOf } from '../../decide/epoch.ts';
import { bucketNameOf } from '../../decide/rate.ts';
import type { EvictMessage } from '../../model/message.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { currentRuleSet } from '../../state/currentRules.ts';
import { readClusterFacts, readLimiterFacts } from '../../steps/limiterFacts.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { findStops } from '../../steps/stops.ts';
import { createCloser } from './closer.ts';
import { createRetries } from './retries.ts';
import type { Known, Round } from './round.ts';
import { createTokens } from './tokens.ts';

/** A pause, an edit or a permit that was taken is seen after so long. */
const factsFor: Milliseconds = 250;

export function openRound(deps: EvictDependencies, turn: Turn, message: EvictMessage): Round {
  const { limiter } = message;
  const retries = createRetries(deps, turn, message);
  const passedOver: Round['passedOver'] = new Map();
  const read = async (): Promise<Known> => {
    const now = deps.clock.now();
    const [ruleSet, stops] = await Promise.all([
      currentRuleSet(turn.state),
      findStops(turn, now),
      readClusterFacts(deps, turn.state),
    ]);
    if (stops.kind === 'Stopped' && stops.read) retries.lookSoon();
    const found = await readLimiterFacts(deps, turn.state, { limiter, ruleSet });
    const facts = stops.kind === 'Stopped' ? { ...found.facts, stop: stops.why } : found.facts;
    const epoch = epochsOf(ruleSet.rules)(limiter);
    return { facts, at: Math.min(found.at, now), ruleSet, epoch, bucketName: bucketNameOf(limiter, ruleSet) };
  };
  let known: { readonly at: Instant; readonly value: Promise<Known> } | undefined;
  return {
    deps,
    turn,
    limiter,
    tokens: createTokens(deps, turn),
    closer: createCloser(deps, turn),
    retries,
    async facts() {
      const now = deps.clock.now();
      const isFresh = known && now >= known.at && now - known.at < factsFor;
      // Pods under way ask at once: the answer is shared before it is there.
      if (!known || !isFresh) known = { at: now, value: read() };
      return known.value;
    },
    lookAgain() {
      known = undefined;
      passedOver.clear();
    },
    seats: new Set(),
    full: new Map(),
    passedOver,
  };
}
