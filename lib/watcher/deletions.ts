// Counts the pods that Sluice deletes, as seen by the watch, and measures the delay since they were due.
import { readMarkedPod } from '../adapters/kubernetes/eviction.ts';
import { upstreamMetrics } from '../metrics.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';

/** Deletions since the watcher's start; durations in seconds. */
export interface Durations {
  readonly count: number;
  readonly sum: number;
  /** How many took at most as long as each of `upstreamMetrics.DeletionDuration.buckets`. */
  readonly atMost: readonly number[];
}

export interface Deletions {
  readonly durations: Durations;
  /** A list begins. Pods that it does not contain no longer exist. */
  listBegins(): void;
  listEnds(): void;
  /** Records a pod's state, or with `gone` its last state. */
  see(pod: unknown, gone?: boolean): void;
}

/** The response to a DELETE has whole seconds only. */
const lastOfSecond = 999;

/**
 * A pod counts once, when it is first seen terminating. Pods that are terminating in the first list were deleted before this process
 * started to count; pods created and deleted while no watch is open are not seen. `serverNow`: the API server's clock.
 */
export function createDeletions(serverNow: () => Instant): Deletions {
  const { buckets } = upstreamMetrics.DeletionDuration;
  let durations: Durations = { count: 0, sum: 0, atMost: buckets.map(() => 0) };
  let counted = new Set<Uid>();
  let listing: Set<Uid> | undefined;
  let isFirst = true;
  const count = (seconds: number) => {
    const atMost = durations.atMost.map((so, i) => so + (seconds <= (buckets[i] ?? 0) ? 1 : 0));
    durations = { count: durations.count + 1, sum: durations.sum + seconds, atMost };
  };
  return {
    get durations() {
      return durations;
    },
    listBegins() {
      listing = new Set();
    },
    listEnds() {
      if (listing) counted = listing;
      listing = undefined;
      isFirst = false;
    },
    see(pod, gone = false) {
      const marked = readMarkedPod(pod);
      if (!marked || (marked.deletedAt === undefined && !gone)) return;
      const now = serverNow();
      const { uid, due, deletedAt = now } = marked;
      if (!counted.has(uid) && !(isFirst && listing)) {
        const at = Math.min(Math.max(now, deletedAt), deletedAt + lastOfSecond);
        count(Math.max(0, at - due) / 1000);
      }
      if (gone) counted.delete(uid);
      else (listing ?? counted).add(uid);
    },
  };
}
