// No text makes the evaluator crash or hang, and every answer is one of four.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDevice } from '../../lib/cel/device.ts';
import { releases } from '../../lib/cel/environment.ts';
import { costLimit } from '../../lib/cel/meter.ts';
import { compile } from '../../lib/cel/selector.ts';
import { randomExpression, tapeOf } from './randomExpression.ts';
import vectors from './vectors.json' with { type: 'json' };

/** `npm run fuzz:cel` sets 100,000. */
const numRuns = Number(process.env.SLUICE_FUZZ_RUNS ?? 1500);
const minute = 60_000;

const device = buildDevice({
  driver: 'gpu.example.com',
  attributes: {
    model: { string: 'a100' },
    index: { int: 0 },
    healthy: { bool: true },
    driverVersion: { version: '535.104.5' },
    big: { int: '9223372036854775807' },
    models: { strings: ['a100', 'h100'] },
    ids: { ints: [1, 2, 3] },
    unicode: { string: 'é€😀' },
    ts: { string: '2024-06-01T12:00:00Z' },
  },
  capacity: { memory: { value: '40Gi' } },
});

const tape = fc.array(fc.nat({ max: 1000 }), { maxLength: 200, size: 'max' });
const expressions = tape.map((choices) => randomExpression(tapeOf(choices)));

/** One of the four answers, after the checks for that answer. */
function judge(expression: string, release = releases.at(-1)): string {
  const selector = compile(expression, release ? { release } : {});
  if (selector.kind === 'CompileError') {
    expect(selector.message).not.toMatch(/internal error/);
    expect(selector.position.offset).toBeLessThanOrEqual(expression.length);
    return 'compile-error';
  }
  const match = selector.matches(device);
  expect(selector.matches(device)).toEqual(match);
  if (typeof match === 'boolean') {
    expect(selector.lastCost()).toBeLessThanOrEqual(costLimit);
    return String(match);
  }
  expect(match.error).not.toBe('');
  expect(match.error).not.toMatch(/is not a function|undefined|Maximum call stack/);
  return 'runtime-error';
}

const mutations = fc.record({
  vector: fc.constantFrom(...vectors),
  cuts: fc.array(
    fc.record({
      at: fc.nat({ max: 400 }),
      length: fc.nat({ max: 4 }),
      put: fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.constantFrom(...'()[]{}.?,:"\'\\|&=!<>+-*/%0a ')),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

describe('a random text', () => {
  it('a random text of the grammar has one of four answers, the same each time, in every release', {
    timeout: 60 * minute,
  }, () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(expressions, fc.constantFrom(...releases), (expression, release) => {
        const answer = judge(expression, release);
        seen.set(answer, (seen.get(answer) ?? 0) + 1);
      }),
      { numRuns },
    );
    expect([...seen.keys()].toSorted()).toEqual(['compile-error', 'false', 'runtime-error', 'true']);
  });

  it('a random text of any characters has one of four answers', { timeout: 60 * minute }, () => {
    const garbage = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
    fc.assert(
      fc.property(garbage, (text) => {
        judge(text);
      }),
      { numRuns },
    );
  });

  it('a vector with a few random changes has one of four answers', { timeout: 60 * minute }, () => {
    fc.assert(
      fc.property(mutations, ({ vector, cuts }) => {
        const changed = cuts.reduce(
          (text, { at, length, put }) =>
            text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + length),
          vector.expression,
        );
        judge(changed);
      }),
      { numRuns },
    );
  });
});
