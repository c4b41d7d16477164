// Structural equality of values.
import { describe, expect, it } from 'vitest';
import { isSame } from '../../lib/decide/same.ts';

describe('two values', () => {
  it.each([
    [1, 1],
    ['a', 'a'],
    [undefined, undefined],
    [null, null],
    [{}, {}],
    [[], []],
    [
      { a: 1, b: { c: [1, 2] } },
      { b: { c: [1, 2] }, a: 1 },
    ],
  ])('the values %j and %j are equal', (a, b) => {
    expect(isSame(a, b)).toBe(true);
  });

  it.each([
    [1, 2],
    ['a', 'b'],
    [1, '1'],
    [{}, undefined],
    [undefined, {}],
    [{}, null],
    [null, {}],
    [{}, 1],
    [1, {}],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ a: undefined }, { b: undefined }],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
  ])('the values %j and %j are not equal', (a, b) => {
    expect(isSame(a, b)).toBe(false);
  });
});
