// Answers of the reference implementation of each release, beyond the shared vectors: edges of every library, and random expressions.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildDevice, type DeviceFields } from '../../lib/cel/device.ts';
import type { Release } from '../../lib/cel/environment.ts';
import { compile } from '../../lib/cel/selector.ts';
import { type Result, resultOf } from './resultOf.ts';

/** The newest release's answer, those of older releases that differ, and what the newest charges, where that is always the same. */
type Row = readonly [expression: string, newest: Result, older?: Readonly<Record<string, Result>>, cost?: number];

const [first = '{}', ...rest] = readFileSync(new URL('answers.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const device = JSON.parse(first) as DeviceFields;
const rows = rest.map((line) => JSON.parse(line) as Row);

/** Before 1.36 every selector fails on a device with a list. */
const isList = (value: object) => ['ints', 'bools', 'strings', 'versions'].some((kind) => kind in value);
const scalars: DeviceFields = {
  ...device,
  attributes: Object.fromEntries(Object.entries(device.attributes ?? {}).filter(([, value]) => !isList(value))),
};

const releases: readonly Release[] = ['1.31', '1.32', '1.33', '1.34', '1.36', '1.37'];

describe.each(releases)('Kubernetes %s', (release) => {
  const on = Number(release.slice(2)) < 36 ? scalars : device;

  it('every expression has the answer of this release', () => {
    const wrong = rows.flatMap(([expression, newest, older]) => {
      const wanted = older?.[release] ?? newest;
      const answer = resultOf(expression, on, release);
      return answer === wanted ? [] : [{ expression, wanted, answer }];
    });
    expect(wrong).toEqual([]);
  });
});

describe('an answer', () => {
  it('every expression costs what the newest release charges for it', () => {
    const built = buildDevice(device);
    const wrong = rows.flatMap(([expression, , , cost]) => {
      const selector = compile(expression);
      if (cost === undefined || selector.kind !== 'Compiled') return [];
      selector.matches(built);
      return selector.lastCost() === cost ? [] : [{ expression, cost, counted: selector.lastCost() }];
    });
    expect(wrong).toEqual([]);
  });
});

describe('the rows', () => {
  it('the rows have answers of all four kinds, and some that changed between releases', () => {
    expect(new Set(rows.map(([, newest]) => newest))).toEqual(new Set([true, false, 'compile-error', 'runtime-error']));
    expect(rows.filter(([, , older = {}]) => Object.keys(older).length > 0).length).toBeGreaterThan(50);
  });
});
