// A change of many rules requests at most a hundred reports at a time.
import { expect, it } from 'vitest';
import { askForReports } from '../../lib/steps/announce.ts';
import { askForPlans } from '../../lib/steps/movedPlans.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;

async function most(ask: typeof askForPlans, count: number) {
  let [running, most] = [0, 0];
  const world = createWorld({
    start,
    around: async (name, call) => {
      if (name !== 'write') return call();
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return call();
    },
  });
  const rules = Array.from({ length: count }, (_, i) => `DeviceTaintRule/rule-${i}`);
  await ask(world.deps, { table: world.deps.table, cluster: world.cluster }, rules);
  expect(world.messages).toHaveLength(count);
  return most;
}

it.each([
  ['reports', askForReports],
  ['plans', askForPlans],
] as const)('%s of 2,000 rules are requested as many at a time as those of 500', async (_, ask) => {
  const [small, large] = [await most(ask, 500), await most(ask, 2000)];
  expect(large).toBe(small);
  expect(large).toBeLessThanOrEqual(100);
});
