// Which token buckets a pod waits at, and where it stands among the pods that wait with it.
import type { LimiterId, Listing } from '../model/eviction.ts';
import type { Pod } from '../model/objects.ts';
import { compareText } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { originKey, type Reason, type Verdict } from '../model/verdict.ts';

/** One limiter per rule; one per driver, key, value and effect for taints in slices, so that a fleet tainted by its driver is one. */
export function limiterOf(reason: Reason): LimiterId {
  return originKey(reason);
}

/** Each limiter of a verdict with the earliest of its taints' times, sorted by limiter. */
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

/** When the first of the pod's taints wanted it gone, which is where upstream measures from. */
export function dueOf(because: readonly Reason[]): Instant | undefined {
  return because.length === 0 ? undefined : Math.min(...because.map((one) => one.at));
}

/** Priorities are int32 (PodSpec.priority). */
const lowestPriority = -(2 ** 31);
const highestPriority = 2 ** 31 - 1;

/** Ten digits hold every priority above the lowest, thirteen every creation time until the year 2286. */
const latestCreation = 9_999_999_999_999;

/** Lower priority goes first, then the younger pod, which has less to lose. Sorts as text; a pod without a creation time counts as the oldest. */
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
