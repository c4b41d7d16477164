// A report counts pending pods page by page.
import { expect, it } from 'vitest';
import { ruleLimiter, ruleRef } from '../../../lib/model/rule.ts';
import { report } from '../../../lib/stages/report/report.ts';
import { limiterPartition } from '../../../lib/state/keys.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;

it('a report counts 1,200 listed pods in pages of at most 1,000', async () => {
  let most = 0;
  const world = createWorld({
    start,
    around: async (name, call, [range]) => {
      const answer = await call();
      const isOfList = name === 'query' && (range as { readonly pk: string }).pk.includes('#LIMITER#');
      if (isOfList) most = Math.max(most, (answer as { readonly rows: readonly unknown[] }).rows.length);
      return answer;
    },
  });
  const rule = aRule('bad', start, { annotations: { 'sluice.dev/evictions-per-second': '0' } });
  world.api.rules.set('bad', { rule, conditions: [] });
  const pods = Array.from({ length: 1200 }, (_, i) => aPod(`p${i}`, { namespace: `ns-${i % 3}` }));
  const claims = pods.map(({ namespace, name }) => ({ ...aClaim(name, name), namespace }));
  const body = [aHeartbeat(start), upserted(rule), ...[...claims, ...pods].map((one) => upserted(one))];
  await world.deliver({ stage: 'ingest', at: start, body });
  await world.runUntil(start + 15_000);
  const said = world.api.rules.get('bad')?.conditions.find(({ type }) => type === 'EvictionInProgress');
  expect(said?.message).toMatch(/^1200 pods need to be evicted in 3 different namespaces/);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(1000);
});

it.each([2000, 20_000])(
  'a report over %i listed pods makes at most two queries per thousand pods, and two more',
  async (listed) => {
    let queries = 0;
    const world = createWorld({
      start,
      around: (name, call, [range]) => {
        if (name === 'query' && (range as { readonly pk: string }).pk.includes('#LIMITER#')) queries++;
        return call();
      },
    });
    const rule = aRule('bad', start, { annotations: { 'sluice.dev/evictions-per-second': '0' } });
    world.api.rules.set('bad', { rule, conditions: [] });
    await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start), upserted(rule)] });
    const pk = limiterPartition(world.cluster, ruleLimiter(rule));
    for (let i = 0; i < listed; i++) {
      const row = { pk, sk: `P#${String(i).padStart(8, '0')}`, pod: `ns/p${i}`, uid: `u${i}`, ns: 'ns' };
      await world.table.write({ kind: 'Put', row });
    }
    queries = 0;
    await report(world.depsOf('report'), { cluster: world.cluster, rule: ruleRef(rule) });
    const said = world.api.rules.get('bad')?.conditions.find(({ type }) => type === 'EvictionInProgress');
    expect(said?.message).toMatch(new RegExp(`^${listed} pods need to be evicted`));
    expect(queries).toBeLessThanOrEqual(2 * (listed / 1000) + 2);
  },
);
