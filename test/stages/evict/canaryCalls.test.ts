// A canary that waits is looked at again and again, by each message and each sweep.
import { expect, it } from 'vitest';
import { allOwned } from '../../../lib/model/ownership.ts';
import { aPacedRule } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { pacedWorld } from '../../support/pacedWorld.ts';

const taints = [{ key: 'example.com/bad', effect: 'NoExecute' as const, evictionsPerSecond: 10, burst: 10 }];

/** Rows that one message to evict reads of lists while the canary of its only taint holds the others. */
async function rowsReadOf(pods: number): Promise<number> {
  let rows = 0;
  const paced = await pacedWorld(
    Object.fromEntries(Array.from({ length: pods }, (_, i) => [`p${i}`, {}])),
    {},
    () => allOwned,
    0,
    async (name, call) => {
      const answer = await call();
      if (name === 'query') rows += (answer as { readonly rows: readonly unknown[] }).rows.length;
      return answer;
    },
  );
  await paced.ask(evictionPolicy({ canary: { pods: 1, hold: 3_600_000 } }));
  await paced.write(aPacedRule('r', { taints }));
  await paced.run(20);
  expect(paced.gone()).toHaveLength(1);
  const { world } = paced;
  const limiter = 'rule|uid-r|example.com/bad|NoExecute';
  rows = 0;
  await world.deliver({ stage: 'evict', at: world.now(), body: { cluster: world.cluster, limiter } });
  return rows;
}

it('a canary that waits costs the evict stage no more where 600 pods are listed than where 120 are', async () => {
  expect(await rowsReadOf(600)).toBe(await rowsReadOf(120));
});
