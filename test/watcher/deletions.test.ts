// Which pod deletions the watcher counts as Sluice's, once each, and the duration that it records.
import { describe, expect, it } from 'vitest';
import { upstreamMetrics } from '../../lib/metrics.ts';
import { createDeletions } from '../../lib/watcher/deletions.ts';

const due = Date.UTC(2026, 0, 2, 3, 4, 5);
const iso = (at: number) => new Date(at).toISOString();

interface Shape {
  readonly uid?: string;
  readonly type?: string;
  readonly status?: string;
  readonly deletedAt?: number;
  readonly grace?: number;
}

/** A marked pod, deleted with 30 s of grace if `deletedAt` is given. */
function podWith({ uid = 'u', type = 'sluice.dev/EvictionDue', status = 'True', deletedAt, grace = 30 }: Shape = {}) {
  const deletion =
    deletedAt === undefined
      ? {}
      : { deletionTimestamp: iso(deletedAt + grace * 1000), deletionGracePeriodSeconds: grace };
  return {
    metadata: { uid, ...deletion },
    status: { conditions: [{ type, status, lastTransitionTime: iso(due) }] },
  };
}

let now = due + 2000;

function watching(at = due + 2000) {
  now = at;
  const deletions = createDeletions(() => now);
  deletions.listBegins();
  deletions.listEnds();
  return deletions;
}

describe('counted deletions', () => {
  it.each([
    ['a marked pod that is terminating', podWith({ deletedAt: due + 2000 }), false, 1],
    ['a marked pod deleted without grace', podWith(), true, 1],
    ['a marked pod that still runs', podWith(), false, 0],
    ['a pod of the in-tree controller', podWith({ type: 'DisruptionTarget', deletedAt: due }), false, 0],
    ['a pod whose mark is not true', podWith({ status: 'False', deletedAt: due }), false, 0],
    ['a pod without conditions', { metadata: { uid: 'u', deletionTimestamp: iso(due) } }, true, 0],
    ['a value that is not a pod', 'pod', true, 0],
  ])('the watcher counts only deletions of pods that Sluice marked: %s', (_, pod, gone, count) => {
    const deletions = watching();
    deletions.see(pod, gone);
    expect(deletions.durations.count).toBe(count);
  });

  it('the deletion of a pod is counted once, however often watches and lists show it', () => {
    const deletions = watching();
    const pod = podWith({ deletedAt: due + 2000 });
    for (let i = 0; i < 3; i++) deletions.see(pod);
    for (let i = 0; i < 2; i++) {
      deletions.listBegins();
      deletions.see(pod);
      deletions.listEnds();
    }
    deletions.see(pod, true);
    expect(deletions.durations.count).toBe(1);
  });

  it('a pod that was terminating when the watcher started is not counted, not even when it is gone', () => {
    const deletions = createDeletions(() => now);
    const pod = podWith({ deletedAt: due });
    deletions.listBegins();
    deletions.see(pod);
    deletions.listEnds();
    deletions.see(pod, true);
    expect(deletions.durations.count).toBe(0);
  });

  it('a deletion that a later list is the first to show is counted', () => {
    const deletions = watching(due + 900_000);
    deletions.listBegins();
    deletions.see(podWith({ deletedAt: due + 2000 }));
    deletions.listEnds();
    expect(deletions.durations).toMatchObject({ count: 1, sum: 2.999 });
  });
});

describe('the duration of a deletion', () => {
  it.each([
    ['ends when the deletion is seen', due + 2000, due + 2140, 2.14],
    ['ends within the second of the deletion when it is seen late', due + 2000, due + 9000, 2.999],
    ['ends within the second of the deletion when clocks differ', due + 2000, due + 1000, 2],
    ['is zero when a clock makes it negative', due - 5000, due - 5000, 0],
  ])('the duration of a deletion %s', (_, deletedAt, seenAt, seconds) => {
    const deletions = watching(seenAt);
    deletions.see(podWith({ deletedAt }));
    expect(deletions.durations.sum).toBeCloseTo(seconds, 6);
  });

  it('a duration falls into every histogram bucket that is not below it', () => {
    const deletions = watching(due + 25);
    deletions.see(podWith({ uid: 'a', deletedAt: due }));
    now = due + 400_000;
    deletions.see(podWith({ uid: 'b', deletedAt: due + 400_000 }));
    expect(deletions.durations.atMost).toEqual(
      upstreamMetrics.DeletionDuration.buckets.map((le) => (le < 0.025 ? 0 : 1)),
    );
  });
});
