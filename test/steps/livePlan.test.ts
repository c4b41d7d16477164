// The plan of a rule with effect None through the real steps: correct at first and after every change, and deleted with the rule.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import { readPlan } from '../../lib/state/planRows.ts';
import { htmlOf, markup } from '../../lib/view/markup.ts';
import { renderPlans } from '../../lib/view/plans.ts';
import { readClusterProgress } from '../../lib/view/readModel.ts';
import {
  aClaim,
  aClass,
  aHeartbeat,
  aPacedRule,
  aPod,
  aRule,
  aSlice,
  deleted,
  driver,
  nextVersion,
  upserted,
} from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;

async function tell(world: World, ...changes: Change[]): Promise<void> {
  await world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now()), ...changes] });
}

async function run(world: World, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await world.runUntil(world.now() + 10_000);
    await tell(world);
  }
}

function asking(overrides: Partial<DeviceTaintRule> = {}): DeviceTaintRule {
  const deviceSelector = { driver, pool: 'node-1' };
  return aRule('ask', start, {
    deviceSelector,
    taint: { key: 'example.com/bad', effect: 'None', timeAdded: start },
    ...overrides,
  });
}

async function worldWith(pods: readonly string[]): Promise<World> {
  const world = createWorld({ start, settings: { holdEmptySelector: true } });
  for (const name of pods)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  await tell(world, ...pods.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]));
  const rule = asking();
  world.api.rules.set('ask', { rule, conditions: [] });
  await tell(world, upserted(rule));
  await run(world, 20);
  return world;
}

const stateOf = (world: World) => ({ table: world.table, cluster: world.cluster });
const plannedPods = async (world: World) => (await readPlan(stateOf(world), 'ask'))?.first ?? [];
const planned = async (world: World) => (await plannedPods(world)).map(({ pod }) => pod.name);
const conditionOf = (world: World, type: string) =>
  world.api.rules.get('ask')?.conditions.find((condition) => condition.type === type);
const messageOf = (world: World) => conditionOf(world, 'sluice.dev/Plan')?.message;

