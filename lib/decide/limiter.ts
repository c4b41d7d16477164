// The limiters whose tokens a pod needs, and its place among the pods of a limiter's backlog.
import type { Ledger, LimiterId, Listing } from '../model/eviction.ts';
import { poolKey } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import { compareText } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { originKey, type Reason, type Verdict } from '../model/verdict.ts';

/**
 * One limiter per rule; for slice taints one per driver, key, value and effect, so that a fleet tainted by its driver has a single rate.
 */
export function limiterOf(reason: Reason): LimiterId {
  return originKey(reason);
}

/** Each limiter of a verdict with its earliest due time, sorted by limiter. */
export function listingsOf(verdict: Extract<Verdict, { kind: 'EvictAt' }>): readonly Listing[] {
  const earliest = new Map<LimiterId, Instant>();
  for (const reason of verdict.because) {
    const limiter = limiterOf(reason);
    earliest.set(limiter, Math.min(earliest.get(limiter) ?? reason.at, reason.at));
  }
  return [...earliest]
    .map(([limiter, dueAt]) => ({ limiter, dueAt }))
    .sort((a, b) => compareText(a.limiter, b.limiter));
}

/** Reasons stored with a pod, unless more limiters and pools need one each: far below DynamoDB's 400 KB item limit. */
export const reasonsKept = 128;

/** Of these, the first that keep their description, which has up to 1,024 characters. */
export const describedReasons = 32;

/**
 * The reasons to store, in their order: the earliest of each limiter, which says when the pod is due there, the first of each pool, by which
 * limits of pools count, and others while there is room.
 */
export function keptReasons(all: readonly Reason[]): Pick<Ledger, 'because' | 'more'> {
  const byTime = all.toSorted((a, b) => a.at - b.at);
  const needed = new Set([
    ...firsts(byTime, limiterOf),
    ...firsts(all, ({ device }) => poolKey(device.driver, device.pool)),
  ]);
  let room = reasonsKept - needed.size;
  const because = all
    .filter((reason) => needed.has(reason) || room-- > 0)
    .map((reason, i) => (i < describedReasons ? reason : undescribed(reason)));
  const more = all.length - because.length;
  return { because, ...(more && { more }) };
}

/** The first reason of each key. */
function firsts(reasons: readonly Reason[], keyOf: (reason: Reason) => string): Iterable<Reason> {
  return new Map(reasons.toReversed().map((one) => [keyOf(one), one])).values();
}

function undescribed(reason: Reason): Reason {
  const { description: _, ...taint } = reason.taint;
  return { ...reason, taint };
}

/** When the pod became due for the first of its taints; upstream measures from here. */
export function dueOf(because: readonly Reason[]): Instant | undefined {
  return because.length === 0 ? undefined : Math.min(...because.map((one) => one.at));
}

/** Priorities are int32 (PodSpec.priority). */
const lowestPriority = -(2 ** 31);
const highestPriority = 2 ** 31 - 1;

/** Ten digits hold every offset from the lowest priority, thirteen digits every creation time (ms) until the year 2286. */
const latestCreation = 9_999_999_999_999;

/** Evicts lower priority first, then the younger pod, which has less to lose. Sorts as text. A missing creation time counts as oldest. */
export function evictionOrder(pod: Pod): string {
  const priority = clamp(pod.priority ?? 0, lowestPriority, highestPriority) - lowestPriority;
  const youth = latestCreation - clamp(pod.creationTimestamp ?? 0, 0, latestCreation);
  return `${digits(priority, 10)}.${digits(youth, 13)}`;
}

function digits(value: number, width: number): string {
  return String(Math.round(value)).padStart(width, '0');
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
