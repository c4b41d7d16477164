// Tokens of a limiter: their bound, edits of the rate, clock jumps, and the limit of the whole cluster.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterRate, periodOf, type Taken, takeTokens } from '../../lib/decide/bucket.ts';
import { lastUse, tokenLifetime } from '../../lib/decide/token.ts';
import type { Bucket, Rate } from '../../lib/model/eviction.ts';

const now = 1_800_000_000_000;
const take = (bucket: Bucket | undefined, rate: Rate, at: number, wanted = 1, ahead = 0): Taken =>
  takeTokens({ bucket, rate, now: at, wanted, ahead });

describe('the period of a token', () => {
  it.each([
    [{ perSecond: 1, burst: 1 }, 1_000_000],
    [{ perSecond: 3, burst: 1 }, 333_334],
    [{ perSecond: 0.0001, burst: 1 }, 10_000_000_000],
    [{ perSecond: 0, burst: 1 }, undefined],
    [{ perSecond: -1, burst: 1 }, undefined],
    [{ perSecond: Number.NaN, burst: 1 }, undefined],
    [{ perSecond: 1, burst: 0 }, undefined],
    [{ perSecond: 1, burst: 0.5 }, undefined],
    [{ perSecond: 1, burst: Number.NaN }, undefined],
  ])(
    'the period of a token at %j is %s microseconds, rounded up so that the rate is never exceeded',
    (rate, period) => {
      expect(periodOf(rate)).toBe(period);
    },
  );

  it.each([
    [0.5, { perSecond: 0.5, burst: 1 }],
    [1, { perSecond: 1, burst: 1 }],
    [7.9, { perSecond: 7.9, burst: 7 }],
  ])('the burst of a cluster limited to %d a second is one second of tokens, at least one', (perSecond, rate) => {
    expect(clusterRate(perSecond)).toEqual(rate);
  });
});

describe('a bucket', () => {
  const rate = { perSecond: 2, burst: 3 };

  it('a new bucket is full: it gives its burst and then one token each period', () => {
    const { tokens, next } = take(undefined, rate, now, 5, 1000);
    expect(tokens).toEqual([now - 1000, now - 500, now, now + 500, now + 1000]);
    expect(next).toBe(now + 1500);
  });

  it('a bucket gives at most as many tokens as requested and none later than requested', () => {
    expect(take(undefined, rate, now, 2, 1000).tokens).toHaveLength(2);
    expect(take(undefined, rate, now, 9, 499).tokens).toHaveLength(3);
    expect(take(undefined, rate, now, 0, 1000)).toMatchObject({ tokens: [], next: now - 1000 });
  });

  it('a bucket gains one token each period, up to its burst', () => {
    const { bucket } = take(undefined, rate, now, 3);
    expect(take(bucket, rate, now).tokens).toEqual([]);
    expect(take(bucket, rate, now).next).toBe(now + 500);
    expect(take(bucket, rate, now + 499).tokens).toEqual([]);
    expect(take(bucket, rate, now + 500).tokens).toHaveLength(1);
    expect(take(bucket, rate, now + 86_400_000, 9).tokens).toHaveLength(3);
  });

  it('a bucket keeps the exact time of its next token while the rate is unchanged, however often it is read', () => {
    const third = { perSecond: 3, burst: 1 };
    const { bucket } = take(undefined, third, now);
    for (const wait of [1, 72, 144, 287]) {
      const asked = take(bucket, third, now + wait);
      expect(asked.bucket?.tat).toBe(bucket?.tat);
      expect(asked.tokens).toEqual([]);
    }
  });

  it('a bucket with rate 0 or burst 0 gives no token and has no next token', () => {
    for (const still of [
      { perSecond: 0, burst: 3 },
      { perSecond: 2, burst: 0 },
    ])
      expect(take(undefined, still, now, 3, 1e9)).toEqual({ tokens: [] });
  });

  it('a bucket keeps its debt when the clock jumps back', () => {
    const { bucket } = take(undefined, rate, now, 3);
    expect(take(bucket, rate, now - 3_600_000, 3).tokens).toEqual([]);
    expect(take(bucket, { ...rate, perSecond: 4 }, now - 3_600_000, 3).tokens).toEqual([]);
  });
});

describe('an edit of the rate', () => {
  const slow = { perSecond: 0.001, burst: 1 };

  it('repeated edits of the rate neither return the token that was taken nor add one', () => {
    let { tokens, bucket } = take(undefined, slow, now);
    expect(tokens).toHaveLength(1);
    for (let i = 1; i <= 20; i++) {
      const edited = { perSecond: i % 2 ? 0.0011 : 0.001, burst: 1 };
      ({ tokens, bucket } = take(bucket, edited, now + i * 3000));
      expect(tokens).toEqual([]);
    }
  });

  it('an edit of the rate keeps the debt in tokens, which is repaid at the new rate', () => {
    const { bucket } = take(undefined, slow, now);
    const fast = take(bucket, { perSecond: 10, burst: 1 }, now + 1);
    expect(fast.tokens).toEqual([]);
    expect(fast.next).toBeLessThanOrEqual(now + 102);
    const one = take(undefined, { perSecond: 10, burst: 1 }, now);
    expect(take(one.bucket, slow, now + 50).next).toBeGreaterThan(now + 990_000);
  });

  it.each([
    ['at the old rate when that is slower', { from: 1, to: 10, wait: 1000 }, 1100],
    ['at the new rate when that is slower', { from: 10, to: 1, wait: 100 }, 2000],
    ['not at all when it comes before the token was taken', { from: 1, to: 10, wait: -1000 }, 200],
  ])('an edit of the rate credits the time before it %s', (_, { from, to, wait }, next) => {
    const { bucket } = take(undefined, { perSecond: from, burst: 2 }, now, 2);
    expect(take(bucket, { perSecond: to, burst: 1 }, now + wait).next).toBe(now + next);
  });

  it('an edit of the burst alone adds the tokens of a larger burst and gives none for a smaller one', () => {
    const { bucket } = take(undefined, { perSecond: 1, burst: 2 }, now, 2);
    expect(take(bucket, { perSecond: 1, burst: 5 }, now, 9).tokens).toHaveLength(3);
    expect(take(bucket, { perSecond: 1, burst: 1 }, now, 9).tokens).toEqual([]);
  });
});

