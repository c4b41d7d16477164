// Eviction modes through the whole path, set by pod, namespace or policy: which pods are deleted, evicted or kept.

import { describe, expect, it } from 'vitest';
import { readWhy, renderWhy } from '../../lib/view/why.ts';
import { aroundCalls } from '../support/around.ts';
import { aClaim, aHeartbeat, aNamespace, aPacedRule, aPod, aRule, deleted, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld } from '../support/pacedWorld.ts';
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

describe('mode Skip, and unreadable modes', () => {
  it.each(['Skip', 'skip'])(
    'a pod with mode %s is kept and counts as pending, and the others are evicted',
    async (value) => {
      const world = await played(mode(value), 4);
      await run(world, 1200);
      expect(deletedOf(world)).toEqual(['pod-1', 'pod-2', 'pod-3']);
      expect(condition(world)).toMatchObject({ status: 'True', reason: 'PodsPendingEviction' });
      const why = renderWhy(
        'default/pod-0',
        await readWhy({ table: world.table, cluster: world.cluster }, 'default/pod-0', world.now()),
      );
      expect(why.join('\n')).toContain('sluice.dev/eviction-mode is');
    },
  );
});

describe('mode WaitForCompletion', () => {
  it('WaitForCompletion keeps the pod until its deadline', async () => {
    const world = await played(mode('WaitForCompletion'));
    await run(world, 590);
    expect(deletedOf(world)).toEqual([]);
    await run(world, 100);
    expect(deletedOf(world)).toEqual(['pod-0']);
  });
});

