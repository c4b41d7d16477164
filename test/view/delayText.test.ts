// The text about a taint whose evictions a policy delays.
import { expect, it } from 'vitest';
import type { TaintDelay } from '../../lib/model/standing.ts';
import { delayText } from '../../lib/view/delayText.ts';
import { t0 } from '../support/builders.ts';

it.each([
  [undefined, ''],
  ['MinimumAge', ', evicted from 2027-01-15T08:00:00Z, by the minimumAge of EvictionPolicy p'],
  [
    'HealthyDelay',
    ', evicted from 2027-01-15T08:00:00Z, because the taint came back within the healthyDelay of EvictionPolicy p',
  ],
  ['BrokenObserver', ', evicted once it is approved, because many devices were tainted at once: see EvictionPolicy p'],
  ['NotSeenYet', ', evicted once the taint has been observed, as EvictionPolicy p requires'],
] as const)('a delay by %s is explained with its policy', (reason, text) => {
  const delay: { delay?: TaintDelay } = reason ? { delay: { reason, policy: 'p' } } : {};
  expect(delayText({ at: t0, ...delay })).toBe(text);
});
