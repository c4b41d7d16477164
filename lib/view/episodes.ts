// Episodes of a slice taint. A rule that comes back has a new UID; a slice taint keeps its limiter, so without them the numbers of a
// finished episode and of the next one would be added.

import type { LimiterId } from '../model/eviction.ts';
import { isOfRule } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { LimiterFacts } from './facts.ts';

/** One period in which a slice taint lists pods. */
export interface Episode {
  /** When its first pods were seen. */
  readonly since: Instant;
  /** Pods evicted for the limiter in earlier episodes. */
  readonly before: number;
}

/** A new episode begins if no pod was listed for this long: a pod that starts again on another tainted device belongs to the same one. */
export const quietBetween: Milliseconds = 30_000;

/** A limiter as it was last read, with the facts of all its episodes. */
export interface LastSeen {
  readonly facts: LimiterFacts;
  readonly readAt: Instant;
  /** When it last listed or evicted a pod. */
  readonly activeAt: Instant;
  readonly episode?: Episode | undefined;
}

/** The episode of facts read at `now`; absent for rules, and for a limiter that has only had one. */
export function episodeAt(before: LastSeen | undefined, facts: LimiterFacts, now: Instant): Episode | undefined {
  if (before === undefined || !isSlice(facts.limiter)) return undefined;
  const isQuiet = before.facts.listed.length === 0 && now - before.activeAt >= quietBetween;
  if (!isQuiet || !isActive(before, facts)) return before.episode;
  // Its first evictions may be older than this reading, but not than the last one, which saw none.
  return { since: before.readAt, before: before.facts.evicted };
}

export function isActive(before: LastSeen | undefined, { listed, evicted }: LimiterFacts): boolean {
  return listed.length > 0 || evicted > (before?.facts.evicted ?? 0);
}

/** Whether the limiter is that of a slice taint. */
export function isSlice(limiter: LimiterId): boolean {
  return !isOfRule(limiter);
}

/** The facts with the numbers of one episode. */
export function factsIn(episode: Episode | undefined, facts: LimiterFacts): LimiterFacts {
  if (!episode) return facts;
  const { since, before } = episode;
  const evicted = Math.max(0, facts.evicted - before);
  const { lastTotal } = facts;
  return {
    ...facts,
    evicted,
    since,
    ...(lastTotal === undefined ? {} : { lastTotal: Math.max(0, lastTotal - before) }),
  };
}

/** What remains of an episode when the next one begins; nothing if it evicted no pod. */
export function endedEpisode({ facts, episode }: LastSeen, until: Instant): LimiterFacts | undefined {
  const ended = factsIn(episode, facts);
  return ended.evicted > 0 ? { ...ended, listed: [], until } : undefined;
}

/** Whether an eviction at `at` belongs to the episode of these facts. */
export function isWithin({ since, until }: Pick<LimiterFacts, 'since' | 'until'>, at: Instant): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until);
}