describe('the live plan of a rule with effect None', () => {
  it('a live plan lists pods with owner, priority, claims and devices, and the rule shows its numbers', async () => {
    const world = await worldWith([]);
    const dark = { name: 'gpu-1', taints: [{ key: 'example.com/dark', effect: 'NoSchedule' }] };
    const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web' };
    await tell(
      world,
      upserted(aClaim('a', 'gpu-7')),
      upserted(aPod('a', { controller, priority: 5 })),
      upserted(aSlice('here', { devices: [{ name: 'gpu-7' }, { name: 'gpu-8' }] })),
      upserted(aSlice('there', { pool: { name: 'node-2', generation: 1 }, devices: [{ name: 'gpu-0' }, dark] })),
    );
    await run(world, 20);
    expect(await plannedPods(world)).toMatchObject([
      {
        pod: { namespace: 'default', name: 'a', uid: 'uid-a' },
        node: 'node-1',
        owner: { kind: 'ReplicaSet', name: 'web' },
        priority: 5,
        claims: [{ name: 'claim-a', devices: [{ driver, pool: 'node-1', device: 'gpu-7' }] }],
        tolerated: 0,
        headroom: { kind: 'None' },
      },
    ]);
    expect(conditionOf(world, 'sluice.dev/Plan')).toMatchObject({
      status: 'True',
      reason: 'PodsWouldBeEvicted',
      message: `1 pod in 1 namespace would be evicted. At its rate that takes 0 s. 1 untainted device of ${driver} is free.`,
    });
    expect(conditionOf(world, 'EvictionInProgress')?.message).toMatch(
      /^0 published devices selected\. .* trigger an update\.$/,
    );
  });

  it('a live plan says in its condition and on the page that a pause or an EvictionStop holds all of its pods, until it ends', async () => {
    const world = await worldWith(['a']);
    const page = async () => htmlOf(renderPlans(await readClusterProgress(stateOf(world), world.now())) ?? markup``);
    const says = async (what: string | undefined) => {
      await run(world, 60);
      const rest = what === undefined ? '' : ` when not held. None is evicted now: ${what}`;
      const free = `0 untainted devices of ${driver} are free.`;
      expect(messageOf(world)).toBe(
        `1 pod in 1 namespace would be evicted. At its rate that takes 0 s${rest}. ${free}`,
      );
      expect((await page()).includes('none now:')).toBe(what !== undefined);
      expect(await page()).toContain(what ?? 'would be evicted');
    };
    await says(undefined);
    const paused = { ...asking({ resourceVersion: nextVersion() }), annotations: { 'sluice.dev/paused': 'true' } };
    world.api.rules.set('ask', { rule: paused, conditions: world.api.rules.get('ask')?.conditions ?? [] });
    await tell(world, upserted(paused));
    await says('Paused by sluice.dev/paused');
    const resumed = asking({ resourceVersion: nextVersion() });
    world.api.rules.set('ask', { rule: resumed, conditions: world.api.rules.get('ask')?.conditions ?? [] });
    await tell(world, upserted(resumed));
    await says(undefined);
    world.api.live.stopObjects = [{ name: 'incident', uid: 'u' }];
    await says('all evictions of the cluster are stopped');
    world.api.live.stopObjects = [];
    await says(undefined);
  });

  it('a live plan counts the free devices of the requested DeviceClass', async () => {
    const world = await worldWith([]);
    const large = (name: string, memory: number) => ({ name, attributes: { memory: { int: memory } } });
    const held = { request: 'gpu', driver, pool: 'node-1', device: 'gpu-7', deviceClassName: 'large', tolerations: [] };
    await tell(
      world,
      upserted(aClass('large', [`device.attributes["${driver}"].memory >= 80`])),
      upserted(aClaim('a', 'gpu-7', { allocation: { devices: [held] } })),
      upserted(aPod('a')),
      upserted(
        aSlice('there', { pool: { name: 'node-2', generation: 1 }, devices: [large('gpu-0', 80), large('gpu-1', 40)] }),
      ),
    );
    await run(world, 20);
    expect(messageOf(world)).toContain('1 untainted device of class large is free.');
  });

  it('a live plan follows pods that are created, changed and deleted', async () => {
    const world = await worldWith(['a', 'b']);
    expect(await planned(world)).toEqual(['a', 'b']);
    await tell(world, upserted(aClaim('c', 'c')), upserted(aPod('c')));
    await run(world, 20);
    expect(await planned(world)).toEqual(['a', 'b', 'c']);
    await tell(world, deleted(aPod('a')), upserted(aPod('b', { deletionTimestamp: world.now() })));
    await run(world, 20);
    expect(await planned(world)).toEqual(['c']);
    expect(messageOf(world)).toMatch(/^1 pod in 1 namespace would be evicted\./);
  });

  it('a live plan drops a pod whose claim is deallocated', async () => {
    const world = await worldWith(['a', 'b']);
    const { allocation: _, ...unallocated } = aClaim('a', 'a', { reservedFor: [] });
    await tell(world, upserted({ ...unallocated, resourceVersion: nextVersion() }));
    await run(world, 20);
    expect(await planned(world)).toEqual(['b']);
  });

  it('a live plan shows how many evictions disruption budgets allow', async () => {
    const world = await worldWith(['a', 'b', 'c']);
    world.api.disruptionBudgets.push({ namespace: 'default', name: 'web', allowed: 1, pods: ['a', 'b'] });
    await run(world, 90);
    expect((await plannedPods(world)).map(({ headroom }) => headroom)).toEqual([
      { kind: 'Budget', name: 'web', allowed: 1 },
      { kind: 'Budget', name: 'web', allowed: 1 },
      { kind: 'None' },
    ]);
    expect(messageOf(world)).toContain(
      'That is 1 pod beyond what disruption budgets allow: in mode Evict these wait, and it takes longer.',
    );
  });

  it('a live plan is what the rule evicts after a change to NoExecute, and is then deleted', async () => {
    const world = await worldWith(['a', 'b', 'c']);
    const plan = await planned(world);
    const taint = { key: 'example.com/bad', effect: 'NoExecute', timeAdded: world.now() };
    const acting = asking({ taint, generation: 2, resourceVersion: nextVersion() });
    world.api.rules.set('ask', { rule: acting, conditions: world.api.rules.get('ask')?.conditions ?? [] });
    await tell(world, upserted(acting));
    await run(world, 30);
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(plan);
    expect(await readPlan(stateOf(world), 'ask')).toBeUndefined();
    expect(await planned(world)).toEqual([]);
    expect(messageOf(world)).toBeUndefined();
    expect(conditionOf(world, 'EvictionInProgress')).toMatchObject({ reason: 'Completed' });
  });

  it('a live plan is deleted with its rule', async () => {
    const world = await worldWith(['a']);
    world.api.rules.delete('ask');
    await tell(world, deleted(asking()));
    await run(world, 70);
    expect(await readPlan(stateOf(world), 'ask')).toBeUndefined();
    expect(await planned(world)).toEqual([]);
  });

  it('upstream’s preview is written once for each version of the rule', async () => {
    const world = await worldWith(['a']);
    const before = conditionOf(world, 'EvictionInProgress');
    await tell(world, upserted(aClaim('b', 'b')), upserted(aPod('b')));
    await run(world, 90);
    expect(messageOf(world)).toMatch(/^2 pods/);
    expect(conditionOf(world, 'EvictionInProgress')).toEqual(before);
  });
});

