// The progress of a cluster, read from a table that the real steps have written.
import { describe, expect, it } from 'vitest';
import { allOwned } from '../../lib/model/ownership.ts';
import type { ClusterProgress, LimiterProgress } from '../../lib/view/progress.ts';
import { createProgressReader, readClusterProgress } from '../../lib/view/readModel.ts';
import { aHeartbeat } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';
import { createRule, deleteRule, pass, playScene, run, sceneStart, tell } from './scene.ts';

function find(progress: ClusterProgress, name: string): LimiterProgress | undefined {
  return progress.limiters.find((one) => one.name === name);
}

const gpu = 'gpu.example.com';
const slow = {
  annotations: { 'sluice.dev/evictions-per-second': '0.3', 'sluice.dev/burst': '1' },
};
const workload = { namespace: 'ns', name: 'w', driver: gpu, pools: { prefix: 'node', count: 4 } };

async function smallWorld(count: number) {
  const world = createWorld({ start: sceneStart });
  const state = { table: world.table, cluster: world.cluster };
  await tell(world, aHeartbeat(world.now()));
  await run(world, { ...workload, count });
  return { world, read: createProgressReader(async () => state, { now: world.now }), state };
}

describe('a cluster in the middle of its evictions', () => {
  it('every rule has its state, and the shown evictions match the deletes at the API server', async () => {
    const { world, read } = await playScene();
    const progress = await read();
    const states = Object.fromEntries(progress.limiters.map((one) => [one.name, one.state]));
    expect(states).toEqual({
      'xid-79-quarantine': 'Evicting',
      'tpu-firmware-rollout': 'Evicting',
      'tpu.example.com': 'Waiting',
      'nic-drain-all': 'Stopped',
      'fpga-recall': 'Completed',
      'gpu-audit': 'NoEffect',
    });
    // Deletes are closed half a second later at most.
    const closed = world.api.deletes.filter((one) => one.at < world.now() - 500).length;
    const shown = progress.limiters.reduce((sum, one) => sum + one.counts.evicted, 0);
    expect(shown).toBe(progress.recent.evicted);
    expect(shown).toBeGreaterThanOrEqual(closed);
    expect(shown).toBeLessThanOrEqual(world.api.deletes.length);
    expect(find(progress, 'nic-drain-all')).toMatchObject({ counts: { evicted: 30 }, kept: 18, total: 48 });
    expect(find(progress, 'tpu.example.com')).toMatchObject({ kind: 'Slice', counts: { evicted: 3, waiting: 1 } });
    expect(progress.watcher).toMatchObject({ isAlive: true });
  });

  it('a reader with a memory and one without see the same limiters', async () => {
    const { world, read } = await playScene();
    for (let i = 0; i < 5; i++) {
      await pass(world, 1);
      const state = { table: world.table, cluster: world.cluster };
      const fresh = await readClusterProgress(state, world.now(), { modes: allOwned });
      const strip = ({ kept: _, total: __, ...rest }: LimiterProgress) => rest;
      const kept = await read();
      expect(kept.limiters.map(strip)).toEqual(fresh.limiters.map(strip));
      expect(kept.pods).toEqual(fresh.pods);
      expect(kept.recent).toMatchObject(fresh.recent);
    }
  });
});

describe('an EvictionStop', () => {
  it('an EvictionStop is shown as the hold of a rule while it exists, and no longer once pods are evicted again', async () => {
    const { world, read } = await smallWorld(60);
    const taint = { key: 'k', effect: 'NoExecute', timeAdded: world.now() };
    await createRule(world, 'all', { deviceSelector: { driver: gpu }, taint, ...slow });
    await pass(world, 5);
    world.api.live.stopObjects = [{ name: 'incident', uid: 'u' }];
    await pass(world, 70);
    const stopped = find(await read(), 'all');
    expect(stopped?.heldBecause).toContain('EvictionStop incident');
    world.api.live.stopObjects = [];
    await pass(world, 70);
    const resumed = find(await read(), 'all');
    expect(resumed?.counts.evicted).toBeGreaterThan(stopped?.counts.evicted ?? 0);
    expect(resumed).toMatchObject({ state: 'Evicting' });
    expect(resumed?.heldBecause).toBeUndefined();
  });
});

describe('a picture read while pods are evicted', () => {
  it('a picture counts each pod once and agrees with its list of last evictions, and no total decreases', async () => {
    const { world, state } = await smallWorld(60);
    const rule = { deviceSelector: { driver: gpu }, taint: { key: 'k', effect: 'NoExecute', timeAdded: world.now() } };
    await createRule(world, 'all', rule);
    await pass(world, 1);
    let isReading = false;
    const busy: typeof world.table = {
      ...world.table,
      async query(range) {
        const page = await world.table.query(range);
        if (isReading) await world.runUntil(world.now() + 40);
        return page;
      },
    };
    const read = createProgressReader(async () => ({ ...state, table: busy }), { now: world.now });
    let before: LimiterProgress | undefined;
    for (let i = 0; i < 25; i++) {
      isReading = true;
      const progress = await read();
      isReading = false;
      const limiter = find(progress, 'all');
      const { evicted = 0, deleting = 0, pending = 0, waiting = 0 } = limiter?.counts ?? {};
      expect(progress.recent.evicted).toBe(evicted);
      expect({ deleting, pending, waiting }).toEqual(progress.pods);
      expect(evicted + deleting + pending + waiting).toBe(60);
      expect(limiter?.total).toBe(60);
      expect(evicted).toBeGreaterThanOrEqual(before?.counts.evicted ?? 0);
      before = limiter;
      await pass(world, 0.3);
    }
    expect(before).toMatchObject({ state: 'Completed', done: { pods: 60, missed: 0 } });
  });
});

