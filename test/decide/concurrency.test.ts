// How many pods are evicted side by side, by how long those before them took.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConcurrencyLimit, concurrencyLimits, nextConcurrency } from '../../lib/decide/concurrency.ts';

const begun: ConcurrencyLimit = { limit: concurrencyLimits.first, least: Number.POSITIVE_INFINITY };
const later = (times: number, took: number, from = begun) =>
  Array.from({ length: times }).reduce<ConcurrencyLimit>((now) => nextConcurrency(now, 'InTime', took), from);

describe('evictions side by side', () => {
  it('are one more for each that was quick', () => {
    expect(later(10, 50).limit).toBe(concurrencyLimits.first + 10);
  });

  it('are one more for each that took as long as the fastest one, however long that is', () => {
    expect(later(10, 700).limit).toBe(concurrencyLimits.first + 10);
  });

  it.each([
    [200, 'one more', 9],
    [201, 'hardly more', 8 + 0.25 / 8],
  ])('are, for one that took %i ms beside one of 100, %s', (took, _, limit) => {
    const { limit: before } = begun;
    expect(nextConcurrency({ limit: before, least: 100 }, 'InTime', took).limit).toBe(limit);
  });

  it('are hardly more for those that took far longer than the fastest one', () => {
    const { limit } = later(10, 700, nextConcurrency(begun, 'InTime', 100));
    expect(limit).toBeGreaterThan(concurrencyLimits.first + 1);
    expect(limit).toBeLessThan(concurrencyLimits.first + 2);
  });

  it('are more again after a bad minute, although all take longer than before it', () => {
    expect(later(200, 700, { limit: 1, least: 20 }).limit).toBeGreaterThan(concurrencyLimits.first);
  });

  it('are half as many for one that was late, at least one, and never more than a process has memory for', () => {
    const outcome = fc.record({ outcome: fc.constantFrom('InTime', 'Slow'), took: fc.integer({ min: 0, max: 5000 }) });
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 400 }), (outcomes) => {
        let now = begun;
        for (const { outcome, took } of outcomes) {
          const next = nextConcurrency(now, outcome, took);
          expect(next.limit).toBeGreaterThanOrEqual(1);
          expect(next.limit).toBeLessThanOrEqual(concurrencyLimits.most);
          if (outcome === 'Slow') expect(next.limit).toBe(Math.max(1, Math.floor(now.limit / 2)));
          now = next;
        }
      }),
    );
  });
});
