// Which grace period applies: that of the pod, or a shorter one of its policy.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graceFor } from '../../lib/decide/grace.ts';

const pod = (own?: number) => (own === undefined ? {} : { terminationGracePeriodSeconds: own });
const policy = (asked?: number) => (asked === undefined ? {} : { gracePeriodSeconds: asked });

describe('the grace period', () => {
  it.each<[string, number | undefined, number | undefined, number | undefined]>([
    ['no value in the policy', 30, undefined, undefined],
    ['a shorter value', 30, 5, 5],
    ['an explicit 0', 30, 0, 0],
    ['one second less', 30, 29, 29],
    ['the same value', 30, 30, undefined],
    ['a longer value', 30, 31, undefined],
    ['a pod with 0', 0, 0, undefined],
    ['a pod with a negative value, which the API server treats as 1', -1, 0, undefined],
    ['a pod whose value is unknown', undefined, 5, undefined],
  ])('a policy only shortens the grace period of a pod: %s: pod %s, policy %s: %s', (_, own, asked, expected) => {
    expect(graceFor(pod(own), policy(asked))).toBe(expected);
  });

  it('a pod without a policy keeps its own grace period', () => {
    expect(graceFor(pod(30), undefined)).toBeUndefined();
  });

  it('a grace period from a policy is shorter than that of the pod and exactly the value of the policy', () => {
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
