// Limiters, listings and the order among pods that wait.
import { describe, expect, it } from 'vitest';
import { dueOf, evictionOrder, limiterOf, listingsOf } from '../../lib/decide/limiter.ts';
import type { Reason, TaintOrigin } from '../../lib/model/verdict.ts';
import { atSecond, driver, pod, pool, t0, taint } from '../support/builders.ts';

function reason(origin: TaintOrigin, overrides: Partial<Reason> = {}): Reason {
  const device = { driver, pool, device: 'instance' };
  return { origin, taint: taint(), device, claim: { namespace: 'default', name: 'claim' }, at: t0, ...overrides };
}

const byRule = (uid: string, overrides: Partial<Reason> = {}) =>
  reason({ kind: 'Rule', name: 'rule', uid, generation: 1 }, overrides);
const bySlice = (overrides: Partial<Reason> = {}) => reason({ kind: 'Slice', name: 'slice', index: 0 }, overrides);

describe('a taint is paced by', () => {
  it('its rule, by UID', () => {
    expect(limiterOf(byRule('u'))).toBe('rule|u');
  });

  it('driver, key, value and effect where a slice has it, whatever pool or device', () => {
    const limiter = 'slice|some-driver|example.com/taint|tainted|NoExecute';
    expect(limiterOf(bySlice())).toBe(limiter);
    expect(limiterOf(bySlice({ device: { driver, pool: 'x', device: 'y' } }))).toBe(limiter);
  });

  it('a slice taint without value has an empty one', () => {
    const { value: _, ...valueless } = taint();
    expect(limiterOf(bySlice({ taint: valueless }))).toBe('slice|some-driver|example.com/taint||NoExecute');
  });
});

it('a pod is listed once per limiter, at its earliest time, sorted', () => {
  const because = [
    bySlice({ at: atSecond(5) }),
    byRule('b', { at: atSecond(3) }),
    byRule('b', { at: atSecond(1) }),
    byRule('b', { at: atSecond(2) }),
    byRule('a', { at: atSecond(4) }),
  ];
  expect(listingsOf({ kind: 'EvictAt', at: atSecond(1), because })).toEqual([
    { limiter: 'rule|a', dueAt: atSecond(4) },
    { limiter: 'rule|b', dueAt: atSecond(1) },
    { limiter: 'slice|some-driver|example.com/taint|tainted|NoExecute', dueAt: atSecond(5) },
  ]);
});

describe('eviction order', () => {
  it('is lower priority first, then the younger pod', () => {
    const pods = [
      pod({ name: 'system', priority: 2_000_001_000, creationTimestamp: t0 }),
      pod({ name: 'lowest', priority: -(2 ** 31), creationTimestamp: 0 }),
      pod({ name: 'negative', priority: -5 }),
      pod({ name: 'old', creationTimestamp: t0 - 1000 }),
      pod({ name: 'young', priority: 0, creationTimestamp: t0 }),
      pod({ name: 'high', priority: 7 }),
    ];
    const sorted = pods.toSorted((a, b) => (evictionOrder(a) < evictionOrder(b) ? -1 : 1));
    expect(sorted.map((one) => one.name)).toEqual(['lowest', 'negative', 'young', 'old', 'high', 'system']);
  });

  it('is text of one length, so that it sorts as a key', () => {
    expect(evictionOrder(pod({ priority: 0, creationTimestamp: 1 }))).toBe('2147483648.9999999999998');
    expect(evictionOrder(pod({ priority: -(2 ** 31), creationTimestamp: 9_999_999_999_999 }))).toBe(
      '0000000000.0000000000000',
    );
  });

  it('clamps what no API server sends', () => {
    expect(evictionOrder(pod({ priority: 2 ** 40, creationTimestamp: -5 }))).toBe('4294967295.9999999999999');
    expect(evictionOrder(pod({ priority: -(2 ** 40), creationTimestamp: 2 ** 52 }))).toBe('0000000000.0000000000000');
    expect(evictionOrder(pod({ priority: 0.4, creationTimestamp: 0.4 }))).toBe('2147483648.9999999999999');
  });

  it('counts a pod without creation time as the oldest', () => {
    const { creationTimestamp: _, ...timeless } = pod();
    expect(evictionOrder(timeless)).toBe('2147483648.9999999999999');
  });
});

it('a pod is due since the first of its taints wanted it gone', () => {
  const at = (time: number) => ({ ...byRule('u'), at: time });
  expect(dueOf([at(5), at(3), at(4)])).toBe(3);
  expect(dueOf([])).toBeUndefined();
});
