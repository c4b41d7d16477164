// The limit of a whole cluster, over all its rules and slices, through the whole path and in the table.
import { describe, expect, it } from 'vitest';
import { takeFromBucket } from '../../lib/state/bucketRows.ts';
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
  it('two rules without a cluster limit evict side by side', async () => {
    const world = await twoRules(undefined, 30);
    await run(world, 10);
    expect(world.api.deletes).toHaveLength(60);
    expect(mostInASecond(world)).toBeGreaterThan(20);
  });

  it('two rules under a cluster limit of 2 share it, and all of their pods are evicted', async () => {
    const world = await twoRules(2, 30);
    await run(world, 20);
    expect(world.api.deletes.length).toBeGreaterThanOrEqual(38);
    expect(world.api.deletes.length).toBeLessThanOrEqual(44);
    await run(world, 130);
    expect(new Set(world.api.deletes.map(({ pod }) => pod.uid)).size).toBe(60);
    expect(world.api.deletes).toHaveLength(60);
    expect(mostInASecond(world)).toBeLessThanOrEqual(4);
  });

  it('two rules under a cluster limit of 0 evict no pod', async () => {
    const world = await twoRules(0, 3);
    await run(world, 70);
    expect(world.api.deletes).toEqual([]);
  });

  it('two rules under a cluster limit above both rates evict at their own rates', async () => {
    const slow = { 'sluice.dev/evictions-per-second': '1', 'sluice.dev/burst': '1' };
    const world = await twoRules(100, 20, slow);
    await run(world, 10);
    expect(world.api.deletes.length).toBeGreaterThanOrEqual(18);
    expect(world.api.deletes.length).toBeLessThanOrEqual(22);
  });
});

describe('invocations for several limiters under one limit', () => {
  const rate = { perSecond: 100, burst: 100 };
  const request = { rate, now: start, wanted: 10, ahead: 1000, limit: 7 };

  it('concurrent invocations take each token once, at most those of one second and of the next', async () => {
    const state = { table: createInMemoryTable(), cluster: 'c@incarnation' } as const;
    const asked = Array.from({ length: 12 }, (_, i) => takeFromBucket(state, { ...request, name: `rule|${i % 3}` }));
    const tokens = (await Promise.all(asked)).flatMap((taken) => taken.tokens);
    // Seven saved tokens, and six that become due within the next second; a seventh is due a moment later.
    expect(tokens).toHaveLength(13);
    const ahead = tokens.filter((at) => at > start).sort((a, b) => a - b);
    for (const [i, at] of ahead.entries()) expect(at).toBeGreaterThanOrEqual(start + ((i + 1) * 1000) / 7);
  });

  it('an invocation whose transaction is lost gets no token and takes none', async () => {
    const inner = createInMemoryTable();
    const table: Table = { ...inner, transact: async () => ({ kind: 'Lost' }) };
    const { tokens } = await takeFromBucket({ table, cluster: 'c@incarnation' }, { ...request, name: 'rule|x' });
    expect(tokens).toEqual([]);
    expect(inner.rows()).toEqual([]);
  });
});
