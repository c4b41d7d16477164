// Many pods under a rule at the highest rate: none waits for a token.
import { expect, it } from 'vitest';
import { aRule, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const names = Array.from({ length: 150 }, (_, i) => `p${i}`);

async function tainted(perSecond: string, burst: string, policy?: Parameters<typeof evictionPolicy>[0]) {
  const paced = await pacedWorld(Object.fromEntries(names.map((name) => [name, {}])));
  const { world } = paced;
  if (policy) await paced.ask(evictionPolicy(policy));
  const annotations = { 'sluice.dev/evictions-per-second': perSecond, 'sluice.dev/burst': burst };
  const rule = aRule('r', start, { annotations });
  world.api.rules.set('r', { rule, conditions: [] });
  await paced.ingest(upserted(rule));
  await paced.run(1);
  return paced;
}

it('a rate of 10000 evicts 150 pods within a second', async () => {
  const paced = await tainted('10000', '10000');
  expect(paced.gone()).toHaveLength(names.length);
});

it('a rate of 10000 evicts 150 pods of one workload within a second', async () => {
  const paced = await tainted('10000', '10000', { groupBy: 'Workload' });
  expect(paced.gone()).toHaveLength(names.length);
});

it('a rate of 10000 evicts the pods of a canary first, and all others after its hold', async () => {
  const paced = await tainted('10000', '10000', { canary: { pods: 20, hold: 5000 } });
  expect(paced.gone()).toHaveLength(20);
  await paced.run(8);
  expect(paced.gone()).toHaveLength(names.length);
});
