// How rates and bursts are parsed, which values evict no pod, and which field is named.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketNameOf, rateOf, rateWritten, writtenRateOf } from '../../lib/decide/rate.ts';
import { isRate, policyRate, readRate } from '../../lib/decide/writtenRate.ts';
import { ruleLimiter } from '../../lib/model/rule.ts';
import { rule, t0 } from '../support/builders.ts';
import { evictionPolicy, taintRule } from '../support/pacedBuilders.ts';

const said = (text: string) => ({ where: 'here', text });
const rate = (text: string) => readRate({ perSecond: said(text), burst: undefined, policy: undefined });
const burst = (text: string) => readRate({ perSecond: undefined, burst: said(text), policy: undefined });

describe('a rate', () => {
  it.each([
    ['0', 0],
    ['0.0001', 0.0001],
    ['0.0167', 0.0167],
    ['1', 1],
    ['1.5', 1.5],
    ['007', 7],
    ['9999.9999', 9999.9999],
    ['10000', 10_000],
    ['10000.0000', 10_000],
  ])('a rate of "%s" is accepted', (text, perSecond) => {
    expect(rate(text)).toEqual({ rate: { perSecond, burst: 10 }, problems: [], from: 'here' });
    expect(isRate(text)).toBe(true);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '-1',
    '+1',
    '.5',
    '5.',
    '1,5',
    '0.00001',
    '10000.0001',
    '10001',
    '100000',
    '1e3',
    '1e9',
    '1e-9',
    '1000000000',
    '0.000000001',
    'NaN',
    'Infinity',
    '0x10',
    'fast',
  ])('an invalid rate of "%s" evicts no pod and is named', (text) => {
    expect(rate(text)).toEqual({
      rate: { perSecond: 0, burst: 10 },
      problems: [`here is "${text}", which is no number from 0 to 10000 with at most four decimals`],
      from: 'here',
    });
    expect(isRate(text)).toBe(false);
  });

  it('a rate is never above 10000 or below 0, whatever is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (text) => {
        const { rate: read, problems } = rate(text);
        expect(read.perSecond).toBeGreaterThanOrEqual(0);
        expect(read.perSecond).toBeLessThanOrEqual(10_000);
        if (problems.length === 0) expect(read.perSecond).toBe(Number(text));
        else expect(read.perSecond).toBe(0);
      }),
    );
  });
});

describe('a burst', () => {
  it.each([
    ['0', 0],
    ['1', 1],
    ['10000', 10_000],
  ])('a burst of "%s" is accepted', (text, wanted) => {
    expect(burst(text)).toEqual({ rate: { perSecond: 10, burst: wanted }, problems: [], burstFrom: 'here' });
  });

  it.each(['', '1.5', '-1', '10001', '100000', '1e2', 'all'])(
    'an invalid burst of "%s" evicts no pod and is named',
    (text) => {
      expect(burst(text)).toEqual({
        rate: { perSecond: 10, burst: 0 },
        problems: [`here is "${text}", which is no whole number from 0 to 10000`],
        burstFrom: 'here',
      });
    },
  );
});

describe('a rate under a policy', () => {
  const policy = evictionPolicy({ name: 'p', evictionsPerSecond: 4, burst: 5, maxEvictionsPerSecond: 3 });

  it('a rate from a policy is named with its field, and with the cap when that is lower', () => {
    expect(readRate({ perSecond: undefined, burst: undefined, policy })).toEqual({
      rate: { perSecond: 3, burst: 5 },
      problems: [],
      from: 'evictionsPerSecond of EvictionPolicy p',
      burstFrom: 'burst of EvictionPolicy p',
      cappedBy: 'p',
    });
  });

  it('a cap equal to the rate caps nothing', () => {
    expect(readRate({ perSecond: said('3'), burst: said('1'), policy })).toEqual({
      rate: { perSecond: 3, burst: 1 },
      problems: [],
      from: 'here',
      burstFrom: 'here',
    });
  });

  it('a policy names every number out of range: rate, burst and cap', () => {
    const bad = evictionPolicy({ name: 'p', evictionsPerSecond: 1e9, burst: 0.5, maxEvictionsPerSecond: -1 });
    expect(policyRate(bad).problems).toEqual([
      'evictionsPerSecond of EvictionPolicy p is "1000000000", which is no number from 0 to 10000 with at most four decimals',
      'burst of EvictionPolicy p is "0.5", which is no whole number from 0 to 10000',
      'maxEvictionsPerSecond of EvictionPolicy p is "-1", which is no number from 0 to 10000 with at most four decimals',
    ]);
    expect(policyRate(policy).problems).toEqual([]);
  });
});

it('a rule names the field or annotation that cannot be read', () => {
  const annotations = { 'sluice.dev/evictions-per-second': 'fast', 'sluice.dev/burst': 'all' };
  const own = { ...taintRule().taint, evictionsPerSecond: 0.00001, burst: 0.5 };
  expect(writtenRateOf(taintRule({ annotations })).problems).toEqual([
    expect.stringMatching(/^sluice\.dev\/evictions-per-second is "fast"/),
    expect.stringMatching(/^sluice\.dev\/burst is "all"/),
  ]);
  expect(writtenRateOf(taintRule({ annotations, taint: own })).problems).toEqual([
    expect.stringMatching(/^evictionsPerSecond of its taint is "0\.00001"/),
    expect.stringMatching(/^burst of its taint is "0\.5"/),
  ]);
});

describe('the configured rate', () => {
  it('the configured rate is that of the rule, even while the rule is held', () => {
    const annotations = {
      'sluice.dev/evictions-per-second': '2',
      'sluice.dev/burst': '3',
      'sluice.dev/paused': 'true',
    };
    const rules = [taintRule(), rule({ annotations })];
    expect(rateWritten('rule|rule-uid', { rules })).toEqual({ perSecond: 2, burst: 3 });
    expect(rateOf('rule|rule-uid', { rules }, t0)).toEqual({ perSecond: 0, burst: 0 });
  });

  it.each([
    ['slice|d|k||NoExecute', 4, 10],
    ['slice|d|k||NoExecute|7/', 7, 10],
    ['slice|d|k||NoExecute|/2', 4, 2],
    ['slice|other|k||NoExecute', 10, 10],
  ])('the configured rate of %s is %d with a burst of %d', (limiter, perSecond, burst) => {
    const policies = [evictionPolicy({ taints: { drivers: ['d'] }, evictionsPerSecond: 4, paused: true })];
    expect(rateWritten(limiter, { rules: [], policies })).toEqual({ perSecond, burst });
  });
});

describe('the bucket of a limiter', () => {
  const of = (uid: string) => taintRule({ uid });
  const name = (uid: string, limiter = ruleLimiter(of(uid))) =>
    bucketNameOf(limiter, { rules: [of('other'), of(uid)] });

  it('a bucket is named by rule and taint, so that a recreated rule keeps it', () => {
    expect(name('first')).toBe('PacedTaintRule/paced|example.com/bad|NoExecute');
    expect(name('second')).toBe(name('first'));
  });

  it('a bucket of a limiter without a known rule is named by the limiter', () => {
    expect(name('first', 'slice|d|k|v|NoExecute')).toBe('slice|d|k|v|NoExecute');
    expect(bucketNameOf(ruleLimiter(of('first')), { rules: [] })).toBe(ruleLimiter(of('first')));
  });

  it('a slice limiter has the default rate when no policy is known', () => {
    expect(rateWritten('slice|d|k|v|NoExecute', { rules: [] })).toEqual(
      rateWritten('slice|d|k|v|NoExecute', { rules: [], policies: [] }),
    );
  });
});