describe('mode Evict', () => {
  it('mode Evict evicts the marked pod once, through the Eviction API', async () => {
    const world = await played(mode('Evict'));
    await run(world, 60);
    expect(world.api.evictions).toHaveLength(1);
    expect(world.api.deletes).toHaveLength(0);
    expect(world.api.pods.get('default/pod-0')).toMatchObject({ marked: true, terminating: true });
    expect(condition(world)).toMatchObject({ reason: 'Completed' });
  });

  it('a pod that a budget blocks is retried with back-off, keeps no other pod, and is deleted at the deadline', async () => {
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

  it('a pod is evicted at the next retry after its budget allows it', async () => {
    const world = await played(mode('Evict'));
    world.api.disruptionBudgets.push({ namespace: 'default', name: 'none', allowed: 0, pods: ['pod-0'] });
    await run(world, 30);
    world.api.disruptionBudgets.splice(0);
    await run(world, 120);
    expect(world.api.pods.get('default/pod-0')).toMatchObject({ terminating: true });
    expect(world.api.deletes).toHaveLength(0);
  });
});

describe('modes of a policy', () => {
  it('the mode of a policy applies to its taints unless a label of the pod sets another', async () => {
    const { world, ingest, ask, write, run, gone } = await pacedWorld({ p0: {}, p1: {}, p2: {} });
    await ingest(upserted(aPod('p1', { labels: mode('Delete') })), upserted(aPod('p2', { labels: mode('Skip') })));
    await ask(evictionPolicy({ mode: 'Evict' }));
    await write(aPacedRule('r'));
    await run(10);
    expect(gone()).toEqual(['p1']);
    expect(world.api.evictions.map(({ pod }) => pod.name)).toEqual(['p0']);
  });

  it('the mode of a policy applies to pending pods, and ends when the policy sets none', async () => {
    const { ask, write, run, gone } = await pacedWorld({ p0: {}, p1: {} });
    const policy = evictionPolicy({ mode: 'Skip' });
    await ask(policy);
    await write(aPacedRule('r'));
    await run(20);
    expect(gone()).toEqual([]);
    await ask({ ...policy, mode: 'WaitForCompletion', modeDeadline: 60_000 });
    await run(30);
    expect(gone()).toEqual([]);
    await ask(evictionPolicy({ generation: 2 }));
    await run(5);
    expect(gone()).toEqual(['p0', 'p1']);
  });

  it('WaitForCompletion of a policy deletes the pod at the deadline', async () => {
    const { ask, write, run, gone } = await pacedWorld({ p0: {} });
    await ask(evictionPolicy({ mode: 'WaitForCompletion', modeDeadline: 60_000 }));
    await write(aPacedRule('r'));
    await run(58);
    expect(gone()).toEqual([]);
    await run(70);
    expect(gone()).toEqual(['p0']);
  });
});

describe('labels of a namespace', () => {
  it('a label Skip of a namespace keeps its pending pods until it is removed', async () => {
    const { ingest, ask, write, run, gone } = await pacedWorld({ p0: {}, p1: {}, p2: {} });
    await ask(evictionPolicy({ evictionsPerSecond: 0.1, burst: 1 }));
    await write(aPacedRule('r'));
    await run(2);
    expect(gone()).toHaveLength(1);
    const skipping = aNamespace('default', { labels: mode('Skip') });
    await ingest(upserted(skipping));
    await run(60);
    expect(gone()).toHaveLength(1);
    await ingest(deleted(skipping));
    await run(30);
    expect(gone()).toHaveLength(3);
  });

  it('a label of the namespace precedes the policy, and a label of the pod precedes both', async () => {
    const { world, ingest, ask, write, run, gone } = await pacedWorld({ p0: {}, p1: {} });
    await ingest(
      upserted(aNamespace('default', { labels: mode('Evict') })),
      upserted(aPod('p1', { labels: mode('Delete') })),
    );
    await ask(evictionPolicy({ mode: 'Skip' }));
    await write(aPacedRule('r'));
    await run(10);
    expect(gone()).toEqual(['p1']);
    expect(world.api.evictions.map(({ pod }) => pod.name)).toEqual(['p0']);
  });

  it('a label of another namespace has no effect', async () => {
    const { ingest, write, run, gone } = await pacedWorld({ p0: {} });
    await ingest(upserted(aNamespace('other', { labels: mode('Skip') })));
    await write(aPacedRule('r'));
    await run(5);
    expect(gone()).toEqual(['p0']);
  });

  it('an unreadable label of a namespace keeps its pods, with one Event on each', async () => {
    const { world, ingest, write, run, gone } = await pacedWorld({ p0: {}, p1: {} });
    await ingest(upserted(aNamespace('default', { labels: mode('Keep') })));
    await write(aPacedRule('r'));
    await run(70);
    await write(aPacedRule('r', { generation: 2 }));
    await run(70);
    expect(gone()).toEqual([]);
    const events = [...world.api.recorded.values()].filter(({ reason }) => reason === 'EvictionModeUnreadable');
    expect(events.map(({ regarding }) => regarding.name).sort()).toEqual(['p0', 'p1']);
    expect(events[0]).toMatchObject({
      type: 'Warning',
      message:
        'Not evicted: the label sluice.dev/eviction-mode of its namespace default is "Keep", which is not Delete, Evict, WaitForCompletion or Skip: it stays until that is fixed.',
    });
  });
});

describe('a label of a pod that cannot be read', () => {
  it('an unreadable label causes one Event, and another one if it is replaced by an unreadable one', async () => {
    const { world, ingest, write, run } = await pacedWorld({ p0: {} });
    const events = () =>
      [...world.api.recorded.values()]
        .filter(({ reason }) => reason === 'EvictionModeUnreadable')
        .map((one) => one.message);
    await ingest(upserted(aPod('p0', { labels: mode('skip') })));
    expect(events()).toEqual([]);
    await write(aPacedRule('r'));
    await run(70);
    expect(events()).toEqual([expect.stringContaining('"skip"')]);
    await ingest(upserted(aPod('p0', { labels: mode('Evict', 'tomorrow') })));
    await run(5);
    expect(events()).toEqual([expect.stringContaining('"skip"'), expect.stringContaining('"tomorrow"')]);
  });
});

describe('every mode', () => {
  it.each([
    ['Delete', 0],
    ['Evict', 0],
    ['WaitForCompletion', 600],
  ])('the pod gets condition DisruptionTarget before it is deleted or evicted: %s', async (value, after) => {
    const world = await played(mode(value));
    const calls: string[] = [];
    const evictor = aroundCalls(world.api.evictor, (name, call) => {
      calls.push(name);
      return call();
    });
    Object.assign(world.deps, { accessTo: () => ({ ...world.api, evictor }) });
    await run(world, after + 120);
    expect(calls).toEqual(['mark', value === 'Evict' ? 'evict' : 'delete']);
  });
});

describe('the grace period of a policy', () => {
  it.each<[string, { own?: number; asked?: number; labels?: Record<string, string> }, number | undefined]>([
    ['shorter than its own', { own: 30, asked: 5 }, 5],
    ['shorter, in an eviction', { own: 30, asked: 5, labels: mode('Evict') }, 5],
    ['0, as configured', { own: 30, asked: 0 }, 0],
    ['longer than its own', { own: 30, asked: 60 }, undefined],
    ['none', { own: 30 }, undefined],
  ])(
    'the grace period of a policy only shortens that of the pod: %s',
    async (_, { own = 30, asked, labels }, expected) => {
      const { world, ingest, ask, write, run } = await pacedWorld({ p0: {} });
      const more = { terminationGracePeriodSeconds: own, ...(labels ? { labels } : {}) };
      await ingest(upserted(aPod('p0', more)));
      await ask(evictionPolicy(asked === undefined ? {} : { gracePeriodSeconds: asked }));
      await write(aPacedRule('r'));
      await run(5);
      const pod = world.api.pods.get('default/p0');
      expect(pod).toMatchObject({ marked: true, terminating: true });
      expect(pod?.gracePeriodSeconds).toBe(expected);
    },
  );

  it('the grace period of a policy is in the record of the eviction', async () => {
    const { world, ingest, ask, write, run } = await pacedWorld({ p0: {} });
    await ingest(upserted(aPod('p0', { terminationGracePeriodSeconds: 30 })));
    await ask(evictionPolicy({ gracePeriodSeconds: 5 }));
    await write(aPacedRule('r'));
    await run(5);
    const why = renderWhy(
      'uid-p0',
      await readWhy({ table: world.table, cluster: world.cluster }, 'uid-p0', world.now()),
    );
    expect(why).toContain('  with a grace period of 5 s, as its policy says');
  });
});