describe('a picture read while a rule starts', () => {
  it('a picture has a new rule with all of its pods, even if the first ones are evicted between the reads', async () => {
    const { world, state } = await smallWorld(60);
    let begins = false;
    const busy: typeof world.table = {
      ...world.table,
      async query(range) {
        const page = await world.table.query(range);
        if (!begins || !range.pk.endsWith('#LIMITERS')) return page;
        begins = false;
        await pass(world, 2);
        return page;
      },
    };
    const read = createProgressReader(async () => ({ ...state, table: busy }), { now: world.now });
    await read();
    await pass(world, 1);
    await createRule(world, 'all', { deviceSelector: { driver: gpu }, ...slow });
    begins = true;
    const progress = await read();
    expect(progress.recent.evicted).toBeGreaterThan(0);
    expect(find(progress, 'all')).toMatchObject({ state: 'Evicting', total: 60 });
    expect(find(progress, 'all')?.counts.evicted).toBe(progress.recent.evicted);
  });
});

describe('a reader that polls', () => {
  it('the last eviction happens within a second of the predicted end', async () => {
    const { world, read } = await smallWorld(60);
    await createRule(world, 'bad', { deviceSelector: { driver: gpu } });
    await pass(world, 1);
    const promised = find(await read(), 'bad')?.finishAt ?? 0;
    await pass(world, 20);
    const done = find(await read(), 'bad');
    expect(done).toMatchObject({ state: 'Completed', counts: { evicted: 60 } });
    expect(Math.abs((done?.lastEvictionAt ?? 0) - promised)).toBeLessThanOrEqual(1000);
  });

  it('a reader makes few calls while nothing happens, and reads the last evictions once a second', async () => {
    const asked: string[] = [];
    const world = createWorld({ start: sceneStart, beforeCall: async (call) => void asked.push(call) });
    await tell(world, aHeartbeat(world.now()));
    for (let i = 0; i < 20; i++) await createRule(world, `rule-${i}`, { deviceSelector: { driver: gpu } });
    const read = createProgressReader(async () => ({ table: world.table, cluster: world.cluster }), { now: world.now });
    const costs: number[] = [];
    for (const step of [0, 250, 250, 600]) {
      world.setNow(world.now() + step);
      asked.length = 0;
      await read();
      costs.push(asked.length);
    }
    expect(costs).toEqual([17, 9, 9, 17]);
  });

  it('a deleted rule is shown as stopped at once, with the pods that were kept', async () => {
    const { world, read } = await smallWorld(60);
    const rule = await createRule(world, 'bad', { deviceSelector: { driver: gpu } });
    await pass(world, 2);
    const before = find(await read(), 'bad');
    expect(before).toMatchObject({ state: 'Evicting', total: 60 });
    await deleteRule(world, rule);
    const after = find(await read(), 'bad');
    expect(after).toMatchObject({ state: 'Stopped', total: 60 });
    expect((after?.counts.evicted ?? 0) + (after?.counts.deleting ?? 0) + (after?.kept ?? 0)).toBe(60);
  });

  it('a later pod of a completed rule is counted, although completed rules are read less often', async () => {
    const { world, read } = await smallWorld(1);
    await createRule(world, 'bad', { deviceSelector: { driver: gpu } });
    await pass(world, 10);
    expect(find(await read(), 'bad')?.counts.evicted).toBe(1);
    await run(world, { ...workload, name: 'late', count: 1 });
    await pass(world, 1);
    expect(find(await read(), 'bad')?.counts.evicted).toBe(2);
  });

  it('evictions leave the list after ten minutes, but the count of a rule and the total of a reader do not decrease', async () => {
    const { world, read } = await smallWorld(3);
    await createRule(world, 'bad', { deviceSelector: { driver: gpu } });
    await pass(world, 5);
    const { recent } = await read();
    expect(recent).toMatchObject({ evicted: 3, total: { evicted: 3 } });
    await pass(world, 600);
    const later = await read();
    expect(later.recent).toMatchObject({ evicted: 0, total: recent.total });
    expect(later.last).toEqual([]);
    expect(find(later, 'bad')?.counts.evicted).toBe(3);
  });

  it('a silent watcher is shown as the hold of a limiter', async () => {
    const { world, read } = await smallWorld(30);
    await createRule(world, 'slow', {
      deviceSelector: { driver: gpu },
      annotations: { 'sluice.dev/evictions-per-second': '0.1', 'sluice.dev/burst': '1' },
    });
    await world.runUntil(world.now() + 120_000);
    const progress = await read();
    expect(progress.watcher).toMatchObject({ isAlive: false, age: 120_000 });
    expect(find(progress, 'slow')?.heldBecause).toMatch(/watcher is silent/);
  });

  it('an empty table gives an empty picture', async () => {
    const world = createWorld({ start: sceneStart });
    const progress = await readClusterProgress({ table: world.table, cluster: world.cluster }, sceneStart);
    expect(progress).toMatchObject({ limiters: [], last: [], watcher: { isAlive: false } });
  });
});
