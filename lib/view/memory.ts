// Cache of a reader that reads every second, so that repeated readings are cheap.
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import { createRecall, type Recall } from '../model/recall.ts';
import type { Instant } from '../model/time.ts';
import { originKey } from '../model/verdict.ts';
import type { RecentEviction } from '../state/recentRows.ts';
import { tallyOf } from '../state/recordRows.ts';
import { type Episode, endedEpisode, episodeAt, factsIn, isActive, type LastSeen } from './episodes.ts';
import type { LimiterFacts } from './facts.ts';

interface Remembered extends LastSeen {
  /** Evictions before the first reading that the list of last evictions does not contain. */
  readonly base: number;
  /** Number of evictions in the tally when it was read. */
  readonly tallied: number;
}

export interface ProgressMemory {
  /** Compiled selectors. */
  readonly recall: Recall;
  readonly recent: Map<Uid, RecentEviction>;
  /** Evictions read since creation, by rule UID or slice-taint limiter among their reasons. */
  readonly counted: Map<string, number>;
  /** Time of the newest of them. */
  readonly countedAt: Map<string, Instant>;
  /** All evictions read, including those too old to be listed. */
  total: { evicted: number; shared: number; readonly since: Instant } | undefined;
  recentReadAt: Instant | undefined;
  /** Time of the newest finished eviction read. */
  newest: Instant | undefined;
  /** Time of the newest eviction in an incomplete reading. */
  partialAt: Instant | undefined;
  /** Time of the newest eviction by limiter. */
  readonly latest: Map<LimiterId, Instant>;
  readonly limiters: Map<LimiterId, Remembered>;
  /** Earlier episodes of slice taints with listed evictions, latest first. */
  readonly ended: LimiterFacts[];
}

/** Milliseconds by which rows may appear later than their timestamp: clock skew, transactions in flight. */
const overlap = 5000;

/** Maximum age in milliseconds of cached facts of a limiter without pods; new evictions invalidate them at once. */
const quietFor = { standing: 3000, gone: 30_000 } as const;

export function createMemory(): ProgressMemory {
  const nothing = { total: undefined, recentReadAt: undefined, newest: undefined, partialAt: undefined };
  return {
    recall: createRecall(),
    recent: new Map(),
    counted: new Map(),
    countedAt: new Map(),
    ...nothing,
    latest: new Map(),
    limiters: new Map(),
    ended: [],
  };
}

/** While no pod is evicted, the last evictions (a query per shard) are read about once a second. */
const recentEvery = 900;

/** Whether the last evictions must be read again for these limiters. */
export function isRecentDue(memory: ProgressMemory, read: readonly LimiterFacts[], now: Instant): boolean {
  const { recentReadAt, limiters } = memory;
  if (recentReadAt === undefined || now < recentReadAt || now - recentReadAt >= recentEvery) return true;
  return read.some(
    ({ limiter, listed, evicted }) => listed.length > 0 || (limiters.get(limiter)?.facts.evicted ?? 0) < evicted,
  );
}

/** Time from which the last evictions must be read. */
export function sinceOf(memory: ProgressMemory, oldest: Instant): Instant {
  return memory.newest === undefined ? oldest : Math.max(oldest, memory.newest - overlap);
}

export function rememberRecent(
  memory: ProgressMemory,
  read: { readonly evictions: readonly RecentEviction[]; readonly isPartial: boolean },
  by: { readonly now: Instant; readonly oldest: Instant },
): void {
  const { oldest } = by;
  memory.recentReadAt = by.now;
  memory.total ??= { evicted: 0, shared: 0, since: read.evictions.at(-1)?.at ?? by.now };
  for (const one of read.evictions) {
    if (!memory.recent.has(one.pod.uid)) count(memory, one);
    memory.recent.set(one.pod.uid, one);
    if (one.limiter) memory.latest.set(one.limiter, Math.max(memory.latest.get(one.limiter) ?? 0, one.at));
  }
  forget(memory, oldest);
  memory.newest = Math.max(memory.newest ?? oldest, read.evictions[0]?.at ?? oldest);
  if (read.isPartial) memory.partialAt = memory.newest;
}

/** Drops old entries, so that memory does not grow with deleted rules. */
function forget({ recent, latest, limiters, counted, countedAt, ended }: ProgressMemory, oldest: Instant): void {
  for (const [uid, { at }] of recent) if (at < oldest) recent.delete(uid);
  // Latest first; the last eviction of an episode is not later than its end.
  while ((ended.at(-1)?.until ?? oldest) < oldest) ended.pop();
  for (const [limiter, at] of latest) if (at < oldest) latest.delete(limiter);
  for (const [limiter, { readAt }] of limiters) if (readAt < oldest) limiters.delete(limiter);
  const standing = new Set([...limiters.keys()].map(tallyOf));
  for (const [origin, at] of countedAt) {
    if (at >= oldest || standing.has(origin)) continue;
    counted.delete(origin);
    countedAt.delete(origin);
  }
}

