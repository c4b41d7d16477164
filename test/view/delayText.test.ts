// What a person reads about a taint that has to stand first.
import { expect, it } from 'vitest';
import type { TaintDelay } from '../../lib/model/standing.ts';
import { delayText } from '../../lib/view/delayText.ts';
import { t0 } from '../support/builders.ts';

it.each([
  [undefined, ''],
  ['MinimumAge', ', from 2027-01-15T08:00:00Z on, by the minimumAge of EvictionPolicy p'],
  ['HealthyDelay', ', from 2027-01-15T08:00:00Z on, since it came back within the healthyDelay of EvictionPolicy p'],
  ['BrokenObserver', ', from when it is approved, since many devices were tainted alike at once: see EvictionPolicy p'],
  ['NotSeenYet', ', from when it has been seen to stand, which EvictionPolicy p asks for'],
] as const)('a delay by %s is told with its policy', (reason, text) => {
  const delay: { delay?: TaintDelay } = reason ? { delay: { reason, policy: 'p' } } : {};
  expect(delayText({ at: t0, ...delay })).toBe(text);
});
