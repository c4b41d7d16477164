// The texts of durations, times, selectors and numbers.
import { describe, expect, it } from 'vitest';
import {
  agoText,
  clockText,
  durationText,
  numberText,
  percentDone,
  planTimeText,
  rateText,
  selectorText,
  withinText,
} from '../../lib/view/words.ts';

describe('durations', () => {
  it.each([
    [-5, '0.0 s'],
    [0, '0.0 s'],
    [149, '0.1 s'],
    [9949, '9.9 s'],
    [9950, '10 s'],
    [59_499, '59 s'],
    [59_999, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
  ])('a duration of %i ms reads %s', (ms, text) => expect(durationText(ms)).toBe(text));

  it.each([
    [0, 'at once'],
    [49, 'at once'],
    [50, 'within 0.1 s'],
    [200_000, 'within 3 min 20 s'],
  ])('work that takes %i ms is done %s', (ms, text) => expect(withinText(ms)).toBe(text));

  it.each([
    [{ takes: 3500 }, ' within 3.5 s'],
    [{ takes: 3500, held: 'Paused by audit' }, ' within 3.5 s when not held; none now: Paused by audit'],
    [{ takes: 0, held: 'Paused by audit' }, ' at once when not held; none now: Paused by audit'],
    [{}, ', but none while the rate is 0'],
    [{ held: 'Paused by audit' }, ', but none while the rate is 0'],
    [{ takes: 0, pods: 2, paused: 2 }, ', but none now: their namespaces are paused'],
    [{ takes: 0, pods: 2, paused: 2, held: 'Paused by audit' }, ', but none now: Paused by audit'],
    [{ takes: 3500, pods: 2, paused: 1 }, ' within 3.5 s'],
    [{ takes: 0, pods: 0, paused: 0 }, ' at once'],
  ])('the time of a plan with %j reads "%s"', (plan, text) => expect(planTimeText(plan)).toBe(text));

  it.each([
    [0, 'just now'],
    [999, 'just now'],
    [1000, '1 s ago'],
    [59_999, '59 s ago'],
    [120_000, '2 min ago'],
  ])('an age of %i ms reads %s', (ms, text) => expect(agoText(ms)).toBe(text));

  it.each([
    [Date.UTC(2027, 0, 2, 3, 4, 5, 999), '03:04:05'],
    [Number.POSITIVE_INFINITY, '-'],
    [Number.NaN, '-'],
  ])('the clock time of %d reads %s', (at, text) => expect(clockText(at)).toBe(text));
});

describe('selectors', () => {
  it.each([
    [undefined, 'no device'],
    [{}, 'every device'],
    [{ driver: 'd' }, 'driver d'],
    [{ device: 'x', driver: 'd', pool: 'p' }, 'driver d, pool p, device x'],
  ])('the text of the selector %j is %s', (selector, text) => expect(selectorText(selector)).toBe(text));
});

describe('numbers', () => {
  it.each([
    [0, 0, 0],
    [0, 5, 0],
    [999, 1000, 99],
    [1000, 1000, 100],
    [1001, 1000, 100],
  ])('%i of %i is %i percent done: never 100 before the last', (done, total, percent) =>
    expect(percentDone(done, total)).toBe(percent),
  );

  it('numbers have thousands separators and rates keep four decimals', () => {
    expect(numberText(1_234_567)).toBe('1,234,567');
    expect(rateText({ perSecond: 0.0125, burst: 1000 })).toBe('0.0125/s, burst 1,000');
  });
});
