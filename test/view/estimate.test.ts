// The estimated times of the next and of the last eviction, checked against the bucket that grants the tokens.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeTokens } from '../../lib/decide/bucket.ts';
import { estimate, tokensIn } from '../../lib/view/estimate.ts';
import { tallyStandings } from '../../lib/view/standing.ts';

const now = 1_800_000_000_000;
const pending = (n: number) => tallyStandings(Array.from({ length: n }, () => ({ kind: 'Pending' as const })));

describe('the estimate of a limiter', () => {
  it.each([
    ['no pod is listed', pending(0), { perSecond: 10, burst: 10 }],
    ['the rate is 0', pending(5), { perSecond: 0, burst: 10 }],
    ['the burst is 0', pending(5), { perSecond: 10, burst: 0 }],
  ])('the estimate is empty if %s', (_, standings, rate) =>
    expect(estimate({ standings, rate, bucket: undefined, now })).toEqual({}),
  );

  it('the estimate is empty if all pods are being deleted', () => {
    const standings = tallyStandings([{ kind: 'Deleting' }, { kind: 'Deleting' }]);
    expect(estimate({ standings, rate: { perSecond: 2, burst: 1 }, bucket: undefined, now })).toEqual({});
  });

  it.each<[string, readonly number[], number, boolean]>([
    ['the rate, if evictions reach it', Array(20).fill(10), 9900, false],
    ['the pace of the last seconds, if other limits keep it below the rate', Array(20).fill(2), 49_500, true],
    ['the rate, in the first seconds of evictions', [...Array(16).fill(0), 2, 2, 2, 2], 9900, false],
    ['the rate, after the first pods of a canary', [...Array(15).fill(0), 3, 0, 0, 0, 0, 0, 3, 4, 4, 2], 9900, false],
    [
      'the rate, after a canary whose pods are still among the last seconds',
      [...Array(12).fill(0), 3, 3, 3, 0, 0, 0, 0, 10],
      9900,
      false,
    ],
    [
      'the pace, if evictions come one by one with seconds between',
      [...Array(10).fill(0), 1, 0, 0, 0, 1, 0, 0, 0, 1, 0],
      495_000,
      true,
    ],
  ])('the estimated end follows %s', (_, perSecond, after, isSlowed) => {
    const rate = { perSecond: 10, burst: 1 };
    const shown = estimate({ standings: pending(100), rate, bucket: undefined, now, perSecond });
    expect([shown.nextAt, shown.finishAt, shown.isSlowed ?? false]).toEqual([now, now + after, isSlowed]);
  });

  it('the estimate is empty while tokens are free and no pod takes one', () => {
    const perSecond = [...Array(15).fill(2), 0, 0, 0, 0, 0];
    const shown = estimate({
      standings: pending(5),
      rate: { perSecond: 2, burst: 1 },
      bucket: undefined,
      now,
      perSecond,
    });
    expect(shown).toEqual({});
  });

  it('the estimated end is the last due time if the bucket is full again by then', () => {
    const dueTimes = [now + 60_000, now + 60_000, now + 90_000];
    const standings = tallyStandings(dueTimes.map((dueAt) => ({ kind: 'Waiting' as const, dueAt })));
    expect(estimate({ standings, rate: { perSecond: 1, burst: 2 }, bucket: undefined, now })).toEqual({
      nextAt: now + 60_000,
      finishAt: now + 90_000,
    });
  });

  it('the estimate is the schedule of the bucket for any backlog, rate and history', () => {
    const history = fc.record({
      waiting: fc.integer({ min: 1, max: 40 }),
      before: fc.integer({ min: 0, max: 30 }),
      age: fc.integer({ min: 0, max: 5000 }),
      perSecond: fc.constantFrom(0.5, 1, 3, 10, 50),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(history, ({ waiting, before, age, perSecond, burst }) => {
        const rate = { perSecond, burst };
        const all = { rate, ahead: Number.POSITIVE_INFINITY };
        const { bucket } = takeTokens({ ...all, bucket: undefined, now: now - age, wanted: before });
        const promised = estimate({ standings: pending(waiting), rate, bucket, now });
        const { tokens } = takeTokens({ ...all, bucket, now, wanted: waiting });
        expect(promised.nextAt).toBeCloseTo(Math.max(now, tokens[0] ?? 0), 0);
        expect(promised.finishAt).toBeCloseTo(Math.max(now, tokens.at(-1) ?? 0), 0);
      }),
    );
  });
});

describe('the tokens of a bucket', () => {
  const rate = { perSecond: 2, burst: 3 };
  const period = 500_000;
  it.each<[string, number, Parameters<typeof tokensIn>[0]]>([
    ['the whole burst before the first one is taken', 3, { rate, bucket: undefined, now }],
    ['none right after all were taken', 0, { rate, bucket: { tat: (now + 1500) * 1000, period, at: now * 1000 }, now }],
    [
      'refilled one by one at the rate',
      2,
      { rate, bucket: { tat: (now + 1500) * 1000, period, at: now * 1000 }, now: now + 1000 },
    ],
    ['none at a rate of 0', 0, { rate: { perSecond: 0, burst: 3 }, bucket: undefined, now }],
  ])('the tokens of a bucket are %s', (_, tokens, of) => expect(tokensIn(of)).toBe(tokens));
});
