// Every known answer of the reference implementation, compared exactly and in three values.
import { describe, expect, test } from 'vitest';
import type { DeviceFields } from '../../lib/cel/device.ts';
import { resultOf } from './resultOf.ts';
import vectors from './vectors.json' with { type: 'json' };

describe('the reference implementation agrees on every vector', () => {
  test.each(vectors)('$name', ({ expression, device, expect: wanted }) => {
    expect(resultOf(expression, device as DeviceFields)).toBe(wanted);
  });
});