describe('the numbers of a plan', () => {
  it('a pod is added to a plan and removed from it in the write of its row', async () => {
    const world = await worldWith(['a', 'b', 'c']);
    const indexed = () =>
      world.table
        .rows()
        .filter(({ pk }) => pk.endsWith('#PLAN#ask'))
        .map(({ sk }) => sk);
    expect(indexed()).toEqual(['default/a', 'default/b', 'default/c']);
    await tell(world, deleted(aPod('a')), upserted(aPod('b', { deletionTimestamp: world.now() })));
    expect(indexed()).toEqual(['default/c']);
    world.api.rules.delete('ask');
    await tell(world, deleted(asking({ resourceVersion: nextVersion() })));
    await run(world, 10);
    expect(indexed()).toEqual([]);
  });

  it('the numbers of a plan are those of upstream’s preview for a rule with several taints', async () => {
    const world = createWorld({ start });
    const tolerating = (key: string, device: string) => ({
      request: 'r',
      driver,
      pool: 'node-1',
      device,
      tolerations: [{ key, operator: 'Exists' }],
    });
    const taint = (key: string) => ({ key, effect: 'None' });
    const rule = aPacedRule('ask', {
      deviceSelector: { driver },
      taints: [taint('one'), taint('two')],
      seen: ['one', 'two'].map((key) => ({ key, effect: 'None', timeAdded: start })),
    });
    await tell(
      world,
      upserted(aClaim('a', '', { allocation: { devices: [tolerating('one', 'x')] } })),
      upserted(aPod('a')),
      upserted(aClaim('b', '', { allocation: { devices: [tolerating('two', 'y')] } })),
      upserted(aPod('b')),
    );
    world.api.rules.set('PacedTaintRule/ask', { rule, conditions: [] });
    await tell(world, upserted(rule));
    await run(world, 10);
    const said = (type: string) =>
      world.api.rules.get('PacedTaintRule/ask')?.conditions.find((one) => one.type === type)?.message;
    expect(said('sluice.dev/Plan')).toMatch(/^2 pods in 1 namespace would be evicted\./);
    expect(said('EvictionInProgress')).toContain(
      '2 allocated devices selected. 2 pods would be evicted in 1 namespace',
    );
    const page = await readClusterProgress({ table: world.table, cluster: world.cluster }, world.now());
    expect(page.plans).toMatchObject([{ rule: 'PacedTaintRule/ask', summary: { pods: 2, namespaces: 1 } }]);
  });

  it('a paused rule with taints of effect None and NoExecute says the pods of its plan beside the pending ones', async () => {
    const world = createWorld({ start });
    const devices = { a: 'x', b: 'y', c: 'z' } as const;
    const taints = ['NoExecute', 'None'].map((effect) => ({ key: effect.toLowerCase(), effect }));
    const rule = aPacedRule('ask', {
      deviceSelector: { driver },
      taints,
      seen: taints.map((one) => ({ ...one, timeAdded: start })),
      annotations: { 'sluice.dev/paused': 'true' },
    });
    const toleration = { key: 'noexecute', operator: 'Exists', effect: 'NoExecute' };
    await tell(
      world,
      ...Object.entries(devices).flatMap(([name, device]) => {
        const result = { request: 'r', driver, pool: 'node-1', device, tolerations: name === 'c' ? [toleration] : [] };
        return [upserted(aClaim(name, '', { allocation: { devices: [result] } })), upserted(aPod(name))];
      }),
    );
    world.api.rules.set('PacedTaintRule/ask', { rule, conditions: [] });
    await tell(world, upserted(rule));
    await run(world, 20);
    const said = (type: string) =>
      world.api.rules.get('PacedTaintRule/ask')?.conditions.find((one) => one.type === type)?.message;
    expect(said('sluice.dev/Plan')).toMatch(/^3 pods in 1 namespace would be evicted/);
    expect(said('EvictionInProgress')).toBe(
      '2 pods need to be evicted in 1 namespace. The plan of the rule has 3 pods in 1 namespace.',
    );
  });

  it('every report of a new rule counts all existing pods', async () => {
    const world = createWorld({ start });
    const pods = Array.from({ length: 30 }, (_, i) => `p${i}`);
    await tell(world, ...pods.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]));
    const rule = asking();
    world.api.rules.set('ask', { rule, conditions: [] });
    const said: string[] = [];
    const { ruleStatus } = world.api;
    const apply = ruleStatus.apply.bind(ruleStatus);
    ruleStatus.apply = (...args) => {
      said.push(...args[1].map(({ message }) => message));
      return apply(...args);
    };
    await tell(world, upserted(rule));
    await run(world, 30);
    expect(said.length).toBeGreaterThan(0);
    for (const message of said) expect(message).toMatch(/30 pods (would be evicted|in 1 namespace)/);
  });
});

