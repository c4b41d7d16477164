// Every known answer of the reference implementation, compared exactly and in three values.
import { describe, expect, it, test } from 'vitest';
import type { DeviceFields } from '../../lib/cel/device.ts';
import { releases } from '../../lib/cel/environment.ts';
import { resultOf } from './resultOf.ts';
import vectors from './vectors.json' with { type: 'json' };

describe('the reference implementation agrees on every vector', () => {
  test.each(vectors)('$name', ({ expression, device, expect: wanted }) => {
    expect(resultOf(expression, device as DeviceFields)).toBe(wanted);
  });
});

const minor = (release: string) => Number(release.slice(2));

describe.each(releases)('a vector holds in %s', (release) => {
  it('if it holds since that release or an earlier one', () => {
    const known = vectors.filter(({ since }) => minor(since ?? '1.31') <= minor(release));
    const wrong = known.filter(({ expression, device, expect: wanted }) => {
      return resultOf(expression, device as DeviceFields, release) !== wanted;
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('unless it holds only since a later one', () => {
    const later = vectors.filter(({ since }) => minor(since ?? '1.31') > minor(release));
    const same = later.filter(({ expression, device, expect: wanted }) => {
      return resultOf(expression, device as DeviceFields, release) === wanted;
    });
    expect(same.map(({ name }) => name)).toEqual([]);
  });
});
