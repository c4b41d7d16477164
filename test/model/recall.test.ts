// Values cached between decisions: each is made once for its key, and the cache is bounded.
import { describe, expect, it } from 'vitest';
import { createRecall, recallNothing } from '../../lib/model/recall.ts';

describe('a cached value', () => {
  it.each<[string, string | object]>([
    ['a text', 'text'],
    ['an object', {}],
  ])('a value for %s is made once, even if it is undefined, and separately for each kind', (_, key) => {
    const recall = createRecall();
    let made = 0;
    const make = () => {
      made++;
      return undefined;
    };
    expect([recall('a', key, make), recall('a', key, make), made]).toEqual([undefined, undefined, 1]);
    expect(recall('b', key, () => 'other')).toBe('other');
    expect(recall('a', key, make)).toBeUndefined();
  });

  it('a value belongs to one text or to one object, not to an equal object', () => {
    const recall = createRecall();
    expect([recall('a', 'x', () => 1), recall('a', 'y', () => 2), recall('a', 'x', () => 3)]).toEqual([1, 2, 1]);
    expect([recall('a', {}, () => 1), recall('a', {}, () => 2)]).toEqual([1, 2]);
  });

  it('a value is made again after so many newer texts that the cache is full', () => {
    const recall = createRecall();
    for (let i = 0; i <= 1000; i++) recall('a', `text ${i}`, () => i);
    expect(recall('a', 'text 1', () => -1)).toBe(1);
    expect(recall('a', 'text 0', () => -1)).toBe(-1);
    const few = createRecall(1);
    expect([few('a', 'x', () => 1), few('a', 'y', () => 2), few('a', 'y', () => 3), few('a', 'x', () => 4)]).toEqual([
      1, 2, 2, 4,
    ]);
  });

  it('a value stays cached while others are requested again, and that of an object whatever else is cached', () => {
    const recall = createRecall(2);
    expect([recall('a', 'x', () => 1), recall('a', 'y', () => 2), recall('a', 'y', () => 3)]).toEqual([1, 2, 2]);
    expect(recall('a', 'x', () => 4)).toBe(1);
    const first = {};
    expect([first, {}, {}, {}, first].map((key, i) => recall('a', key, () => i))).toEqual([0, 1, 2, 3, 0]);
  });

  it('recallNothing makes the value on every call', () => {
    let made = 0;
    recallNothing('a', 'x', () => made++);
    recallNothing('a', 'x', () => made++);
    expect(made).toBe(2);
  });
});
