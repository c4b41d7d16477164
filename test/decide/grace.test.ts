// Whose grace period counts: the pod's own, or a shorter one of its policy.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graceFor } from '../../lib/decide/grace.ts';

const pod = (own?: number) => (own === undefined ? {} : { terminationGracePeriodSeconds: own });
const policy = (asked?: number) => (asked === undefined ? {} : { gracePeriodSeconds: asked });

describe('the grace period', () => {
  it.each<[string, number | undefined, number | undefined, number | undefined]>([
    ['no policy says one', 30, undefined, undefined],
    ['a shorter one', 30, 5, 5],
    ['0, asked for by name', 30, 0, 0],
    ['one second less', 30, 29, 29],
    ['as long as its own', 30, 30, undefined],
    ['a longer one', 30, 31, undefined],
    ['a pod without any', 0, 0, undefined],
    ['a pod whose own is negative, which the API server takes for 1', -1, 0, undefined],
    ['a pod whose own is not known', undefined, 5, undefined],
  ])('the grace period of a pod: %s: own %s, asked %s: %s', (_, own, asked, expected) => {
    expect(graceFor(pod(own), policy(asked))).toBe(expected);
  });

  it('is the own one where there is no policy', () => {
    expect(graceFor(pod(30), undefined)).toBeUndefined();
  });

  it('is never longer than the own one, and 0 only where a policy says 0', () => {
    const seconds = fc.option(fc.integer({ min: -2, max: 100 }), { nil: undefined });
    fc.assert(
      fc.property(seconds, seconds, (own, asked) => {
        const grace = graceFor(pod(own), policy(asked));
        if (grace === undefined) return;
        expect(grace).toBeLessThan(own ?? Number.NaN);
        expect(grace).toBe(asked);
      }),
    );
  });
});
