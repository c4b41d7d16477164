// Expressions built to run forever: each is stopped by a budget, or is answered by work linear in its size.
import { describe, expect, it } from 'vitest';
import { buildDevice } from '../../lib/cel/device.ts';
import { compile, type Match } from '../../lib/cel/selector.ts';

const device = buildDevice({
  driver: 'd',
  attributes: { text: { string: `${'a'.repeat(63)}!` }, end: { string: '$' } },
});

function answer(expression: string): Match | 'compile-error' {
  const selector = compile(expression);
  return selector.kind === 'Compiled' ? selector.matches(device) : 'compile-error';
}

const ten = '[0,1,2,3,4,5,6,7,8,9]';
const nested = (macro: string, depth: number, body: string) =>
  Array.from({ length: depth }, (_, i) => `${ten}.${macro}(x${i}, `).join('') + body + ')'.repeat(depth);

describe('a loop in loops', () => {
  it.each([
    ['all', nested('all', 10, 'true')],
    ['exists', nested('exists', 10, 'false')],
    ['exists_one', nested('exists_one', 10, 'true')],
    ['map', `${nested('map', 8, 'x0 * x1')}.size() > 0`],
    ['filter', `${nested('filter', 10, 'true')}.size() > 0`],
  ])('of %s ends in an error or is refused', (_, expression) => {
    const match = answer(expression);
    expect(typeof match).not.toBe('boolean');
  });

  it('says which limit it met', () => {
    expect(answer(nested('all', 10, 'true'))).toEqual({
      error: 'operation cancelled: actual cost limit exceeded',
    });
  });
});

describe('a growing value', () => {
  it.each([
    [
      'text doubled forty times',
      `${Array.from({ length: 40 }, (_, i) => `cel.bind(a${i + 1}, a${i} + a${i}, `)
        .join('')
        .replace('a0 + a0', '"ab" + "ab"')}a40.size() > 0${')'.repeat(40)}`,
      'error',
    ],
    [
      'list doubled forty times',
      `${Array.from({ length: 40 }, (_, i) => `cel.bind(a${i + 1}, a${i} + a${i}, `)
        .join('')
        .replace('a0 + a0', '[1] + [1]')}a40.size() > 0${')'.repeat(40)}`,
      'error',
    ],
    ['range', 'lists.range(1000000000).size() > 0', 'error'],
    ['replacement', `${'"a"'}${'.replace("", "aaaaaaaaaa")'.repeat(30)}.size() > 0`, 'error'],
  ])('of %s is stopped before it fills the memory', (_, expression, wanted) => {
    const match = answer(expression);
    expect(typeof match === 'object' ? 'error' : match).toBe(wanted);
  });
});

describe('a regular expression', () => {
  const a = 'device.attributes["d"]';

  it.each([
    [`${a}.text.matches("^(a+)+$")`],
    [`${a}.text.matches("^(a|a)*$")`],
    [`${a}.text.matches("^(a|aa)+$")`],
    [`${a}.text.matches("^(.*a){20}$")`],
    [`${a}.text.matches("^(a+)+" + ${a}.end)`],
    [`"${'a'.repeat(5000)}!".matches("^(a*)*$")`],
    [`"${'a'.repeat(5000)}!".matches("^(([a-z])+.)+[A-Z]([a-z])+$")`],
    [`"${'x'.repeat(9000)}".matches("^(x+x+)+y$")`],
  ])('that backtracking would need exponential time for is answered: %s', (expression) => {
    expect(answer(expression)).toBe(false);
  });

  it('that would need an automaton without bound is refused', () => {
    expect(answer(`${a}.text.matches("((a{1,1000}){1,1000}){1,1000}")`)).toBe('compile-error');
  });
});

describe('nesting', () => {
  it.each([
    ['parentheses', `${'('.repeat(3000)}true${')'.repeat(3000)}`],
    ['negations', `${'!('.repeat(3000)}true${')'.repeat(3000)}`],
    ['lists', `${'['.repeat(3000)}${']'.repeat(3000)} == []`],
    ['conditionals', `${'true ? '.repeat(1000)}true${' : false'.repeat(1000)}`],
    ['fields', `device${'.a'.repeat(4000)} == 1`],
  ])('of %s beyond the limit is refused with a position', (_, expression) => {
    const selector = compile(expression);
    expect(selector).toMatchObject({ kind: 'CompileError', position: { line: 1 } });
    expect(selector).not.toMatchObject({ message: expect.stringMatching(/internal error/) });
  });

  it('is not limited for operators in a row', () => {
    expect(answer(Array.from({ length: 200 }, () => 'true').join(' && '))).toBe(true);
  });
});

describe('length', () => {
  const padded = (bytes: number) => `true${' '.repeat(bytes - 4)}`;

  it('of 10,240 bytes is taken, one more is refused', () => {
    expect(answer(padded(10_240))).toBe(true);
    expect(answer(padded(10_241))).toBe('compile-error');
  });

  it('counts bytes, not characters', () => {
    expect(answer(`"${'é'.repeat(5115)}" != ""`)).toBe(true);
    expect(answer(`"${'é'.repeat(5120)}" != ""`)).toBe('compile-error');
  });
});