describe('the bound of tokens', () => {
  const rates = fc.record({
    perSecond: fc.constantFrom(0.1, 0.7, 1, 3, 10, 100),
    burst: fc.integer({ min: 1, max: 20 }),
  });
  const asks = fc.array(
    fc.record({
      wait: fc.integer({ min: -2000, max: 5000 }),
      wanted: fc.integer({ min: 0, max: 30 }),
      ahead: fc.constantFrom(0, 500, 1000),
    }),
    { maxLength: 40 },
  );
  /** The largest number of tokens in any window, less what the rate allows in it. */
  const excess = (at: readonly number[], perSecond: number) => {
    const sorted = at.toSorted((a, b) => a - b);
    let most = 0;
    for (const [i, from] of sorted.entries())
      for (const [k, to] of sorted.slice(i).entries()) most = Math.max(most, k + 1 - (perSecond * (to - from)) / 1000);
    return most;
  };

  it('a bucket gives at most burst + rate · t tokens in any time t, whenever and however many are requested', () => {
    fc.assert(
      fc.property(rates, asks, (rate, all) => {
        let [at, latest] = [now, now];
        let bucket: Bucket | undefined;
        const used: number[] = [];
        for (const { wait, wanted, ahead } of all) {
          at += wait;
          latest = Math.max(latest, at);
          const taken = take(bucket, rate, at, wanted, ahead);
          bucket = taken.bucket;
          used.push(...taken.tokens.map((token) => Math.max(token, at)));
        }
        // A clock that goes back makes tokens appear earlier than they were taken, by as much.
        const back = Math.max(0, ...all.map(({ wait }) => -wait));
        expect(excess(used, rate.perSecond)).toBeLessThanOrEqual(rate.burst + (rate.perSecond * back) / 1000 + 1e-3);
      }),
    );
  });

  it('the bound of tokens under edits is that of the fastest rate and the largest burst', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(rates, fc.integer({ min: 0, max: 3000 })), { maxLength: 30 }), (edits) => {
        let at = now;
        let bucket: Bucket | undefined;
        const used: number[] = [];
        for (const [rate, wait] of edits) {
          at += wait;
          const taken = take(bucket, rate, at, 30);
          bucket = taken.bucket ?? bucket;
          used.push(...taken.tokens.map(() => at));
        }
        const perSecond = Math.max(0, ...edits.map(([rate]) => rate.perSecond));
        const burst = Math.max(0, ...edits.map(([rate]) => rate.burst));
        expect(excess(used, perSecond)).toBeLessThanOrEqual(burst + 1e-3);
      }),
    );
  });

  it('the limit of a cluster bounds the tokens of all its limiters together', () => {
    fc.assert(
      fc.property(asks, fc.constantFrom(0.5, 2, 7), (all, limit) => {
        let at = now;
        let cluster: Bucket | undefined;
        const own: (Bucket | undefined)[] = [undefined, undefined];
        const used: number[] = [];
        for (const [i, { wait, wanted, ahead }] of all.entries()) {
          at += Math.abs(wait);
          const rate = { perSecond: 100, burst: 5 };
          const taken = takeTokens({
            rate,
            bucket: own[i % 2],
            cluster: { rate: clusterRate(limit), bucket: cluster },
            now: at,
            wanted,
            ahead,
          });
          own[i % 2] = taken.bucket;
          cluster = taken.cluster;
          used.push(...taken.tokens.map((token) => Math.max(token, at)));
        }
        expect(excess(used, limit)).toBeLessThanOrEqual(clusterRate(limit).burst + 1e-3);
      }),
    );
  });

  it('a cluster with rate 0 gives no token to its limiters', () => {
    const cluster = { rate: { perSecond: 0, burst: 1 }, bucket: undefined };
    expect(
      takeTokens({ rate: { perSecond: 1, burst: 1 }, bucket: undefined, cluster, now, wanted: 1, ahead: 0 }),
    ).toEqual({
      tokens: [],
    });
  });
});

it.each([
  ['its time, when that is later', { at: now + 500, takenAt: now }, now + 500],
  ['the moment it was taken, when its time is earlier', { at: now - 9000, takenAt: now }, now],
])('a token may be used for 0.8 s after %s', (_, token, from) => {
  expect(lastUse(token)).toBe(from + tokenLifetime);
  expect(tokenLifetime).toBe(800);
});
