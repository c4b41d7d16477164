// The limit of a whole cluster: slots of all limiters together, without making any of them faster than it may be.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bins, binAt, binsOf, type Placement, placeSlots } from '../../lib/decide/clusterLimit.ts';
import { reserve } from '../../lib/decide/pace.ts';
import type { Rate } from '../../lib/model/eviction.ts';

const t0 = 1_800_000_000_000;
const horizon = 90_000;

describe('the bins of a limit', () => {
  it.each([
    [10, { capacity: 10, length: 1000 }],
    [2.5, { capacity: 3, length: 1200 }],
    [1, { capacity: 1, length: 1000 }],
    [0.4, { capacity: 1, length: 2500 }],
    [0.0001, { capacity: 1, length: 10_000_000 }],
    [3, { capacity: 3, length: 1000 }],
    [7, { capacity: 7, length: 1000 }],
    [1000, { capacity: 1000, length: 1000 }],
  ])('%f a second', (limit, bins) => {
    expect(binsOf(limit)).toEqual(bins);
  });

  it.each([0, -1, Number.NaN])('a limit of %f has none: nobody goes', (limit) => {
    expect(binsOf(limit)).toBeUndefined();
  });
});

const bins = { capacity: 2, length: 1000 };
const full = { rate: { perSecond: 10, burst: 4 }, bins, wanted: 5, now: t0, horizon, taken: () => 0 };
const place = (overrides: Partial<Parameters<typeof placeSlots>[1]> = {}, tat?: number): Placement =>
  placeSlots(tat, { ...full, ...overrides });
const offsets = ({ slots }: Placement) => slots.map((at) => at - t0);

describe('a placement', () => {
  it('fills each bin and goes on at the beginning of the next', () => {
    const placed = place();
    expect(offsets(placed)).toEqual([-300, -200, 1000, 1000, 2000]);
    expect([...placed.places.values()]).toEqual([2, 2, 1]);
  });

  it('leaves out what others have taken', () => {
    const first = binAt(bins, t0);
    expect(offsets(place({ wanted: 2, taken: (bin) => (bin === first ? 1 : 2 * Number(bin < first + 4)) }))).toEqual([
      -300, 4000,
    ]);
  });

  it('keeps the limiter’s own rate after it has waited for room: nothing is made up for beyond the burst', () => {
    const slow = { rate: { perSecond: 1, burst: 1 }, wanted: 4, bins: { capacity: 10, length: 1000 } };
    const until = binAt(slow.bins, t0) + 20;
    expect(offsets(place({ ...slow, taken: (bin) => (bin < until ? 10 : 0) }))).toEqual([
      20_000, 21_000, 22_000, 23_000,
    ]);
  });

  it('is the limiter’s own schedule where there is room', () => {
    const wide = { bins: { capacity: 1000, length: 1000 } };
    const placed = place(wide);
    const alone = reserve(undefined, { rate: full.rate, wanted: 5, now: t0, horizon });
    expect(placed).toMatchObject({ slots: alone.slots, tat: alone.bucket?.tat });
  });

  it('goes on where the limiter’s schedule stands', () => {
    expect(offsets(place({ wanted: 1 }, (t0 + 5500) * 1000))).toEqual([5500]);
  });

  it('gives no slot beyond the horizon, in the last bin neither, and then moves nothing', () => {
    expect(offsets(place({ horizon: 1000 }))).toEqual([-300, -200, 1000, 1000]);
    expect(offsets(place({ horizon: 999 }))).toEqual([-300, -200]);
    expect(place({ horizon: 0, taken: () => 2 }, 7)).toEqual({ slots: [], tat: 7, places: new Map() });
    expect(place({}, (t0 + horizon + 1) * 1000).slots).toEqual([]);
  });

  it.each([
    { perSecond: 0, burst: 1 },
    { perSecond: 1, burst: 0 },
  ])('of a limiter that stands still (%o) is empty', (rate) => {
    expect(place({ rate }, 3)).toEqual({ slots: [], tat: 3, places: new Map() });
  });
});

/** The most instants in any window of t seconds, less what the rate allows in it. */
function excess(at: readonly number[], perSecond: number): number {
  const sorted = at.toSorted((a, b) => a - b);
  let most = 0;
  for (const [i, from] of sorted.entries())
    for (const [k, to] of sorted.slice(i).entries()) most = Math.max(most, k + 1 - (perSecond * (to - from)) / 1000);
  return most;
}

const rates: fc.Arbitrary<Rate> = fc.record({
  perSecond: fc.constantFrom(0.3, 1, 2.5, 10, 40),
  burst: fc.integer({ min: 1, max: 6 }),
});
const turns = fc.array(fc.record({ who: fc.nat(3), wait: fc.nat(4000), wanted: fc.integer({ min: 1, max: 12 }) }), {
  minLength: 1,
  maxLength: 25,
});

interface Turn {
  readonly who: number;
  readonly wait: number;
  readonly wanted: number;
}

/** Places taken by bin, and when each limiter's slots may be used. */
function play(limiters: readonly Rate[], of: Bins, played: readonly Turn[]) {
  const taken = new Map<number, number>();
  const tats = new Map<number, number | undefined>();
  const usable = new Map<number, number[]>();
  const count = (bin: number) => taken.get(bin) ?? 0;
  let now = t0;
  for (const { who, wait, wanted } of played) {
    now += wait;
    const rate = limiters[who] ?? { perSecond: 0, burst: 0 };
    const placed = placeSlots(tats.get(who), { rate, bins: of, taken: count, wanted, now, horizon });
    tats.set(who, placed.tat);
    for (const [bin, places] of placed.places) taken.set(bin, count(bin) + places);
    const at = placed.slots.map((slot) => Math.max(slot, now));
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect([...placed.places.values()].reduce((sum, one) => sum + one, 0)).toBe(at.length);
    usable.set(who, [...(usable.get(who) ?? []), ...at]);
  }
  return { taken, usable };
}

describe('some limiters that take slots in turn under one limit', () => {
  it('never go above it together, nor any of them above its own rate; each slot has one place', () => {
    fc.assert(
      fc.property(
        fc.array(rates, { minLength: 4, maxLength: 4 }),
        fc.constantFrom(0.4, 1, 2.5, 7, 10),
        turns,
        (limiters, limit, played) => {
          const of = binsOf(limit) ?? bins;
          const { taken, usable } = play(limiters, of, played);
          for (const count of taken.values()) expect(count).toBeLessThanOrEqual(of.capacity);
          for (const [who, at] of usable)
            expect(excess(at, limiters[who]?.perSecond ?? 0)).toBeLessThanOrEqual((limiters[who]?.burst ?? 0) + 1e-3);
          expect(excess([...usable.values()].flat(), limit)).toBeLessThanOrEqual(2 * of.capacity + 1e-3);
        },
      ),
    );
  });

  it('leave no room unused up to the horizon while there is a backlog', () => {
    fc.assert(
      fc.property(fc.constantFrom(0.4, 1, 2.5, 7), fc.nat(5000), (limit, offset) => {
        const of = binsOf(limit) ?? bins;
        const now = t0 + offset;
        const rate = { perSecond: 100, burst: 100 };
        const { places } = placeSlots(undefined, { rate, bins: of, taken: () => 0, wanted: 10_000, now, horizon });
        for (let bin = binAt(of, now) + 1; bin < binAt(of, now + horizon); bin++)
          expect(places.get(bin)).toBe(of.capacity);
      }),
    );
  });
});
