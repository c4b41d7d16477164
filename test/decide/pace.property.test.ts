// Laws of the bucket: however time is cut, whatever clocks do.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reserve, stepOf } from '../../lib/decide/pace.ts';
import type { Bucket, Rate } from '../../lib/model/eviction.ts';
import { t0 } from '../support/builders.ts';

const rates: fc.Arbitrary<Rate> = fc.record({
  perSecond: fc.oneof(
    fc.constantFrom(0.0167, 1, 3, 10, 100, 10_000),
    fc.double({ min: 0.001, max: 10_000, noNaN: true }),
  ),
  burst: fc.integer({ min: 1, max: 20 }),
});
const calls = fc.array(
  fc.record({
    /** Milliseconds since the call before; negative where another clock is asked. */
    passed: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: -2000, max: 0 })),
    wanted: fc.integer({ min: 1, max: 8 }),
    horizon: fc.option(fc.integer({ min: 0, max: 2000 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 25 },
);

function run(rate: Rate, of: typeof calls extends fc.Arbitrary<infer T> ? T : never) {
  let bucket: Bucket | undefined;
  let now = t0;
  const given: { slot: number; now: number }[] = [];
  const latest: number[] = [];
  for (const { passed, wanted, horizon } of of) {
    now += passed;
    const reserved = reserve(bucket, { rate, wanted, now, ...(horizon !== undefined && { horizon }) });
    given.push(...reserved.slots.map((slot) => ({ slot, now })));
    if (horizon !== undefined) latest.push(...reserved.slots.map((slot) => slot - now - horizon));
    expect(reserved.bucket?.tat ?? 0).toBeGreaterThanOrEqual(bucket?.tat ?? 0);
    bucket = reserved.bucket;
  }
  return { given, latest };
}

/** Seconds: instants of today hold a quarter of a microsecond. */
const roundOff = 1e-6;

describe('a bucket', () => {
  it('gives slots a step apart, so that any window of t seconds holds at most 1 + rate·t of them', () => {
    fc.assert(
      fc.property(rates, calls, (rate, of) => {
        const slots = run(rate, of).given.map(({ slot }) => slot);
        const step = (stepOf(rate) ?? 0) / 1000;
        for (let i = 1; i < slots.length; i++) {
          expect((slots[i] ?? 0) - (slots[i - 1] ?? 0)).toBeGreaterThanOrEqual(step - 0.001);
        }
        expect(step).toBeGreaterThanOrEqual(1000 / rate.perSecond - 1e-9);
      }),
      { numRuns: 300 },
    );
  });

  it('lets at most burst + rate·t pods go in any window of t seconds, when each goes at its slot or as soon as it is given', () => {
    fc.assert(
      fc.property(rates, calls, (rate, of) => {
        const forward = of.map((call) => ({ ...call, passed: Math.abs(call.passed) }));
        const gone = run(rate, forward)
          .given.map(({ slot, now }) => Math.max(slot, now))
          .sort((a, b) => a - b);
        for (let i = 0; i < gone.length; i++) {
          for (let k = i; k < gone.length; k++) {
            const t = ((gone[k] ?? 0) - (gone[i] ?? 0)) / 1000;
            expect(k - i + 1).toBeLessThanOrEqual(rate.burst + rate.perSecond * (t + roundOff));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives each slot once, none before its burst allows and none beyond the horizon', () => {
    fc.assert(
      fc.property(rates, calls, (rate, of) => {
        const { given, latest } = run(rate, of);
        expect(new Set(given.map(({ slot }) => slot)).size).toBe(given.length);
        const step = (stepOf(rate) ?? 0) / 1000;
        for (const { slot, now } of given) expect(slot).toBeGreaterThanOrEqual(now - (rate.burst - 1) * step - 0.001);
        for (const beyond of latest) expect(beyond).toBeLessThanOrEqual(0.001);
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same slots to one call for many as to many calls for one', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 20 }), (rate, n) => {
        const at = reserve(undefined, { rate, wanted: n, now: t0 });
        const ones = run(
          rate,
          Array.from({ length: n }, () => ({ passed: 0, wanted: 1, horizon: undefined })),
        );
        expect(ones.given.map(({ slot }) => slot)).toEqual(at.slots);
      }),
      { numRuns: 300 },
    );
  });

  it('never throws, whatever rate, time and number it is asked for', () => {
    const any = fc.double();
    fc.assert(
      fc.property(any, any, any, fc.integer({ min: -5, max: 100 }), (perSecond, burst, now, wanted) => {
        const { slots } = reserve(undefined, { rate: { perSecond, burst }, wanted, now });
        expect(slots.length).toBeLessThanOrEqual(Math.max(0, wanted));
      }),
      { numRuns: 300 },
    );
  });
});
