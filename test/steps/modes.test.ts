// Pods that say by a label how they go, over the whole path: who is deleted, who is asked of the budgets, who stays.
import { describe, expect, it } from 'vitest';
import { readWhy, renderWhy } from '../../lib/view/why.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;

async function played(labels: Readonly<Record<string, string>>, count = 1): Promise<World> {
  const world = createWorld({ start });
  const names = Array.from({ length: count }, (_, i) => `pod-${i}`);
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  const rule = aRule('bad', start);
  world.api.rules.set('bad', { rule, conditions: [] });
  // The other pods have no label.
  const pods = names.map((name, i) => aPod(name, i === 0 ? { labels } : {}));
  const body = [
    aHeartbeat(start),
    ...names.map((name) => upserted(aClaim(name, name))),
    ...pods.map((pod) => upserted(pod)),
  ];
  await world.deliver({ stage: 'ingest', at: start, body });
  await world.deliver({ stage: 'ingest', at: start, body: [upserted(rule)] });
  return world;
}

async function run(world: World, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await world.runUntil(world.now() + 10_000);
    await world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now())] });
  }
}

const mode = (value: string, deadline = '10m') => ({
  'sluice.dev/eviction-mode': value,
  'sluice.dev/eviction-deadline': deadline,
});
const deletedOf = ({ api }: World) => api.deletes.map(({ pod }) => pod.name).sort();
const condition = (world: World) =>
  world.api.rules.get('bad')?.conditions.find(({ type }) => type === 'EvictionInProgress');

describe('Skip, and what cannot be read', () => {
  it.each(['Skip', 'skip'])('%s: the pod stays and counts as pending, and the others go', async (value) => {
    const world = await played(mode(value), 4);
    await run(world, 1200);
    expect(deletedOf(world)).toEqual(['pod-1', 'pod-2', 'pod-3']);
    expect(condition(world)).toMatchObject({ status: 'True', reason: 'PodsPendingEviction' });
    const why = renderWhy(
      'default/pod-0',
      await readWhy({ table: world.table, cluster: world.cluster }, 'default/pod-0', world.now()),
    );
    expect(why.join('\n')).toContain('sluice.dev/eviction-mode is');
  });
});

describe('WaitForCompletion', () => {
  it('lets the pod be until its deadline', async () => {
    const world = await played(mode('WaitForCompletion'));
    await run(world, 590);
    expect(deletedOf(world)).toEqual([]);
    await run(world, 100);
    expect(deletedOf(world)).toEqual(['pod-0']);
  });
});

describe('Evict', () => {
  it('evicts through the Eviction API, after the condition, once', async () => {
    const world = await played(mode('Evict'));
    await run(world, 60);
    expect(world.api.evictions).toHaveLength(1);
    expect(world.api.deletes).toHaveLength(0);
    expect(world.api.pods.get('default/pod-0')).toMatchObject({ marked: true, terminating: true });
    expect(condition(world)).toMatchObject({ reason: 'Completed' });
  });

  it('while a budget blocks it, is tried seldom, keeps nobody else, and is deleted at the deadline', async () => {
    const world = await played(mode('Evict'), 4);
    world.api.disruptionBudgets.push({ namespace: 'default', name: 'none', allowed: 0, pods: ['pod-0'] });
    await run(world, 60);
    expect(deletedOf(world)).toEqual(['pod-1', 'pod-2', 'pod-3']);
    await run(world, 530);
    expect(deletedOf(world)).toHaveLength(3);
    expect(world.api.evictions.length).toBeGreaterThan(2);
    expect(world.api.evictions.length).toBeLessThan(8);
    await run(world, 420);
    expect(deletedOf(world)).toEqual(['pod-0', 'pod-1', 'pod-2', 'pod-3']);
  });

  it('goes as soon as it is tried again after the budget allows it', async () => {
    const world = await played(mode('Evict'));
    world.api.disruptionBudgets.push({ namespace: 'default', name: 'none', allowed: 0, pods: ['pod-0'] });
    await run(world, 30);
    world.api.disruptionBudgets.splice(0);
    await run(world, 120);
    expect(world.api.pods.get('default/pod-0')).toMatchObject({ terminating: true });
    expect(world.api.deletes).toHaveLength(0);
  });
});
