// What is kept between decisions is made once for its key, and does not grow without bound.
import { describe, expect, it } from 'vitest';
import { createRecall, recallNothing } from '../../lib/model/recall.ts';

describe('a value that is kept', () => {
  it.each<[string, string | object]>([
    ['a text', 'text'],
    ['an object', {}],
  ])('for %s is made once, also where it is undefined, and apart from those of another kind', (_, key) => {
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

  it('belongs to one text or object, not to its equal', () => {
    const recall = createRecall();
    expect([recall('a', 'x', () => 1), recall('a', 'y', () => 2), recall('a', 'x', () => 3)]).toEqual([1, 2, 1]);
    expect([recall('a', {}, () => 1), recall('a', {}, () => 2)]).toEqual([1, 2]);
  });

  it('is made again once as many other texts came after it as are kept', () => {
    const recall = createRecall();
    for (let i = 0; i <= 1000; i++) recall('a', `text ${i}`, () => i);
    expect(recall('a', 'text 1', () => -1)).toBe(1);
    expect(recall('a', 'text 0', () => -1)).toBe(-1);
    const few = createRecall(1);
    expect([few('a', 'x', () => 1), few('a', 'y', () => 2), few('a', 'y', () => 3), few('a', 'x', () => 4)]).toEqual([
      1, 2, 2, 4,
    ]);
  });

  it('is kept while others are asked for again, and an object however many others there are', () => {
    const recall = createRecall(2);
    expect([recall('a', 'x', () => 1), recall('a', 'y', () => 2), recall('a', 'y', () => 3)]).toEqual([1, 2, 2]);
    expect(recall('a', 'x', () => 4)).toBe(1);
    const first = {};
    expect([first, {}, {}, {}, first].map((key, i) => recall('a', key, () => i))).toEqual([0, 1, 2, 3, 0]);
  });

  it('is made each time by a caller that keeps nothing', () => {
    let made = 0;
    recallNothing('a', 'x', () => made++);
    recallNothing('a', 'x', () => made++);
    expect(made).toBe(2);
  });
});
