// Why a rule evicts no pod because of its rate: the value, and where it is set.
import { expect, it } from 'vitest';
import { rateHold, rateOf, rateWritten } from '../../lib/decide/rate.ts';
import { evictionPolicy, taintRule } from '../support/pacedBuilders.ts';

const noRate = 'no number from 0 to 10000 with at most four decimals';
const noBurst = 'no whole number from 0 to 10000';
const until = 'no pod is evicted until it is fixed or removed.';

it.each([
  [
    'an annotation',
    { annotations: { 'sluice.dev/evictions-per-second': '0' } },
    'Its rate is 0 (sluice.dev/evictions-per-second).',
  ],
  [
    'its taint',
    { taint: { key: 'k', effect: 'NoExecute', evictionsPerSecond: 0 } },
    'Its rate is 0 (evictionsPerSecond of its taint).',
  ],
  [
    'its policy',
    { policy: evictionPolicy({ evictionsPerSecond: 0 }) },
    'Its rate is 0 (evictionsPerSecond of EvictionPolicy policy).',
  ],
  [
    'the cap of its policy',
    { policy: evictionPolicy({ maxEvictionsPerSecond: 0 }) },
    'Its rate is 0 (maxEvictionsPerSecond of EvictionPolicy policy).',
  ],
  ['its burst', { annotations: { 'sluice.dev/burst': '0' } }, 'Its burst is 0 (sluice.dev/burst).'],
  [
    'two unreadable values',
    { annotations: { 'sluice.dev/evictions-per-second': 'x', 'sluice.dev/burst': 'y' } },
    `sluice.dev/evictions-per-second is "x", which is ${noRate}; sluice.dev/burst is "y", which is ${noBurst}: ${until}`,
  ],
] as const)('a rule whose rate gives no token by %s is held and says so', (_, more, message) => {
  expect(rateHold(taintRule(more as Parameters<typeof taintRule>[0]))).toEqual({ reason: 'StandsStill', message });
});

it('a rule whose rate and burst give tokens is not held by them', () => {
  expect(
    rateHold(taintRule({ annotations: { 'sluice.dev/evictions-per-second': '0.0001', 'sluice.dev/burst': '1' } })),
  ).toBeUndefined();
});

it.each(['rule|gone', 'rule|gone|k|NoExecute'])('limiter %s of a rule that does not exist has no rate', (limiter) => {
  const none = { perSecond: 0, burst: 0 };
  expect(rateOf(limiter, { rules: [taintRule()] }, 0)).toEqual(none);
  expect(rateWritten(limiter, { rules: [taintRule()] })).toEqual(none);
});
