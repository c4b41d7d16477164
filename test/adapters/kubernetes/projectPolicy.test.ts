// EvictionPolicies as they are read and sent to the functions: a policy that cannot be read holds what it selects.
import { describe, expect, it } from 'vitest';
import { project } from '../../../lib/adapters/kubernetes/project.ts';
import { parseChange } from '../../../lib/adapters/sqs/changes.ts';
import { formatMessage } from '../../../lib/adapters/sqs/wire.ts';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';

const metadata = { name: 'p', uid: 'uid-p', resourceVersion: '3', generation: 2 };

function read(spec: object): EvictionPolicy {
  const result = project('EvictionPolicy', { metadata, spec: { taints: { keys: ['k'] }, ...spec } });
  const object = result.kind === 'Projected' ? result.object : result.harmless;
  if (object?.kind !== 'EvictionPolicy') throw new Error('no policy');
  const parsed = parseChange(formatMessage({ type: 'Upserted', incarnation: 'uid', object }));
  expect(parsed).toMatchObject({ kind: 'Parsed', value: { object } });
  return object;
}

describe('a canary', () => {
  it.each([
    [
      { pods: 3, hold: '10m' },
      { pods: 3, hold: 600_000 },
    ],
    [
      { pods: 1, hold: '1h30s' },
      { pods: 1, hold: 3_630_000 },
    ],
    [
      { pods: 1000, hold: '0s' },
      { pods: 1000, hold: 0 },
    ],
  ])('a canary of an EvictionPolicy is read: %o', (canary, expected) => {
    expect(read({ canary })).toMatchObject({ canary: expected });
    expect(read({ canary }).unreadable).toBeUndefined();
  });

  it.each([
    [{ hold: '10m' }, 'spec.canary: pods is no whole number from 1 to 1000'],
    [{ pods: 0, hold: '10m' }, 'spec.canary: pods is no whole number from 1 to 1000'],
    [{ pods: 1001, hold: '10m' }, 'spec.canary: pods is no whole number from 1 to 1000'],
    [{ pods: 1.5, hold: '10m' }, 'spec.canary: pods is no whole number from 1 to 1000'],
    [{ pods: 3 }, 'spec.canary.hold is missing'],
    [{ pods: 3, hold: 'a while' }, 'spec.canary: hold "a while" is no duration such as 90s or 8h of at most 8784h'],
    ['3', 'spec.canary is not an object'],
  ])('an EvictionPolicy with a wrong canary is unreadable and still selects its taints: %o', (canary, why) => {
    const policy = read({ canary });
    expect(policy.unreadable).toContain(why);
    expect(policy.taints).toEqual({ keys: ['k'] });
    expect(policy.canary).toBeUndefined();
  });
});

describe('limits', () => {
  it.each([
    [
      { maxPods: 5, maxNamespaces: 2, maxPercent: 10 },
      { maxPods: 5, maxNamespaces: 2, maxPercent: 10 },
    ],
    [{ maxPercent: 1 }, { maxPercent: 1 }],
    [{ maxPercent: 100 }, { maxPercent: 100 }],
    [
      { maxPerNode: 1, maxPerWorkload: '100%' },
      { maxPerNode: { count: 1 }, maxPerWorkload: { percent: 100 } },
    ],
    [
      { maxPerNode: '1%', maxPerWorkload: 500 },
      { maxPerNode: { percent: 1 }, maxPerWorkload: { count: 500 } },
    ],
    [{ maxPods: 1, maxPerNode: null }, { maxPods: 1 }],
  ])('the limits of an EvictionPolicy are read: %o', (limits, expected) => {
    expect(read({ limits }).limits).toEqual(expected);
    expect(read({ limits }).unreadable).toBeUndefined();
  });

  it.each([
    [{ maxPercent: 0 }, 'spec.limits: maxPercent 0 is no whole number from 1 to 100'],
    [{ maxPercent: 101 }, 'spec.limits: maxPercent 101 is no whole number from 1 to 100'],
    [{ maxPercent: 0.5 }, 'spec.limits: maxPercent 0.5 is no whole number from 1 to 100'],
    [{ maxPercent: '10%' }, 'spec.limits.maxPercent is not a number'],
    [{ maxPerNode: 0 }, 'spec.limits: maxPerNode is 0, which is neither a whole number from 1 on nor 1% to 100%'],
    [{ maxPerNode: 1.5 }, 'spec.limits: maxPerNode is 1.5, which is neither a whole number from 1 on nor 1% to 100%'],
    [
      { maxPerWorkload: '0%' },
      'spec.limits: maxPerWorkload is "0%", which is neither a whole number from 1 on nor 1% to 100%',
    ],
    [
      { maxPerWorkload: '101%' },
      'spec.limits: maxPerWorkload is "101%", which is neither a whole number from 1 on nor 1% to 100%',
    ],
    [
      { maxPerWorkload: '10' },
      'spec.limits: maxPerWorkload is "10", which is neither a whole number from 1 on nor 1% to 100%',
    ],
    [
      { maxPerNode: '5 %' },
      'spec.limits: maxPerNode is "5 %", which is neither a whole number from 1 on nor 1% to 100%',
    ],
    [{ maxPerNode: {} }, 'spec.limits: maxPerNode is {}, which is neither a whole number from 1 on nor 1% to 100%'],
  ])('an EvictionPolicy with wrong limits is unreadable and says why: %o', (limits, why) => {
    expect(read({ limits }).unreadable).toContain(why);
  });
});

describe('pauseOnly', () => {
  it('an EvictionPolicy with pauseOnly is read and sent, with spec.paused and without', () => {
    expect(read({ pauseOnly: true })).toMatchObject({ pauseOnly: true });
    expect(read({ pauseOnly: true, paused: true })).toMatchObject({ pauseOnly: true, paused: true });
    expect(read({ pauseOnly: false, burst: 2 })).not.toHaveProperty('pauseOnly');
  });

  it('an EvictionPolicy with pauseOnly and settings is unreadable, and still only pauses', () => {
    const policy = read({ pauseOnly: true, burst: 2, mode: 'Evict' });
    expect(policy).toMatchObject({ pauseOnly: true, taints: { keys: ['k'] } });
    expect(policy.unreadable).toContain('pauseOnly cannot be combined with burst, mode');
    expect(policy.burst).toBeUndefined();
  });

  it('an EvictionPolicy with pauseOnly that names DeviceTaintSlice without ResourceSlice is unreadable', () => {
    const of = (...sources: string[]) => read({ pauseOnly: true, taints: { sources } }).unreadable;
    expect(of('DeviceTaintSlice', 'PacedTaintRule')).toContain('needs ResourceSlice too');
    expect(of('DeviceTaintSlice', 'ResourceSlice')).toBeUndefined();
    expect(of('ResourceSlice')).toBeUndefined();
    expect(read({ taints: { sources: ['DeviceTaintSlice'] } }).unreadable).toBeUndefined();
  });

  it.each(['true', 1, null])(
    'an EvictionPolicy whose pauseOnly is %o is unreadable, so that it sets nothing',
    (pauseOnly) => {
      expect(read({ pauseOnly, mode: 'Delete' }).unreadable).toContain('pauseOnly is neither true nor false');
    },
  );
});
