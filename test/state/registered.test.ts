// The number of limiters that a process remembers is bounded.
import { expect, it } from 'vitest';
import { createMemory } from '../../lib/memory.ts';
import { registerLimiters } from '../../lib/state/spreadList.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;

/** How many limiters a process remembers after so many hours, with 4,000 other limiters in each. */
async function knownAfter(hours: number) {
  const { table, cluster } = createWorld({ start });
  const memory = createMemory();
  for (let hour = 0; hour < hours; hour++) {
    const limiters = Array.from({ length: 4000 }, (_, i) => `rule|${hour}-${i}`);
    await registerLimiters({ table, cluster, memory }, limiters, start + hour * 3_600_000);
  }
  return memory.of('limiters in use', () => new Map()).size;
}

it('a process remembers at most 10,000 limiters, after four hours and after twelve', async () => {
  expect(await knownAfter(4)).toBeLessThanOrEqual(10_000);
  expect(await knownAfter(12)).toBeLessThanOrEqual(10_000);
});
