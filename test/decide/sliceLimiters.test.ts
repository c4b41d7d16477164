// The limiters for the taints of one slice.
import { expect, it } from 'vitest';
import { limitersIn } from '../../lib/decide/sliceLimiters.ts';
import { aSlice, aTaintSlice } from '../support/objects.ts';

const timeAdded = 1_800_000_000_000;
const of = (slice: Parameters<typeof limitersIn>[0]) =>
  Object.fromEntries([...limitersIn(slice)].map(([limiter, { isTimed }]) => [limiter, isTimed]));

it('a ResourceSlice has one limiter for each key and value with NoExecute, on however many devices', () => {
  const ecc = { key: 'example.com/ecc', effect: 'NoExecute', timeAdded };
  const devices = [
    { name: 'a', taints: [ecc, { ...ecc, value: 'x' }, { ...ecc, key: 'example.com/fan', effect: 'NoSchedule' }] },
    { name: 'b', taints: [ecc] },
    { name: 'c' },
  ];
  expect(of(aSlice('slice', { devices }))).toEqual({
    'slice|gpu.example.com|example.com/ecc||NoExecute': true,
    'slice|gpu.example.com|example.com/ecc|x|NoExecute': true,
  });
});

it('a limiter of a DeviceTaintSlice is timed once the status has a time for every device, and has its own rate in its name', () => {
  const taint = { key: 'example.com/ecc', effect: 'NoExecute' } as const;
  const fan = { ...taint, key: 'example.com/fan', evictionsPerSecond: 2 };
  const taints = [
    { device: 'a', taint },
    { device: 'b', taint },
    { device: 'c', taint },
    { device: 'a', taint: fan },
  ];
  const written = (device: string, key: string = taint.key) => ({
    device,
    key,
    effect: 'NoExecute' as const,
    timeAdded,
  });
  const seen = [written('a'), written('c'), written('a', fan.key)];
  const [ecc, own] = [
    'slice|gpu.example.com|example.com/ecc||NoExecute',
    'slice|gpu.example.com|example.com/fan||NoExecute|2/',
  ];
  expect(of(aTaintSlice('agent', { taints, seen }))).toEqual({ [ecc]: false, [own]: true });
  expect(of(aTaintSlice('agent', { taints, seen: [...seen, written('b')] }))).toEqual({ [ecc]: true, [own]: true });
  expect(of(aTaintSlice('agent', { taints, seen: [] }))).toEqual({ [ecc]: false, [own]: false });
});
