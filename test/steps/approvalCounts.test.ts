// Each eviction checks whether its rule needs an approval: the rows read for that do not grow with the pods beyond the limit.
import { expect, it } from 'vitest';
import { currentRuleSet } from '../../lib/state/currentRules.ts';
import { isUnapproved } from '../../lib/steps/approval.ts';
import { aRule, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;

/** The rows of the list that one check reads while `listed` pods are listed. */
async function rowsReadFor(listed: number, limits: { maxPods?: number; maxNamespaces?: number }) {
  let rows = 0;
  const world = createWorld({
    start,
    around: async (name, call, [range]) => {
      const answer = await call();
      const isOfList = name === 'query' && (range as { readonly pk: string }).pk.includes('#LIMITER#');
      if (isOfList) rows += (answer as { readonly rows: readonly unknown[] }).rows.length;
      return answer;
    },
  });
  const { cluster, table } = world;
  const state = { table: world.deps.table, cluster, memory: world.deps.memory };
  const rule = aRule('all', start, { deviceSelector: { pool: 'none' } });
  const policy = evictionPolicy({ limits, resourceVersion: nextVersion() });
  await world.deliver({ stage: 'ingest', at: start, body: [upserted(policy), upserted(rule)] });
  const limiter = `rule|${rule.uid}`;
  for (let i = 0; i < listed; i++) {
    const sk = `P#${String(i).padStart(8, '0')}`;
    const row = { pk: `${cluster}#LIMITER#${limiter}`, sk, pod: `team-${i % 500}/p${i}`, uid: `u${i}` };
    await table.write({ kind: 'Put', row: { ...row, ns: `team-${i % 500}` } });
  }
  rows = 0;
  const ruleSet = await currentRuleSet(state);
  const answer = await isUnapproved(world.deps, state, { limiter, ruleSet });
  return { rows, answer };
}

it.each([{ maxPods: 10 }, { maxNamespaces: 10 }])(
  'one page of listed pods shows that limits %j are exceeded',
  async (limits) => {
    const [small, large] = [await rowsReadFor(2000, limits), await rowsReadFor(10_000, limits)];
    expect(small).toEqual({ answer: true, rows: 1000 });
    expect(large).toEqual(small);
  },
);

it('limits are known to be kept only after all listed pods are counted', async () => {
  expect(await rowsReadFor(2000, { maxPods: 2000 })).toEqual({ answer: false, rows: 2000 });
  expect(await rowsReadFor(2001, { maxPods: 2000 })).toEqual({ answer: true, rows: 2001 });
});
