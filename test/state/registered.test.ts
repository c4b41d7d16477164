// What a process keeps of the limiters that it has used does not grow with those that have ever been.
import { expect, it } from 'vitest';
import { createMemory } from '../../lib/memory.ts';
import { registerLimiters } from '../../lib/state/spreadList.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;

/** Limiters that a process knows after so many hours in each of which 4,000 others are used. */
async function knownAfter(hours: number) {
  const { table, cluster } = createWorld({ start });
  const memory = createMemory();
  for (let hour = 0; hour < hours; hour++) {
    const limiters = Array.from({ length: 4000 }, (_, i) => `rule|${hour}-${i}`);
    await registerLimiters({ table, cluster, memory }, limiters, start + hour * 3_600_000);
  }
  return memory.of('limiters in use', () => new Map()).size;
}

it('a process of twelve hours knows no more limiters than one of four', async () => {
  expect(await knownAfter(4)).toBeLessThanOrEqual(10_000);
  expect(await knownAfter(12)).toBeLessThanOrEqual(10_000);
});
