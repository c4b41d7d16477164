// A cluster read page by page gives the same results as a whole snapshot, and no page grows with the cluster.
import { expect, it } from 'vitest';
import { addCensus, censusOf, emptyCensus } from '../../lib/decide/census.ts';
import { isTolerating, taintedDevices } from '../../lib/decide/gauges.ts';
import { nothingTallied, tallyMode } from '../../lib/decide/modePlan.ts';
import { nonePicked, pickedIn } from '../../lib/decide/projection.ts';
import { addSelected, noDevices, selectedIn } from '../../lib/decide/selected.ts';
import { hashOf } from '../../lib/mirror/ranges.ts';
import type { Change } from '../../lib/model/change.ts';
import type { ResourceClaim } from '../../lib/model/objects.ts';
import { snapshotOf } from '../../lib/model/snapshot.ts';
import { consumerPages, placedClaims, podPages } from '../../lib/state/clusterPages.ts';
import { partsOf } from '../../lib/state/clusterWalk.ts';
import { poolPages } from '../../lib/state/poolPages.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, driver, upserted } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;

/** Each pod has two devices in neighbouring pools; the last pool is not published. */
async function clusterOf(nodes: number) {
  const rule = aRule('r', start, { deviceSelector: { device: 'gpu-1' } });
  const slices = Array.from({ length: nodes }, (_, i) =>
    aSlice(`slice-${i}`, {
      pool: { name: `node-${i}`, generation: 1 },
      devices: [{ name: 'gpu-0', taints: [{ key: 'k', effect: 'None' }] }, { name: 'gpu-1' }],
    }),
  );
  const held = (pool: string, device: string) => ({ request: 'r', driver, pool, device, tolerations: [] });
  const claims = Array.from({ length: nodes }, (_, i): ResourceClaim => {
    const first = { ...held(`node-${i}`, 'gpu-0'), ...(i === 0 ? { tolerations: [{ operator: 'Exists' }] } : {}) };
    return aClaim(`p${i}`, '', { allocation: { devices: [first, held(`node-${i + 1}`, 'gpu-1')] } });
  });
  const pods = claims.map((_, i) => aPod(`p${i}`));
  const world = createWorld({ start });
  world.api.rules.set('r', { rule, conditions: [] });
  const objects = [...slices, ...claims, ...pods, rule];
  const changes: Change[] = [aHeartbeat(start), ...objects.map((object) => upserted(object))];
  for (let i = 0; i < changes.length; i += 100)
    await world.deliver({ stage: 'ingest', at: start, body: changes.slice(i, i + 100) });
  const state = { table: world.table, cluster: world.cluster };
  return { state, settings: world.deps.settings, whole: snapshotOf({ pods, claims, slices, rules: [rule] }), rule };
}

async function all<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

it('device counts of the pages add up to those of the whole cluster', async () => {
  const { state, settings, whole, rule } = await clusterOf(150);
  const pools = await all(poolPages(state, settings));
  expect(pools.length).toBeGreaterThan(1);
  const selected = pools.map((part) => selectedIn(rule, part)).reduce(addSelected, noDevices);
  expect(selected).toEqual(selectedIn(rule, whole));
  expect(selected).toMatchObject({ published: 150, allocated: 150 });
  const tainted = pools.map(taintedDevices);
  expect(tainted.reduce((sum, one) => sum + one.TaintedDevices, 0)).toBe(300);
  expect(tainted.reduce((sum, one) => sum + one.AllocatedTaintedDevices, 0)).toBe(299);
  const by = { rule, maxRules: 10 };
  const picked = pools.reduce((before, snapshot) => pickedIn(before, { ...by, snapshot }), nonePicked);
  expect(picked.count).toBe(151);
  expect(picked.devices).toHaveLength(10);
  expect((await all(partsOf(placedClaims(state)))).flat().filter(isTolerating)).toHaveLength(1);
});

it('the pages of pods give the same census and mode tally as the whole cluster', async () => {
  const { state, settings, whole } = await clusterOf(150);
  for (const pages of [podPages, consumerPages]) {
    const parts = await all(pages(state, settings));
    const census = parts.map(censusOf).reduce(addCensus, emptyCensus);
    expect(census).toEqual(censusOf(whole));
  }
  const parts = await all(podPages(state, settings));
  const tally = parts.reduce(
    (before, snapshot) => tallyMode(before, { source: 'native', snapshot, hash: hashOf }),
    nothingTallied,
  );
  expect(tally).toEqual(tallyMode(nothingTallied, { source: 'native', snapshot: whole, hash: hashOf }));
});

it('a page of pools or pods does not grow with the cluster', async () => {
  const { state, settings } = await clusterOf(1500);
  for (const part of await all(poolPages(state, settings))) {
    expect(part.pools.size).toBeLessThanOrEqual(100);
    expect(part.claims.size).toBeLessThanOrEqual(200);
  }
  for (const part of await all(podPages(state, settings))) expect(part.pods.length).toBeLessThanOrEqual(100);
});
