// Puts together what an invocation works with, around one limiter.
import { epochsOf } from '../../decide/epoch.ts';
import { bucketNameOf } from '../../decide/rate.ts';
import { roomOf } from '../../gates/index.ts';
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
  /** `since`: nothing of it may have been read before that; else it may be as old as limiters share it. */
  const readOnce = async (since?: Instant) => {
    const now = deps.clock.now();
    const age = since === undefined ? undefined : now - since;
    const maxAge = age === undefined ? {} : { maxAge: age + 1 };
    const [ruleSet, stops] = await Promise.all([
      currentRuleSet(turn.state),
      findStops(turn, now, age),
      readClusterFacts(deps, turn.state, maxAge.maxAge),
    ]);
    const found = await readLimiterFacts(deps, turn.state, { limiter, ruleSet, ...maxAge });
    const facts = stops.kind === 'Stopped' ? { ...found.facts, stop: stops.why } : found.facts;
    const epoch = epochsOf(ruleSet.rules)(limiter);
    const at = Math.min(found.at, now);
    return {
      known: { facts, at, ruleSet, epoch, bucketName: bucketNameOf(limiter, ruleSet) },
      isUnread: stops.kind === 'Stopped' && stops.read !== undefined,
      readAt: Math.min(at, stops.readAt),
    };
  };
  const read = async (): Promise<Known> => {
    const first = await readOnce();
    // The first heartbeat, or the end of a pause or stop, may be what the message tells of: nothing else asks before the sweep.
    const isBefore = first.readAt < askedAt && roomOf(first.known.facts).most < 1;
    const { known: found, isUnread } = isBefore ? await readOnce(askedAt) : first;
    if (isUnread) retries.lookSoon();
    return found;
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
