// The pace that pages and terminal show for a rule: never more than its rate and burst allow.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeTokens } from '../../lib/decide/bucket.ts';
import { paceSeen, paceText } from '../../lib/view/pace.ts';

/** Evictions per second of the last two minutes; `last` ends now. */
const counts = (...last: readonly number[]) => [...new Array<number>(120 - last.length).fill(0), ...last];

describe('the pace of a rule', () => {
  it.each<[string, readonly number[], { perSecond: number; burst: number }, string]>([
    [
      '4/s with a burst of 3 right after its start',
      counts(7, 4, 4, 4),
      { perSecond: 4, burst: 3 },
      '4.0/s, with a burst',
    ],
    [
      'six in a second that five quiet ones precede',
      counts(4, 4, 4, 4, 6, 4, 4, 4, 4, 4),
      { perSecond: 4, burst: 3 },
      '4.0/s, with a burst',
    ],
    ['the mean of ten seconds', counts(4, 4, 4, 4, 4, 4, 4, 6, 3, 4, 4, 3, 4, 4), { perSecond: 4, burst: 1 }, '4.0/s'],
    ['since its start', counts(1, 1, 1), { perSecond: 1, burst: 1 }, '1.0/s'],
    ['one eviction of a slow rule', counts(1), { perSecond: 0.1, burst: 1 }, '0.10/s'],
    ['an earlier rate', counts(10, 10, 10, 10, 10), { perSecond: 1, burst: 1 }, '10.0/s'],
    ['no eviction', counts(), { perSecond: 4, burst: 3 }, '0.0/s'],
    ['a rate of 0', counts(), { perSecond: 0, burst: 0 }, '0.000/s'],
  ])('the pace of a rule: %s', (_, seen, rate, text) => {
    const { pace, note } = paceText(seen, rate);
    expect(`${pace}${note}`).toBe(text);
  });

  it('the pace of a rule is never said to exceed its rate, whatever tokens its bucket gives', () => {
    const history = fc.record({
      perSecond: fc.constantFrom(0.5, 1, 4, 10),
      burst: fc.integer({ min: 1, max: 20 }),
      wanted: fc.integer({ min: 1, max: 400 }),
      idle: fc.integer({ min: 0, max: 100_000 }),
      ago: fc.integer({ min: 0, max: 100_000 }),
    });
    fc.assert(
      fc.property(history, ({ perSecond, burst, wanted, idle, ago }) => {
        const now = 1_000_000_000;
        const ahead = Number.POSITIVE_INFINITY;
        const rate = { perSecond, burst };
        const first = takeTokens({ rate, bucket: undefined, now: now - ago - idle, wanted: 3, ahead });
        const then = takeTokens({ rate, bucket: first.bucket, now: now - ago, wanted, ahead });
        const seen = counts();
        for (const at of [...first.tokens, ...then.tokens].map((one) => Math.max(one, now - ago - idle))) {
          const index = 120 - (Math.floor(now / 1000) - Math.floor(at / 1000));
          if (at < now && index >= 0 && index < 120) seen[index] = (seen[index] ?? 0) + 1;
        }
        expect(paceSeen(seen, rate).pace).toBeLessThanOrEqual(perSecond);
      }),
    );
  });
});

it('a limiter without counts has a pace of 0', () =>
  expect(paceSeen([], { perSecond: 4, burst: 1 })).toEqual({ pace: 0, hasBurst: false }));
