// What a reader that asks every second keeps between two readings, so that a second one costs little.
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { originKey } from '../model/verdict.ts';
import type { RecentEviction } from '../state/recentRows.ts';
import { tallyOf } from '../state/recordRows.ts';
import type { LimiterFacts } from './facts.ts';

interface Remembered {
  readonly facts: LimiterFacts;
  readonly readAt: Instant;
  /** Evicted before the first reading, as far as the list of last evictions does not say it. */
  readonly base: number;
  /** Evicted by its tally, as it was read. */
  readonly tallied: number;
}

export interface ProgressMemory {
  readonly recent: Map<Uid, RecentEviction>;
  /** Evictions read since the memory was made, by rule (its UID) or slice taint (its limiter) among their reasons. */
  readonly counted: Map<string, number>;
  /** When the newest of them was. */
  readonly countedAt: Map<string, Instant>;
  /** All that was read, also what is too old to be listed. */
  total: { evicted: number; readonly since: Instant } | undefined;
  recentReadAt: Instant | undefined;
  /** The newest finished eviction that was read. */
  newest: Instant | undefined;
  /** The newest one of a reading that left some out. */
  partialAt: Instant | undefined;
  /** The newest one of each limiter. */
  readonly latest: Map<LimiterId, Instant>;
  readonly limiters: Map<LimiterId, Remembered>;
}

/** Rows can appear this much later than their time says: other clocks, transactions under way. */
const overlap = 5000;

/** How old a picture of a limiter without pods may be; its evictions are noticed at once. */
const quietFor = { standing: 3000, gone: 30_000 } as const;

export function createMemory(): ProgressMemory {
  const nothing = { total: undefined, recentReadAt: undefined, newest: undefined, partialAt: undefined };
  return {
    recent: new Map(),
    counted: new Map(),
    countedAt: new Map(),
    ...nothing,
    latest: new Map(),
    limiters: new Map(),
  };
}

/** While nothing moves the list of last evictions, a query per shard, is read once a second. */
const recentEvery = 900;

/** Whether a picture of these limiters needs the last evictions read again. */
export function isRecentDue(memory: ProgressMemory, read: readonly LimiterFacts[], now: Instant): boolean {
  const { recentReadAt, limiters } = memory;
  if (recentReadAt === undefined || now < recentReadAt || now - recentReadAt >= recentEvery) return true;
  return read.some(
    ({ limiter, listed, evicted }) => listed.length > 0 || (limiters.get(limiter)?.facts.evicted ?? 0) < evicted,
  );
}

/** From where on the last evictions have to be read. */
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
  memory.total ??= { evicted: 0, since: read.evictions.at(-1)?.at ?? by.now };
  for (const one of read.evictions) {
    if (!memory.recent.has(one.pod.uid)) count(memory, one);
    memory.recent.set(one.pod.uid, one);
    if (one.limiter) memory.latest.set(one.limiter, Math.max(memory.latest.get(one.limiter) ?? 0, one.at));
  }
  forget(memory, oldest);
  memory.newest = Math.max(memory.newest ?? oldest, read.evictions[0]?.at ?? oldest);
  if (read.isPartial) memory.partialAt = memory.newest;
}

/** What is kept does not grow with the rules that were. */
function forget({ recent, latest, limiters, counted, countedAt }: ProgressMemory, oldest: Instant): void {
  for (const [uid, { at }] of recent) if (at < oldest) recent.delete(uid);
  for (const [limiter, at] of latest) if (at < oldest) latest.delete(limiter);
  for (const [limiter, { readAt }] of limiters) if (readAt < oldest) limiters.delete(limiter);
  const standing = new Set([...limiters.keys()].map(tallyOf));
  for (const [origin, at] of countedAt) {
    if (at >= oldest || standing.has(origin)) continue;
    counted.delete(origin);
    countedAt.delete(origin);
  }
}

/** As the tallies do: every rule and slice taint among the reasons, but no pod that was gone before its turn. */
function count({ counted, countedAt, total }: ProgressMemory, { because, outcome, at }: RecentEviction): void {
  if (outcome === 'Gone') return;
  if (total && outcome === 'Evicted') total.evicted += 1;
  for (const origin of new Set(because.map((reason) => tallyOf(originKey(reason))))) {
    counted.set(origin, (counted.get(origin) ?? 0) + 1);
    countedAt.set(origin, Math.max(countedAt.get(origin) ?? 0, at));
  }
}

/** When a picture is of: what was evicted while its reads continued is not later. A clock that is far ahead does not count. */
export function momentOf({ newest = 0 }: ProgressMemory, now: Instant): Instant {
  return Math.max(now, Math.min(newest, now + overlap));
}

export function isPartial(memory: ProgressMemory, oldest: Instant): boolean {
  return memory.partialAt !== undefined && memory.partialAt >= oldest;
}

/**
 * Whether a limiter evicted pods that its rows neither list nor count: they were read before the pods were listed, and are older than
 * the last evictions. `before`: what was counted before these were read.
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

/** A limiter that listed no pod and has not evicted since may be shown as it was. */
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
 * Makes the numbers of one limiter agree with the list of last evictions, which was read after them: a pod is listed or evicted and
 * never both, and neither what was evicted nor the total of a rule at work ever falls.
 */
export function settle(memory: ProgressMemory, read: LimiterFacts, now: Instant): LimiterFacts {
  const before = memory.limiters.get(read.limiter);
  const counted = memory.counted.get(tallyOf(read.limiter)) ?? 0;
  const base = before?.base ?? Math.max(0, read.evicted - counted);
  const evicted = Math.max(before?.facts.evicted ?? 0, read.evicted, base + counted);
  const listed = read.listed.filter(({ uid }) => !memory.recent.has(uid));
  const lastTotal = read.gone ? before?.facts.lastTotal : peakOf(before?.facts, { ...read, evicted, listed });
  const facts = { ...read, evicted, listed, ...(lastTotal === undefined ? {} : { lastTotal }) };
  const readAt = read.listed === before?.facts.listed ? before.readAt : now;
  memory.limiters.set(facts.limiter, { facts, base, readAt, tallied: read.evicted });
  return facts;
}

/** A rule that was edited, or that has nothing to do, begins again. */
function peakOf(before: LimiterFacts | undefined, { evicted, listed, rule }: LimiterFacts): number {
  const total = evicted + listed.length;
  const isSame = before?.rule?.generation === rule?.generation && before?.gone === false;
  return isSame && total > 0 ? Math.max(before.lastTotal ?? 0, total) : total;
}
