// The limit of a whole cluster, over all its rules and slices, through the whole path and in the table.
import { describe, expect, it } from 'vitest';
import { reserveSlots } from '../../lib/state/bucketRows.ts';
import type { Table } from '../../lib/table.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;

/** Pods `a-0`… of pool `a`, and so on; each pool has a rule of its own. */
async function twoRules(limit: number | undefined, count: number, annotations: Record<string, string> = {}) {
  const world = createWorld({ start, ...(limit === undefined ? {} : { maxEvictionsPerSecond: limit }) });
  const ingest = (...body: Parameters<typeof upserted>[0][]) =>
    world.deliver({ stage: 'ingest', at: world.now(), body: body.map((one) => upserted(one)) });
  await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start)] });
  for (const pool of ['a', 'b'])
    for (let i = 0; i < count; i++) {
      const name = `${pool}-${i}`;
      world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
      const devices = [{ request: 'gpu', driver: 'gpu.example.com', pool, device: name, tolerations: [] }];
      await ingest(aClaim(name, name, { allocation: { devices } }), aPod(name));
    }
  for (const pool of ['a', 'b']) {
    const rule = aRule(pool, start, { deviceSelector: { pool }, annotations });
    world.api.rules.set(pool, { rule, conditions: [] });
    await ingest(rule);
  }
  return world;
}

async function run(world: World, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await world.runUntil(world.now() + 10_000);
    await world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now())] });
  }
}

const mostInASecond = (world: World) => {
  const at = world.api.deletes.map((one) => one.at);
  return Math.max(...at.map((from) => at.filter((to) => to >= from && to < from + 1000).length));
};

describe('two rules in a cluster', () => {
  it('without a limit go side by side', async () => {
    const world = await twoRules(undefined, 30);
    await run(world, 10);
    expect(world.api.deletes).toHaveLength(60);
    expect(mostInASecond(world)).toBeGreaterThan(20);
  });

  it('with a limit of 2 take turns at it, and all of their pods go', async () => {
    const world = await twoRules(2, 30);
    await run(world, 20);
    expect(world.api.deletes.length).toBeGreaterThanOrEqual(38);
    expect(world.api.deletes.length).toBeLessThanOrEqual(44);
    await run(world, 130);
    expect(new Set(world.api.deletes.map(({ pod }) => pod.uid)).size).toBe(60);
    expect(world.api.deletes).toHaveLength(60);
    expect(mostInASecond(world)).toBeLessThanOrEqual(4);
  });

  it('with a limit of 0 evict nobody', async () => {
    const world = await twoRules(0, 3);
    await run(world, 70);
    expect(world.api.deletes).toEqual([]);
  });

  it('with a limit above both go at their own rates', async () => {
    const slow = { 'sluice.dev/evictions-per-second': '1', 'sluice.dev/burst': '1' };
    const world = await twoRules(100, 20, slow);
    await run(world, 10);
    expect(world.api.deletes.length).toBeGreaterThanOrEqual(18);
    expect(world.api.deletes.length).toBeLessThanOrEqual(22);
  });
});

describe('pacers of several limiters under one limit', () => {
  const rate = { perSecond: 100, burst: 100 };
  const request = { rate, now: start, wanted: 10, horizon: 90_000, limit: 7 };

  it('side by side take each place once', async () => {
    const state = { table: createInMemoryTable(), cluster: 'c' };
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, i) => reserveSlots(state, `rule|${i % 3}`, request)),
    );
    const bySecond = new Map<number, number>();
    for (const slot of taken.flat()) {
      const second = Math.floor(Math.max(slot, start) / 1000);
      bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    }
    expect(taken.flat().length).toBeGreaterThanOrEqual(100);
    for (const count of bySecond.values()) expect(count).toBeLessThanOrEqual(7);
    const counted = state.table.rows().flatMap(({ taken: places }) => (Array.isArray(places) ? places : []));
    expect(counted.reduce((sum: number, one: number) => sum + one, 0)).toBe(taken.flat().length);
  });

  it('whose transaction is lost for good get nothing and take nothing', async () => {
    const inner = createInMemoryTable();
    const table: Table = { ...inner, transact: async () => ({ kind: 'Lost' }) };
    expect(await reserveSlots({ table, cluster: 'c' }, 'rule|x', request)).toEqual([]);
    expect(inner.rows()).toEqual([]);
  });

  it('go on with what is left over several rows of places', async () => {
    const state = { table: createInMemoryTable(), cluster: 'c' };
    const slots: number[] = [];
    for (let i = 0; i < 70; i++) slots.push(...(await reserveSlots(state, 'rule|x', request)));
    // 91 seconds, of which the first has begun: seven in each.
    expect(slots).toHaveLength(91 * 7);
    expect(new Set(slots.map((slot) => Math.floor(Math.max(slot, start) / 1000))).size).toBe(91);
  });
});