/** Counts like the tallies: for every rule and slice taint among the reasons, without pods that no longer existed. */
function count({ counted, countedAt, total }: ProgressMemory, { because, outcome, at }: RecentEviction): void {
  if (outcome === 'Gone') return;
  const origins = new Set(because.map((reason) => tallyOf(originKey(reason))));
  if (total && outcome === 'Evicted') {
    total.evicted += 1;
    if (origins.size > 1) total.shared += 1;
  }
  for (const origin of origins) {
    counted.set(origin, (counted.get(origin) ?? 0) + 1);
    countedAt.set(origin, Math.max(countedAt.get(origin) ?? 0, at));
  }
}

/** Time of a reading, not before any eviction read in it. Evictions from a clock far ahead have limited effect. */
export function momentOf({ newest = 0 }: ProgressMemory, now: Instant): Instant {
  return Math.max(now, Math.min(newest, now + overlap));
}

export function isPartial(memory: ProgressMemory, oldest: Instant): boolean {
  return memory.partialAt !== undefined && memory.partialAt >= oldest;
}

/**
 * Whether a limiter evicted pods that are neither in its listing nor in its tally, because both were read before the pods were
 * listed and before the last evictions. `before`: the counts before the last evictions were read.
 */
export function isBehind(
  memory: ProgressMemory,
  read: readonly LimiterFacts[],
  before: ReadonlyMap<string, number>,
): boolean {
  return read.some(({ limiter, listed, evicted }) => {
    const tally = tallyOf(limiter);
    const fresh = (memory.counted.get(tally) ?? 0) - (before.get(tally) ?? 0);
    if (fresh === 0) return false;
    const stillListed = listed.filter(({ uid }) => memory.recent.has(uid)).length;
    return fresh - stillListed > evicted - (memory.limiters.get(limiter)?.tallied ?? 0);
  });
}

/** Whether cached facts are still valid: the limiter listed no pod and has evicted none since. */
export function isQuiet(
  memory: ProgressMemory,
  { facts, readAt }: Remembered,
  by: { readonly gone: boolean; readonly now: Instant },
): boolean {
  if (facts.listed.length > 0 || facts.gone !== by.gone || by.now < readAt) return false;
  if (by.now - readAt >= (by.gone ? quietFor.gone : quietFor.standing)) return false;
  return (memory.latest.get(facts.limiter) ?? 0) < readAt - overlap;
}

/**
 * Reconciles a limiter's numbers with the last evictions, which were read later: a pod is either listed or evicted, never both,
 * and neither the evicted count nor the total of an active rule ever falls. A slice taint that comes back begins an episode.
 */
export function settle(memory: ProgressMemory, read: LimiterFacts, now: Instant): LimiterFacts {
  const before = memory.limiters.get(read.limiter);
  const counted = memory.counted.get(tallyOf(read.limiter)) ?? 0;
  const base = before?.base ?? Math.max(0, read.evicted - counted);
  const evicted = Math.max(before?.facts.evicted ?? 0, read.evicted, base + counted);
  const listed = read.listed.filter(({ uid }) => !memory.recent.has(uid));
  const episode = episodeAt(before, { ...read, evicted, listed }, now);
  const isNew = episode !== before?.episode;
  const ended = before && isNew ? endedEpisode(before, episode?.since ?? now) : undefined;
  if (ended) memory.ended.unshift(ended);
  const peak = peakOf(isNew ? undefined : before?.facts, { ...read, evicted, listed }, episode);
  const lastTotal = read.gone ? before?.facts.lastTotal : peak;
  const facts = { ...read, evicted, listed, ...(lastTotal === undefined ? {} : { lastTotal }) };
  const readAt = read.listed === before?.facts.listed ? before.readAt : now;
  const activeAt = isActive(before, facts) ? now : (before?.activeAt ?? now);
  memory.limiters.set(facts.limiter, { facts, base, readAt, activeAt, episode, tallied: read.evicted });
  return factsIn(episode, facts);
}

/** Highest total so far; restarts when the rule is edited, and while the episode has no pods. */
function peakOf(
  before: LimiterFacts | undefined,
  { evicted, listed, rule }: LimiterFacts,
  episode: Episode | undefined,
): number {
  const total = evicted + listed.length;
  const isSame = before?.rule?.generation === rule?.generation && before?.gone === false;
  return isSame && total > (episode?.before ?? 0) ? Math.max(before.lastTotal ?? 0, total) : total;
}
