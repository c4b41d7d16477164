// A slice taint that comes back under the same limiter: each of its episodes has its own numbers.
import { describe, expect, it } from 'vitest';
import type { RecentEviction } from '../../lib/state/recentRows.ts';
import { assembleProgress } from '../../lib/view/assemble.ts';
import { quietBetween } from '../../lib/view/episodes.ts';
import type { LimiterFacts } from '../../lib/view/facts.ts';
import { createMemory, rememberRecent, settle } from '../../lib/view/memory.ts';
import type { LimiterProgress } from '../../lib/view/progress.ts';

const start = 1_800_000_000_000;
const second = 1000;
const limiter = 'slice|tpu.example.com|unhealthy||NoExecute';

/** A reader of one slice taint, and the table behind it. */
function aReader() {
  const memory = createMemory();
  let now = start;
  let evicted = 0;
  let listed: readonly string[] = [];
  let fresh: RecentEviction[] = [];
  const read = (): readonly LimiterProgress[] => {
    rememberRecent(memory, { evictions: fresh.toReversed(), isPartial: false }, { now, oldest: now - 600 * second });
    fresh = [];
    const facts: LimiterFacts = {
      limiter,
      gone: false,
      isEvaluating: false,
      listed: listed.map((uid) => ({ uid, sk: `DUE#${uid}` })),
      isPartial: false,
      evicted,
    };
    const limiters = [settle(memory, facts, now), ...memory.ended];
    const recent = [...memory.recent.values()].sort((a, b) => b.at - a.at);
    return assembleProgress({
      cluster: 'prod',
      now,
      heardAt: now,
      pauses: '',
      plans: [],
      limiters,
      recent,
      recentIsPartial: false,
      window: 600 * second,
    }).limiters;
  };
  return {
    read,
    list(uids: readonly string[]) {
      listed = [...listed, ...uids];
    },
    takeBack() {
      listed = [];
    },
    evict(count: number) {
      for (const uid of listed.slice(0, count)) {
        evicted += 1;
        fresh.push(evictionOf(uid, now));
      }
      listed = listed.slice(count);
    },
    pass(time: number) {
      now += time;
    },
  };
}

function evictionOf(uid: string, at: number): RecentEviction {
  const device = { driver: 'tpu.example.com', pool: 'p', device: 'g' };
  const taint = { key: 'unhealthy', value: '', effect: 'NoExecute', timeAdded: at } as const;
  const origin = { kind: 'Slice', sliceKind: 'DeviceTaintSlice', name: 'agent', index: 0 } as const;
  const because = [{ origin, device, taint, claim: { namespace: 'ns', name: uid }, at }];
  return { pod: { namespace: 'ns', name: uid, uid }, at, outcome: 'Evicted', limiter, because };
}

const pods = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

const numbers = ({ state, counts, total, kept, done }: LimiterProgress) => ({
  state,
  evicted: counts.evicted,
  total,
  ...(kept === undefined ? {} : { kept }),
  ...(done === undefined ? {} : { done: done.pods, missed: done.missed }),
});

/** One episode of nine pods, all evicted. */
function firstEpisode(reader: ReturnType<typeof aReader>): void {
  reader.read();
  reader.list(pods('first', 9));
  reader.read();
  for (let i = 0; i < 9; i++) {
    reader.pass(250);
    reader.evict(1);
    reader.read();
  }
}

const finished = { state: 'Completed', evicted: 9, total: 9, done: 9, missed: 0 };

describe('a slice taint that comes back', () => {
  it('a slice taint that comes back counts its pods from nothing, beside the finished episode with what was done', () => {
    const reader = aReader();
    firstEpisode(reader);
    expect(reader.read().map(numbers)).toEqual([finished]);
    reader.pass(2 * quietBetween);
    reader.read();
    reader.list(pods('second', 12));
    reader.pass(second);
    expect(reader.read().map(numbers)).toEqual([{ state: 'Evicting', evicted: 0, total: 12 }, finished]);
    reader.pass(second);
    reader.evict(5);
    expect(reader.read().map(numbers)).toEqual([{ state: 'Evicting', evicted: 5, total: 12 }, finished]);
    reader.evict(7);
    const second12 = { state: 'Completed', evicted: 12, total: 12, done: 12, missed: 0 };
    expect(reader.read().map(numbers)).toEqual([second12, finished]);
  });

  it('a slice taint that comes back is not shown again after it was taken back without an eviction, and what was done before stays', () => {
    const reader = aReader();
    firstEpisode(reader);
    reader.pass(2 * quietBetween);
    reader.read();
    reader.list(pods('second', 12));
    expect(reader.read().map(numbers)).toEqual([{ state: 'Evicting', evicted: 0, total: 12 }, finished]);
    reader.pass(20 * second);
    reader.takeBack();
    expect(reader.read().map(numbers)).toEqual([finished]);
  });

  it('a slice taint that comes back counts pods of the same episode if pods were listed within half a minute', () => {
    const reader = aReader();
    firstEpisode(reader);
    reader.pass(quietBetween / 2);
    reader.read();
    reader.list(pods('again', 3));
    expect(reader.read().map(numbers)).toEqual([{ state: 'Evicting', evicted: 9, total: 12 }]);
  });

  it('a slice taint that comes back begins an episode also if all of its pods were evicted between two readings', () => {
    const reader = aReader();
    firstEpisode(reader);
    reader.pass(2 * quietBetween);
    reader.read();
    reader.list(pods('second', 2));
    reader.evict(2);
    reader.pass(second);
    const second2 = { state: 'Completed', evicted: 2, total: 2, done: 2, missed: 0 };
    expect(reader.read().map(numbers)).toEqual([second2, finished]);
  });

  it('a reader forgets a finished episode ten minutes after it ended', () => {
    const reader = aReader();
    firstEpisode(reader);
    reader.pass(2 * quietBetween);
    reader.list(pods('second', 1));
    for (let minute = 0; minute <= 10; minute++) {
      reader.read();
      reader.pass(60 * second);
    }
    expect(reader.read().map(numbers)).toEqual([{ state: 'Evicting', evicted: 0, total: 1 }]);
  });
});

describe('a slice taint that is taken back in the middle', () => {
  it('a slice taint that is taken back has stopped and says how many pods were kept, and is not completed', () => {
    const reader = aReader();
    reader.read();
    reader.list(pods('pod', 30));
    reader.read();
    reader.evict(13);
    reader.read();
    reader.takeBack();
    expect(reader.read().map(numbers)).toEqual([{ state: 'Stopped', evicted: 13, total: 30, kept: 17 }]);
  });
});