describe('the live plan of a rule that is held', () => {
  const evicting = (overrides: Partial<DeviceTaintRule>) =>
    asking({
      taint: { key: 'example.com/bad', effect: 'NoExecute', timeAdded: start },
      generation: 2,
      resourceVersion: nextVersion(),
      ...overrides,
    });

  async function change(world: World, rule: DeviceTaintRule): Promise<void> {
    world.api.rules.set('ask', { rule, conditions: world.api.rules.get('ask')?.conditions ?? [] });
    await tell(world, upserted(rule));
    await run(world, 30);
  }

  it.each<[string, Partial<DeviceTaintRule>]>([
    ['by a pause', { annotations: { 'sluice.dev/paused': 'true' } }],
    ['until its plan is approved', { deviceSelector: {} }],
  ])('a rule that is held %s lists the pods that it would evict, and follows their changes', async (_, held) => {
    const world = await worldWith(['a', 'b']);
    await change(world, evicting(held));
    expect(world.api.deletes).toEqual([]);
    expect(await planned(world)).toEqual(['a', 'b']);
    expect(messageOf(world)).toMatch(/^2 pods in 1 namespace would be evicted. At its rate that takes 0 s./);
    await tell(world, upserted(aClaim('c', 'c')), upserted(aPod('c')), deleted(aPod('a')));
    await run(world, 20);
    expect(await planned(world)).toEqual(['b', 'c']);
  });

  it('the plan of a paused rule is what it evicts when resumed, and is then deleted', async () => {
    const world = await worldWith(['a', 'b']);
    const annotations = { 'sluice.dev/paused': 'true' };
    await change(world, evicting({ annotations }));
    const plan = await planned(world);
    await change(world, evicting({}));
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(plan);
    expect(await readPlan(stateOf(world), 'ask')).toBeUndefined();
    expect(messageOf(world)).toBeUndefined();
  });

  it('the plan of a held rule is deleted once it is approved and evicted', async () => {
    const world = await worldWith(['a', 'b']);
    await change(world, evicting({ deviceSelector: {} }));
    const digest = /sluice.dev\/approve=([0-9a-f]{12})/.exec(conditionOf(world, 'sluice.dev/Held')?.message ?? '')?.[1];
    await change(world, evicting({ deviceSelector: {}, annotations: { 'sluice.dev/approve': digest ?? 'none' } }));
    expect(world.api.deletes.map(({ pod }) => pod.name)).toEqual(['a', 'b']);
    expect(await readPlan(stateOf(world), 'ask')).toBeUndefined();
  });
});
