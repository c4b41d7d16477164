// Expressions built to run without end: each is stopped by a budget, or is answered by work linear in its size.
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

describe('nested loops', () => {
  it.each([
    ['all', nested('all', 10, 'true')],
    ['exists', nested('exists', 10, 'false')],
    ['exists_one', nested('exists_one', 10, 'true')],
    ['map', `${nested('map', 8, 'x0 * x1')}.size() > 0`],
    ['filter', `${nested('filter', 10, 'true')}.size() > 0`],
  ])('nested loops of %s end in an error or are refused', (_, expression) => {
    const match = answer(expression);
    expect(typeof match).not.toBe('boolean');
  });

  it('the error of nested loops names the limit that they exceeded', () => {
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
  ])('a growing value is stopped before it fills the memory: %s', (_, expression, wanted) => {
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
  ])('a regular expression that takes exponential time with backtracking is answered: %s', (expression) => {
    expect(answer(expression)).toBe(false);
  });

  it('a regular expression that needs an unbounded automaton is refused', () => {
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
  ])('nesting of %s beyond the limit is refused with a position', (_, expression) => {
    const selector = compile(expression);
    expect(selector).toMatchObject({ kind: 'CompileError', position: { line: 1 } });
    expect(selector).not.toMatchObject({ message: expect.stringMatching(/internal error/) });
  });

  it('operators in a row are not limited as nesting is', () => {
    expect(answer(Array.from({ length: 200 }, () => 'true').join(' && '))).toBe(true);
  });
});

describe('length', () => {
  const padded = (bytes: number) => `true${' '.repeat(bytes - 4)}`;

  it('an expression of 10,240 bytes is accepted, and one more byte is refused', () => {
    expect(answer(padded(10_240))).toBe(true);
    expect(answer(padded(10_241))).toBe('compile-error');
  });

  it('the length of an expression is counted in bytes, not characters', () => {
    expect(answer(`"${'é'.repeat(5115)}" != ""`)).toBe(true);
    expect(answer(`"${'é'.repeat(5120)}" != ""`)).toBe('compile-error');
  });
});
