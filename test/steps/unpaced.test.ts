// Many pods under a rule at the highest rate there is: nobody stands in line, and all go at once.
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
  for (const stage of ['reconcile', 'evict'] as const) {
    for (const message of world.messages.filter((one) => one.stage === stage)) {
      world.messages.splice(world.messages.indexOf(message), 1);
      await world.deliver(message);
    }
  }
  return paced;
}

it('all pods go without a pacer', async () => {
  const paced = await tainted('10000', '10000');
  expect(paced.gone()).toHaveLength(names.length);
});

it.each<[string, string, string, Parameters<typeof evictionPolicy>[0]?]>([
  ['at a lower rate', '9999', '10000'],
  ['where workloads go together', '10000', '10000', { groupBy: 'Workload' }],
  ['in a canary', '10000', '10000', { canary: { pods: 500, hold: 1000 } }],
])('%s only the first few do, and the pacer has the others', async (_, perSecond, burst, policy) => {
  const paced = await tainted(perSecond, burst, policy);
  expect(paced.gone().length).toBeLessThanOrEqual(10);
  await paced.run(30);
  expect(paced.gone()).toHaveLength(names.length);
});

it('no more go at once than the burst', async () => {
  const paced = await tainted('10000', '40');
  expect(paced.gone()).toHaveLength(40);
});
