// No input ends in a stack trace: any text is a configuration, or has problems with places in it.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatProblem, validateConfig } from '../../lib/config/read.ts';

const everything = readFileSync('deploy/examples/configuration/everything.yaml', 'utf8');

function hasAnswer(text: string): void {
  const read = validateConfig(text);
  if (read.kind === 'Valid') return;
  expect(read.problems.length).toBeGreaterThan(0);
  const lines = text.split(/\r\n|\r|\n/).length;
  for (const one of read.problems) {
    expect(one.line).toBeGreaterThanOrEqual(1);
    expect(one.line).toBeLessThanOrEqual(lines + 1);
    expect(one.column).toBeGreaterThanOrEqual(1);
    expect(formatProblem('f', one)).toMatch(/^f:\d+:\d+: \S/);
    expect(one.text).not.toMatch(/undefined|\[object|\bat .+:\d+:\d+/);
  }
}

/** Pieces that YAML gives a meaning to, and keys that objects have of themselves. */
const piece = fc.oneof(
  fc.constantFrom(
    ': ',
    '- ',
    '\n',
    '  ',
    '{',
    '}',
    '[',
    ']',
    '&a ',
    '*a',
    '!!binary ',
    '!x ',
    '|',
    '>',
    '"',
    "'",
    '#',
    '? ',
  ),
  fc.constantFrom(
    '%',
    '---\n',
    '...',
    '<<: ',
    '\t',
    '\u0000',
    '\ufeff',
    '__proto__',
    'constructor',
    'clusters',
    'auth',
    '.nan',
  ),
  fc.string({ maxLength: 4 }),
);

describe('any text has an answer', () => {
  it('made of anything', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), hasAnswer), { numRuns: 500 });
  });

  it.each(['[', '{a: ', '[{', '{"}": ', '- ', '? '])(
    'made of %j, thousands of times, which says how deep it is',
    (opening) => {
      for (const count of [200, 3000, 20_000]) {
        const text = opening.repeat(count);
        hasAnswer(text);
        const read = validateConfig(text);
        const texts = read.kind === 'Valid' ? [] : read.problems.map((one) => one.text);
        expect(texts.join('\n')).not.toMatch(/call stack/);
        if (count > 3000) expect(texts).toContain('it is nested more than 50 levels deep');
      }
    },
  );

  it('made of pieces of YAML', () => {
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(text, hasAnswer), { numRuns: 1000 });
  });

  it('made from a valid one by replacing pieces of it', () => {
    const change = fc.record({ at: fc.nat(everything.length), length: fc.nat(30), by: piece });
    const changed = fc
      .array(change, { minLength: 1, maxLength: 3 })
      .map((changes) =>
        changes.reduce((text, { at, length, by }) => text.slice(0, at) + by + text.slice(at + length), everything),
      );
    fc.assert(fc.property(changed, hasAnswer), { numRuns: 500 });
  });

  it('that holds any values in any place', () => {
    const key = fc.constantFrom(
      'clusters',
      'stack',
      'settings',
      'network',
      'alarms',
      'limits',
      'tags',
      'retention',
      'auth',
    );
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })));
    fc.assert(
      fc.property(fc.dictionary(key, value), (config) => hasAnswer(stringify(config))),
      { numRuns: 500 },
    );
  });
});
