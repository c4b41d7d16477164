// The cost of a waiting canary, which every message and every sweep checks again.
import { expect, it } from 'vitest';
import { allOwned } from '../../../lib/model/ownership.ts';
import { aPacedRule } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { pacedWorld } from '../../support/pacedWorld.ts';

const taints = [{ key: 'example.com/bad', effect: 'NoExecute' as const, evictionsPerSecond: 10, burst: 10 }];

/** Rows that one evict message reads from lists while the canary of its only taint holds the other pods. */
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

it('a waiting canary makes the evict stage read as many rows for 600 listed pods as for 120', async () => {
  expect(await rowsReadOf(600)).toBe(await rowsReadOf(120));
});
