// docs/reference/rules.md names every scenario, and no other.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scenarios } from './scenarios.ts';

const page = readFileSync(new URL('../../docs/reference/rules.md', import.meta.url), 'utf8');
const named = new Set(
  [...page.matchAll(/`((?:row-\d{3}|kep-5194|bad-input|finalizer|prioritized) [^`]+)`/g)].map(([, name]) => name),
);
const names = scenarios.map((scenario) => scenario.name);

it('every scenario is named by a rule', () => {
  expect(names.filter((name) => !named.has(name))).toEqual([]);
});

it('every scenario that a rule names exists', () => {
  expect([...named].filter((name) => !names.some((one) => one === name))).toEqual([]);
});

it('every row of the table from 1 to 95, and 117 and 118, has a scenario', () => {
  const rows = new Set(names.flatMap((name) => /^row-(\d{3}) /.exec(name)?.[1] ?? []).map(Number));
  const expected = [...Array.from({ length: 95 }, (_, i) => i + 1), 117, 118];
  expect(expected.filter((row) => !rows.has(row))).toEqual([]);
});

it('no two scenarios share a name', () => {
  expect(new Set(names).size).toBe(names.length);
});
