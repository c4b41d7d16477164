// Puts together what an invocation works with, around one limiter.
import { epochsOf } from '../../decide/epoch.ts';
import { bucketNameOf } from '../../decide/rate.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { currentRuleSet } from '../../state/neighbourhood.ts';
import { readLimiterFacts } from '../../steps/limiterFacts.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { findStops } from '../../steps/stops.ts';
import { createReadAhead } from './ahead.ts';
import { createCloser } from './closer.ts';
import type { Known, Round } from './round.ts';
import { createTokens } from './tokens.ts';

/** A pause, an edit or a permit that was taken is seen after so long. */
const factsFor: Milliseconds = 250;

export function openRound(deps: EvictDependencies, turn: Turn, limiter: LimiterId): Round {
  const passedOver: Round['passedOver'] = new Map();
  const read = async (): Promise<Known> => {
    const now = deps.clock.now();
    const ruleSet = await currentRuleSet(turn.state);
    const [found, stops] = await Promise.all([
      readLimiterFacts(deps, turn.state, { limiter, ruleSet }),
      findStops(turn, now),
    ]);
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
    ahead: createReadAhead(turn.access),
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
