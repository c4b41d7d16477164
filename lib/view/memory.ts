// What a reader that asks every second keeps between two readings, so that a second one costs little.
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import type { RecentEviction } from '../state/recentRows.ts';
import type { LimiterFacts } from './facts.ts';

interface Remembered {
  readonly facts: LimiterFacts;
  readonly readAt: Instant;
}

export interface ProgressMemory {
  readonly recent: Map<Uid, RecentEviction>;
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
  const nothing = { recentReadAt: undefined, newest: undefined, partialAt: undefined };
  return { recent: new Map(), ...nothing, latest: new Map(), limiters: new Map() };
}

/** The list of last evictions costs a query per shard and changes what people see once a second. */
const recentEvery = 900;

export function isRecentDue(memory: ProgressMemory, now: Instant): boolean {
  return memory.recentReadAt === undefined || now < memory.recentReadAt || now - memory.recentReadAt >= recentEvery;
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
  for (const one of read.evictions) {
    memory.recent.set(one.pod.uid, one);
    if (one.limiter) memory.latest.set(one.limiter, Math.max(memory.latest.get(one.limiter) ?? 0, one.at));
  }
  for (const [uid, { at }] of memory.recent) if (at < oldest) memory.recent.delete(uid);
  for (const [limiter, at] of memory.latest) if (at < oldest) memory.latest.delete(limiter);
  memory.newest = Math.max(memory.newest ?? oldest, read.evictions[0]?.at ?? oldest);
  if (read.isPartial) memory.partialAt = memory.newest;
}

export function isPartial(memory: ProgressMemory, oldest: Instant): boolean {
  return memory.partialAt !== undefined && memory.partialAt >= oldest;
}

/** A limiter that listed nobody and has not evicted since may be shown as it was. */
export function isQuiet(
  memory: ProgressMemory,
  { facts, readAt }: Remembered,
  by: { readonly gone: boolean; readonly now: Instant },
): boolean {
  if (facts.listed.length > 0 || facts.gone !== by.gone || by.now < readAt) return false;
  if (by.now - readAt >= (by.gone ? quietFor.gone : quietFor.standing)) return false;
  return (memory.latest.get(facts.limiter) ?? 0) < readAt - overlap;
}

/** Keeps the facts; the total of a rule that stands is remembered for when it is gone. */
export function remember(memory: ProgressMemory, facts: LimiterFacts, now: Instant): LimiterFacts {
  const before = memory.limiters.get(facts.limiter)?.facts;
  const lastTotal = facts.gone ? before?.lastTotal : facts.evicted + facts.listed.length;
  const next = lastTotal === undefined ? facts : { ...facts, lastTotal };
  memory.limiters.set(facts.limiter, { facts: next, readAt: now });
  return next;
}
