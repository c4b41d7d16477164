// No input ends in a stack trace: any text is a valid configuration or has problems with positions.
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

/** Syntax of YAML, keys of Sluice, and properties that every JavaScript object has. */
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

describe('the validation of a configuration', () => {
  it('any text is valid or has problems with positions', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), hasAnswer), { numRuns: 500 });
  });

  it.each(['[', '{a: ', '[{', '{"}": ', '- ', '? '])(
    'text nested by thousands of %j is refused as nested too deep',
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

  it('any sequence of YAML syntax is valid or has problems with positions', () => {
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(text, hasAnswer), { numRuns: 1000 });
  });

  it('a changed valid configuration is valid or has problems with positions', () => {
    const change = fc.record({ at: fc.nat(everything.length), length: fc.nat(30), by: piece });
    const changed = fc
      .array(change, { minLength: 1, maxLength: 3 })
      .map((changes) =>
        changes.reduce((text, { at, length, by }) => text.slice(0, at) + by + text.slice(at + length), everything),
      );
    fc.assert(fc.property(changed, hasAnswer), { numRuns: 500 });
  });

  it('any values of any keys are valid or have problems with positions', () => {
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
