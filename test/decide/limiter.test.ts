// Limiters, listings and the order of pending pods.
import { describe, expect, it } from 'vitest';
import {
  describedReasons,
  dueOf,
  evictionOrder,
  keptReasons,
  limiterOf,
  listingsOf,
  reasonsKept,
} from '../../lib/decide/limiter.ts';
import type { Reason, TaintOrigin } from '../../lib/model/verdict.ts';
import { atSecond, driver, pod, pool, t0, taint } from '../support/builders.ts';

function reason(origin: TaintOrigin, overrides: Partial<Reason> = {}): Reason {
  const device = { driver, pool, device: 'instance' };
  return { origin, taint: taint(), device, claim: { namespace: 'default', name: 'claim' }, at: t0, ...overrides };
}

const byRule = (uid: string, overrides: Partial<Reason> = {}) =>
  reason({ kind: 'Rule', name: 'rule', uid, generation: 1 }, overrides);
const bySlice = (overrides: Partial<Reason> = {}) => reason({ kind: 'Slice', name: 'slice', index: 0 }, overrides);

describe('the limiter of a taint', () => {
  it('the limiter of a rule taint is named by the UID of the rule', () => {
    expect(limiterOf(byRule('u'))).toBe('rule|u');
  });

  it('the limiter of a slice taint is named by driver, key, value and effect, whatever its pool or device', () => {
    const limiter = 'slice|some-driver|example.com/taint|tainted|NoExecute';
    expect(limiterOf(bySlice())).toBe(limiter);
    expect(limiterOf(bySlice({ device: { driver, pool: 'x', device: 'y' } }))).toBe(limiter);
  });

  it('the limiter of a slice taint without a value has an empty value', () => {
    const { value: _, ...valueless } = taint();
    expect(limiterOf(bySlice({ taint: valueless }))).toBe('slice|some-driver|example.com/taint||NoExecute');
  });
});

it('a pod is listed once per limiter, at the earliest time of each, sorted by limiter', () => {
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
  it('the eviction order is lower priority first, then the younger pod', () => {
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

  it('the eviction order is a text of fixed length that sorts as a key', () => {
    expect(evictionOrder(pod({ priority: 0, creationTimestamp: 1 }))).toBe('2147483648.9999999999998');
    expect(evictionOrder(pod({ priority: -(2 ** 31), creationTimestamp: 9_999_999_999_999 }))).toBe(
      '0000000000.0000000000000',
    );
  });

  it('the eviction order clamps values that no API server sends', () => {
    expect(evictionOrder(pod({ priority: 2 ** 40, creationTimestamp: -5 }))).toBe('4294967295.9999999999999');
    expect(evictionOrder(pod({ priority: -(2 ** 40), creationTimestamp: 2 ** 52 }))).toBe('0000000000.0000000000000');
    expect(evictionOrder(pod({ priority: 0.4, creationTimestamp: 0.4 }))).toBe('2147483648.9999999999999');
  });

  it('the eviction order treats a pod without a creation time as the oldest', () => {
    const { creationTimestamp: _, ...timeless } = pod();
    expect(evictionOrder(timeless)).toBe('2147483648.9999999999999');
  });
});

it('a pod is due at the earliest time of its reasons', () => {
  const at = (time: number) => ({ ...byRule('u'), at: time });
  expect(dueOf([at(5), at(3), at(4)])).toBe(3);
  expect(dueOf([])).toBeUndefined();
});

describe('the reasons that are stored with a pod', () => {
  const many = (count: number, overrides: Partial<Reason> = {}) =>
    Array.from({ length: count }, (_, i) => bySlice({ device: { driver, pool, device: `d${i}` }, ...overrides }));

  it('the reasons that are stored are all reasons, as they are, of a pod that has few', () => {
    const few = many(describedReasons, { taint: { ...taint(), description: 'too hot' } });
    expect(keptReasons(few)).toEqual({ because: few });
    expect(keptReasons(many(reasonsKept))).toEqual({ because: many(reasonsKept) });
  });

  it('the reasons that are stored are bounded, in their order, with the number of those left out', () => {
    const all = many(reasonsKept + 3);
    expect(keptReasons(all)).toEqual({ because: all.slice(0, reasonsKept), more: 3 });
  });

  it('the reasons that are stored keep a description only where they are among the first', () => {
    const all = many(describedReasons + 1, { taint: { ...taint(), description: 'too hot' } });
    const { because } = keptReasons(all);
    expect(because.slice(0, -1)).toEqual(all.slice(0, -1));
    expect(because.at(-1)).toEqual({ ...all.at(-1), taint: taint() });
  });

  it('the reasons that are stored have the earliest of each limiter, so that the pod is due there at the same time', () => {
    const all = [
      ...many(200),
      byRule('u', { at: 9 }),
      byRule('u', { at: 3 }),
      byRule('u', { at: 3 }),
      byRule('u', { at: 5 }),
    ];
    const { because, more } = keptReasons(all);
    expect(because).toHaveLength(reasonsKept);
    expect(more).toBe(all.length - reasonsKept);
    expect(because.filter((one) => one.origin.kind === 'Rule')).toEqual([all[201]]);
    expect(because.at(-1)).toEqual(all[201]);
    const listings = (reasons: readonly Reason[]) => listingsOf({ kind: 'EvictAt', at: 3, because: reasons });
    expect(listings(because)).toEqual(listings(all));
  });

  it('the reasons that are stored have the first of each pool, by which limits of pools count', () => {
    const other = (device: string) => bySlice({ device: { driver, pool: 'other', device } });
    const all = [...many(200), other('a'), other('b')];
    expect(keptReasons(all).because.filter(({ device }) => device.pool === 'other')).toEqual([other('a')]);
  });

  it('the reasons that are stored are more than usual where more limiters need one each', () => {
    const rules = (at: number) => Array.from({ length: 512 }, (_, i) => byRule(`u${i}`, { at }));
    expect(keptReasons([...rules(1), ...rules(2)])).toEqual({
      because: rules(1),
      more: 512,
    });
  });
});
