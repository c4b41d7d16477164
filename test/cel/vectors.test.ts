// Every known answer of the reference implementation, compared exactly.
import { describe, expect, it, test } from 'vitest';
import type { DeviceFields } from '../../lib/cel/device.ts';
import { releases } from '../../lib/cel/environment.ts';
import { resultOf } from './resultOf.ts';
import vectors from './vectors.json' with { type: 'json' };

describe('the reference implementation agrees on every vector', () => {
  test.each(vectors)(
    'an expression has the answer of the reference implementation: $name',
    ({ expression, device, expect: wanted }) => {
      expect(resultOf(expression, device as DeviceFields)).toBe(wanted);
    },
  );
});

const minor = (release: string) => Number(release.slice(2));

describe.each(releases)('vectors in %s', (release) => {
  it('every vector of this release or an earlier one holds', () => {
    const known = vectors.filter(({ since }) => minor(since ?? '1.31') <= minor(release));
    const wrong = known.filter(({ expression, device, expect: wanted }) => {
      return resultOf(expression, device as DeviceFields, release) !== wanted;
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('no vector of a later release holds', () => {
    const later = vectors.filter(({ since }) => minor(since ?? '1.31') > minor(release));
    const same = later.filter(({ expression, device, expect: wanted }) => {
      return resultOf(expression, device as DeviceFields, release) === wanted;
    });
    expect(same.map(({ name }) => name)).toEqual([]);
  });
});
