// Builds the `Round` of an invocation for one limiter.
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

/** Cache time of facts: a pause, an edit or a taken permit is seen after this time. */
const factsFor: Milliseconds = 250;

export function openRound(deps: EvictDependencies, turn: Turn, message: EvictMessage): Round {
  const { limiter } = message;
  const retries = createRetries(deps, turn, message);
  const passedOver: Round['passedOver'] = new Map();
  /** When a message last asked for this limiter. */
  let askedAt = deps.clock.now();
  /** Facts that limiters share. `since`: read after that time. */
  const readShared = async (since?: Instant) => {
    const now = deps.clock.now();
    const maxAge = since === undefined ? undefined : now - since;
    const [stops, shared] = await Promise.all([
      findStops(turn, now, maxAge),
      readClusterFacts(deps, turn.state, maxAge),
    ]);
    const { value, at } = shared;
    const keepsAll = stops.kind === 'Stopped' || !value.isWatched || value.pauses.length > 0;
    return { stops, shared, keepsAll, readAt: Math.min(stops.readAt, at) };
  };
  const read = async (): Promise<Known> => {
    const now = deps.clock.now();
    const [ruleSet, first] = await Promise.all([currentRuleSet(turn.state), readShared()]);
    // The message may announce the first heartbeat, or the end of a pause or stop; nothing else wakes the limiter before the sweep.
    const { stops, shared } = first.keepsAll && first.readAt < askedAt ? await readShared(askedAt) : first;
    if (stops.kind === 'Stopped' && stops.read) retries.lookSoon();
    const found = await readLimiterFacts(deps, turn.state, { limiter, ruleSet, shared });
    const facts = stops.kind === 'Stopped' ? { ...found.facts, stop: stops.why } : found.facts;
    const epoch = epochsOf(ruleSet.rules)(limiter);
    return { facts, at: Math.min(found.at, now), ruleSet, epoch, bucketName: bucketNameOf(limiter, ruleSet) };
  };
  let known: { readonly at: Instant; readonly value: Promise<Known> } | undefined;
  let last: Known | undefined;
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
      // Running evictions ask concurrently, so they share the pending promise.
      if (!known || !isFresh) known = { at: now, value: read() };
      last = await known.value;
      return last;
    },
    lastFacts: () => last,
    lookAgain() {
      askedAt = deps.clock.now();
      known = undefined;
      passedOver.clear();
    },
    seats: new Set(),
    full: new Map(),
    delayed: new Set(),
    passedOver,
  };
}
