// Counts the pods that Sluice deletes as the watch shows them, and measures how long after they were due.
import { readMarkedPod } from '../adapters/kubernetes/eviction.ts';
import { upstreamMetrics } from '../metrics.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';

/** Deletes since the watcher's start; seconds. */
export interface Durations {
  readonly count: number;
  readonly sum: number;
  /** Of those, how many took at most as long as each of `upstreamMetrics.DeletionDuration.buckets`. */
  readonly atMost: readonly number[];
}

export interface Deletions {
  readonly durations: Durations;
  /** A list begins; what it does not show is gone. */
  listBegins(): void;
  listEnds(): void;
  /** One pod as it is or, `gone`, as it was at last. */
  see(pod: unknown, gone?: boolean): void;
}

/** The answer to a DELETE tells its whole second only. */
const lastOfSecond = 999;

/**
 * A pod counts once, when it is first seen terminating. Those that the first list shows terminating were deleted before this
 * process began to count; those that come and go while no watch is open are not seen. `serverNow`: the API server's clock.
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
