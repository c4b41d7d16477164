// Slots of a bucket: the burst, the steps, the horizon, and what stands still.
import { describe, expect, it } from 'vitest';
import { floorOf, gainsBy, lastUsable, reserve, stepOf } from '../../lib/decide/pace.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { defaultRate } from '../../lib/model/eviction.ts';
import { rule } from '../support/builders.ts';

const rate = { perSecond: 10, burst: 3 };

describe('a bucket', () => {
  it('that was never used gives its burst at once and then one slot per step', () => {
    const { bucket, slots } = reserve(undefined, { rate, wanted: 5, now: 1000 });
    expect(slots).toEqual([800, 900, 1000, 1100, 1200]);
    expect(bucket).toEqual({ tat: 1_300_000 });
  });

  it('goes on where it stands', () => {
    const { bucket } = reserve(undefined, { rate, wanted: 5, now: 1000 });
    expect(reserve(bucket, { rate, wanted: 1, now: 1000 }).slots).toEqual([1300]);
  });

  it('fills up to the burst and no further while it is not used', () => {
    const { bucket } = reserve(undefined, { rate, wanted: 5, now: 1000 });
    expect(reserve(bucket, { rate, wanted: 4, now: 1400 }).slots).toEqual([1300, 1400, 1500, 1600]);
    expect(reserve(bucket, { rate, wanted: 4, now: 60_000 }).slots).toEqual([59_800, 59_900, 60_000, 60_100]);
  });

  it('mints nothing when the clock goes back', () => {
    const { bucket } = reserve(undefined, { rate, wanted: 5, now: 1000 });
    expect(reserve(bucket, { rate, wanted: 2, now: 0 }).slots).toEqual([1300, 1400]);
  });

  it('gives no slot beyond the horizon and stays where it is when there is none', () => {
    const request = { rate, wanted: 10, now: 1000, horizon: 150 };
    const first = reserve(undefined, request);
    expect(first.slots).toEqual([800, 900, 1000, 1100]);
    expect(reserve(first.bucket, request)).toEqual({ bucket: first.bucket, slots: [] });
    expect(reserve(undefined, { ...request, horizon: 100 }).slots).toEqual([800, 900, 1000, 1100]);
    expect(reserve({ tat: 1_101_000 }, { ...request, horizon: 100 }).slots).toEqual([]);
  });

  it('gives nothing where nothing is wanted', () => {
    const bucket = { tat: 5 };
    expect(reserve(bucket, { rate, wanted: 0, now: 0 })).toEqual({ bucket, slots: [] });
    expect(reserve(bucket, { rate, wanted: -1, now: 0 })).toEqual({ bucket, slots: [] });
    expect(reserve(bucket, { rate, wanted: 0, now: 5000 })).toEqual({ bucket, slots: [] });
    expect(reserve(undefined, { rate, wanted: 0, now: 0 })).toEqual({ bucket: undefined, slots: [] });
    expect(reserve(bucket, { rate, wanted: 1.9, now: 0 }).slots).toHaveLength(1);
  });

  it.each([
    { perSecond: 0, burst: 10 },
    { perSecond: -1, burst: 10 },
    { perSecond: Number.NaN, burst: 10 },
    { perSecond: 10, burst: 0 },
    { perSecond: 10, burst: 0.5 },
    { perSecond: 10, burst: Number.NaN },
  ])('stands still at %o', (still) => {
    expect(reserve(undefined, { rate: still, wanted: 1, now: 0 })).toEqual({ bucket: undefined, slots: [] });
    expect(stepOf(still)).toBeUndefined();
    expect(floorOf(still, 0)).toBeUndefined();
  });

  it('takes steps of whole microseconds, never shorter than the rate asks for', () => {
    expect(stepOf({ perSecond: 3, burst: 1 })).toBe(333_334);
    expect(stepOf({ perSecond: 0.0167, burst: 1 })).toBe(59_880_240);
    expect(floorOf(rate, 1000)).toBe(800_000);
    expect(floorOf({ perSecond: 10, burst: 1.7 }, 1000.0004)).toBe(1_000_000);
  });
});

it('a slot may be used until its lateness is over; one that lay in the past counts from when it was given', () => {
  expect(lastUsable({ slot: 500, reservedAt: 100 }, 1000)).toBe(1500);
  expect(lastUsable({ slot: 100, reservedAt: 500 }, 1000)).toBe(1500);
});

describe('the rate of a limiter', () => {
  const annotated = (annotations: Record<string, string>) =>
    rateOf('rule|rule-uid', { rules: [rule({ name: 'x' }), rule({ annotations })] }, 0);

  it.each([
    ['of a slice taint', 'slice|d|k|v|NoExecute', rule()],
    ['of an unknown rule', 'rule|x', rule()],
    ['of a rule without annotations', 'rule|rule-uid', rule()],
    ['of a rule with others', 'rule|rule-uid', rule({ annotations: { 'sluice.dev/x': '1' } })],
  ])('%s is ten per second, burst ten', (_, limiter, one) => {
    expect(rateOf(limiter, { rules: [rule({ name: 'x', uid: 'x-uid' }), one] }, 0)).toEqual(defaultRate);
  });

  it.each([
    ['0.0167', 0.0167],
    ['10000', 10_000],
    ['0', 0],
    ['2.5', 2.5],
    ['10001', 0],
    ['1e3', 0],
    ['-1', 0],
    ['1.23456', 0],
    ['', 0],
    [' 1', 0],
    ['1 ', 0],
    ['.5', 0],
    ['1.', 0],
    ['fast', 0],
  ])('%j per second is %d', (text, perSecond) => {
    expect(annotated({ 'sluice.dev/evictions-per-second': text })).toEqual({ perSecond, burst: 10 });
  });

  it.each([
    ['1', 1],
    ['10000', 10_000],
    ['10001', 0],
    ['1.5', 0],
    ['x1', 0],
    ['1x', 0],
  ])('a burst of %j is %d', (text, burst) => {
    expect(annotated({ 'sluice.dev/burst': text })).toEqual({ perSecond: 10, burst });
  });
});

describe('a slot of another limiter', () => {
  const offer = (slot: number, now = 0) => ({ limiter: 'fast', slot, now });
  const held = (limiter: string, slot: number) => ({ limiter, slot, epoch: 1, reservedAt: 0 });

  it.each([
    ['is welcome to a pod without one', undefined, offer(9000), true],
    ['is taken when it is a second earlier', held('slow', 5000), offer(4000), true],
    ['is left when it is less than that', held('slow', 5000), offer(4001), false],
    ['is left when it is later', held('slow', 5000), offer(6000), false],
    ['of a burst counts from now, not from the past it is dated to', held('slow', 5000), offer(1000, 4500), false],
    ['that is its own is not taken twice', held('fast', 5000), offer(0), false],
  ])('%s', (_, reservation, offered, expected) => {
    expect(gainsBy(reservation, offered)).toBe(expected);
  });
});
