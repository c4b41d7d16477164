// Pools that the console keeps between two lists of ResourceSlices.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSlicePools } from '../../../lib/commands/console/slicePools.ts';
import { poolsOf } from '../../../lib/model/snapshot.ts';
import { aSlice, driver } from '../../support/objects.ts';

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  pool: fc.constantFrom('rack', 'node'),
  generation: fc.constantFrom(1, 2),
  devices: fc.subarray(['gpu-0', 'gpu-1']),
  isRemoved: fc.boolean(),
});

it('pools after any changes of their slices are those of the slices', () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 8 }), (readings) => {
      const slices = new Map<string, ReturnType<typeof aSlice>>();
      const pools = createSlicePools();
      for (const steps of readings) {
        for (const { name, pool, generation, devices, isRemoved } of steps) {
          if (isRemoved) slices.delete(name);
          else {
            const of = { name: pool, generation };
            slices.set(name, aSlice(name, { driver, pool: of, devices: devices.map((device) => ({ name: device })) }));
          }
        }
        const now = [...slices.values()];
        expect(new Map([...pools(now)].sort())).toEqual(new Map([...poolsOf(now)].sort()));
      }
    }),
  );
});

it('a pool stays the same object while none of its slices changes', () => {
  const [one, two, other] = ['one', 'two', 'other'].map((name) =>
    aSlice(name, { driver, pool: { name, generation: 1 }, devices: [{ name: 'gpu-0' }] }),
  ) as [ReturnType<typeof aSlice>, ReturnType<typeof aSlice>, ReturnType<typeof aSlice>];
  const pools = createSlicePools();
  const first = [...pools([one, two]).values()];
  const second = [...pools([one, { ...two }]).values()];
  const third = [...pools([one, other]).values()];
  expect(second[0]).toBe(first[0]);
  expect(second[1]).not.toBe(first[1]);
  expect(third[0]).toBe(first[0]);
  expect(third).toHaveLength(2);
});
