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
  /** When a message asked last. */
  let askedAt = deps.clock.now();
  /** What limiters share for a moment. `since`: it was read after that. */
  const readShared = async (since?: Instant) => {
    const now = deps.clock.now();
    const maxAge = since === undefined ? undefined : now - since;
    const [stops, { value, at }] = await Promise.all([
      findStops(turn, now, maxAge),
      readClusterFacts(deps, turn.state, maxAge),
    ]);
    const keepsAll = stops.kind === 'Stopped' || !value.isWatched || value.pauses.length > 0;
    return { stops, keepsAll, readAt: Math.min(stops.readAt, at) };
  };
  const read = async (): Promise<Known> => {
    const now = deps.clock.now();
    const [ruleSet, first] = await Promise.all([currentRuleSet(turn.state), readShared()]);
    // The first heartbeat, or the end of a pause or stop, may be what the message tells of: nothing else asks before the sweep.
    const { stops } = first.keepsAll && first.readAt < askedAt ? await readShared(askedAt) : first;
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
      askedAt = deps.clock.now();
      known = undefined;
      passedOver.clear();
    },
    seats: new Set(),
    full: new Map(),
    passedOver,
  };
}
