// Counts pods that a rule reaches and eviction mode Skip keeps; no plan has them.
import type { TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { evaluatePod, isCounted } from './evaluate.ts';
import { listingsOf } from './limiter.ts';
import { alone, waysOnceResumed } from './livePlan.ts';

/** Pods that the taints reach and that mode Skip keeps, which no plan has. */
export function countSkipped(taints: readonly TaintRule[], snapshot: Snapshot, now: Instant): number {
  const by = alone(taints, snapshot, now);
  return snapshot.pods.filter((pod) => {
    const verdict = isCounted(pod) ? evaluatePod(pod, by.alone) : undefined;
    if (verdict?.kind !== 'EvictAt') return false;
    const wayOf = waysOnceResumed(pod, by.alone);
    return listingsOf(verdict).every(({ limiter }) => wayOf(limiter).mode === 'Skip');
  }).length;
}
