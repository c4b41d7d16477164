// How many pods are evicted concurrently, by the latency of earlier evictions.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConcurrencyLimit, concurrencyLimits, nextConcurrency } from '../../lib/decide/concurrency.ts';

const begun: ConcurrencyLimit = { limit: concurrencyLimits.first, least: Number.POSITIVE_INFINITY };
const later = (times: number, took: number, from = begun) =>
  Array.from({ length: times }).reduce<ConcurrencyLimit>((now) => nextConcurrency(now, 'InTime', took), from);

describe('the concurrency limit', () => {
  it('the concurrency limit rises by one for each fast eviction', () => {
    expect(later(10, 50).limit).toBe(concurrencyLimits.first + 10);
  });

  it('the concurrency limit rises by one for each eviction as fast as the fastest, however slow that is', () => {
    expect(later(10, 700).limit).toBe(concurrencyLimits.first + 10);
  });

  it.each([
    [200, 'one higher', 9],
    [201, 'hardly higher', 8 + 0.25 / 8],
  ])('an eviction of %i ms, where the fastest took 100 ms, makes the concurrency limit %s', (took, _, limit) => {
    const { limit: before } = begun;
    expect(nextConcurrency({ limit: before, least: 100 }, 'InTime', took).limit).toBe(limit);
  });

  it('the concurrency limit hardly rises for evictions far slower than the fastest', () => {
    const { limit } = later(10, 700, nextConcurrency(begun, 'InTime', 100));
    expect(limit).toBeGreaterThan(concurrencyLimits.first + 1);
    expect(limit).toBeLessThan(concurrencyLimits.first + 2);
  });

  it('the concurrency limit recovers from a bad minute although evictions are slower than before', () => {
    expect(later(200, 700, { limit: 1, least: 20 }).limit).toBeGreaterThan(concurrencyLimits.first);
  });

  it('the concurrency limit halves after a slow eviction and stays between one and the maximum', () => {
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
