// The whole path from a change of the cluster to a rate-limited delete, with in-memory ports and a manual clock.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import { readLimiters } from '../support/limiters.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, deleted, driver, nextVersion, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;

async function ingestAll(world: World, ...changes: Change[]): Promise<void> {
  for (let i = 0; i < changes.length; i += 10) {
    await world.deliver({ stage: 'ingest', at: world.now(), body: changes.slice(i, i + 10) });
  }
}

/** `count` pods, each with a claim of its own, known to the API server and to the table, and a heartbeat. */
async function fleet(world: World, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `pod-${i}`);
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  await ingestAll(
    world,
    aHeartbeat(world.now()),
    ...names.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]),
  );
  return names;
}

async function addRule(world: World, rule: DeviceTaintRule): Promise<DeviceTaintRule> {
  world.api.rules.set(rule.name, { rule, conditions: [] });
  await ingestAll(world, upserted(rule));
  return rule;
}

/** Keeps the heartbeat fresh while time passes. */
async function run(world: World, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await world.runUntil(world.now() + Math.min(10, seconds - passed) * 1000);
    await ingestAll(world, aHeartbeat(world.now()));
  }
}

function deletedPods(world: World): string[] {
  return world.api.deletes.map((one) => one.pod.name).sort();
}

describe('from a taint to a delete', () => {
  it('a rule evicts every pod on its devices, at ten a second after a burst of ten, each once', async () => {
    const world = createWorld({ start });
    const names = await fleet(world, 60);
    await addRule(world, aRule('bad', start));
    await run(world, 30);
    expect(deletedPods(world)).toEqual(names.sort());
    const times = world.api.deletes.map((one) => one.at).sort((a, b) => a - b);
    for (const [i, first] of times.entries()) {
      for (const [k, last] of times.slice(i).entries())
        expect(k + 1).toBeLessThanOrEqual(10 + (10 * (last - first + 1000)) / 1000);
    }
    expect((times.at(-1) ?? 0) - start).toBeLessThan(6500);
    expect([...world.api.pods.values()].every((pod) => pod.marked)).toBe(true);
  });

  it('a pod that waits for a slow rule is evicted on the earlier token of a fast one, and neither exceeds its rate', async () => {
    const world = createWorld({ start });
    const names = await fleet(world, 30);
    const pace = (rate: string) => ({ 'sluice.dev/evictions-per-second': rate, 'sluice.dev/burst': '1' });
    await addRule(world, aRule('slow', start, { annotations: pace('0.5') }));
    await run(world, 10);
    const before = world.api.deletes.length;
    expect(before).toBeLessThanOrEqual(6);
    await addRule(world, aRule('swift', world.now(), { annotations: pace('5') }));
    await run(world, 10);
    expect(deletedPods(world)).toEqual(names.sort());
    expect(world.api.deletes).toHaveLength(30);
    const times = world.api.deletes.map((one) => one.at).sort((a, b) => a - b);
    for (const [i, first] of times.entries()) {
      for (const [k, last] of times.slice(i).entries())
        expect(k + 1).toBeLessThanOrEqual(2 + 5.5 * ((last - first + 1000) / 1000));
    }
  });

  it('one pod needs two stages: ingest hands it to evict', async () => {
    const world = createWorld({ start });
    await fleet(world, 1);
    world.messages.length = 0;
    await addRule(world, aRule('bad', start));
    expect(world.messages.filter((one) => one.stage !== 'report').map((one) => one.stage)).toEqual(['evict']);
  });

  it('a pod is evicted on a token of the burst although its taint was added less than a second ago', async () => {
    const world = createWorld({ start: start + 400 });
    await fleet(world, 1);
    world.messages.length = 0;
    await addRule(world, aRule('bad', start));
    await world.runUntil(world.now());
    expect(deletedPods(world)).toEqual(['pod-0']);
  });

  it('the condition changes from PodsPendingEviction to Completed and counts every pod once', async () => {
    const world = createWorld({ start });
    await fleet(world, 30);
    await addRule(world, aRule('bad', start));
    await run(world, 1);
    const first = world.api.rules.get('bad')?.conditions[0];
    expect(first).toMatchObject({
      type: 'EvictionInProgress',
      status: 'True',
      reason: 'PodsPendingEviction',
      observedGeneration: 1,
    });
    await run(world, 40);
    expect(world.api.rules.get('bad')?.conditions[0]).toMatchObject({
      status: 'False',
      reason: 'Completed',
      message: '30 pods evicted since starting the controller.',
    });
    const events = [...world.api.recorded.values()];
    expect(events).toHaveLength(30);
    expect(events[0]?.message).toMatch(
      /^Marking for deletion: DeviceTaintRule bad: taint example.com\/bad=yes:NoExecute on device/,
    );
  });

  it('a condition that is rate limited is written as soon as it may be, without another request', async () => {
    const world = createWorld({ start });
    const rule = await addRule(world, aRule('bad', start));
    await run(world, 30);
    const found = world.api.rules.get('bad');
    const [own] = found?.conditions ?? [];
    if (!found || !own) throw new Error('the rule has no condition');
    // Another client has just written another condition.
    found.conditions = [{ ...own, reason: 'Completed', message: '7 pods', lastTransitionTime: world.now() }];
    world.messages.push({ stage: 'report', at: world.now(), body: { cluster: world.cluster, rule: rule.name } });
    await world.runUntil(world.now() + 9_000);
    expect(found.conditions[0]?.message).toBe('7 pods');
    await world.runUntil(world.now() + 2_000);
    expect(found.conditions[0]).toMatchObject({ reason: own.reason, message: own.message });
  });

  it('deleting the rule in the middle of an eviction stops the deletes at once, and cancels the rest with Events', async () => {
    const world = createWorld({ start });
    await fleet(world, 100);
    const rule = await addRule(world, aRule('bad', start));
    await run(world, 3);
    const before = world.api.deletes.length;
    expect(before).toBeGreaterThan(20);
    world.api.rules.delete('bad');
    await ingestAll(world, deleted(rule));
    await run(world, 100);
    expect(world.api.deletes.length).toBeLessThanOrEqual(before + 1);
    const cancels = [...world.api.recorded.values()].filter((event) => event.message.startsWith('Cancelling deletion'));
    expect(cancels).toHaveLength(100 - world.api.deletes.length);
  });

  it('a deleted rule stops within a second even if the watcher lags, because the live rule is read', async () => {
    const world = createWorld({ start });
    await fleet(world, 100);
    await addRule(world, aRule('bad', start));
    await run(world, 3);
    world.api.rules.delete('bad');
    const stoppedAt = world.now();
    await run(world, 20);
    expect(Math.max(...world.api.deletes.map((one) => one.at)) - stoppedAt).toBeLessThan(1000);
  });

  it('a taint in a slice evicts a pod, and its removal cancels the eviction', async () => {
    const world = createWorld({ start });
    await fleet(world, 2);
    const taint = { key: 'example.com/xid', effect: 'NoExecute', timeAdded: start + 5000 };
    await ingestAll(
      world,
      upserted(
        aSlice('s', {
          devices: [
            { name: 'pod-0', taints: [taint] },
            { name: 'pod-1', taints: [taint] },
          ],
        }),
      ),
    );
    await ingestAll(world, upserted(aSlice('s', { devices: [{ name: 'pod-0', taints: [taint] }, { name: 'pod-1' }] })));
    await run(world, 10);
    expect(deletedPods(world)).toEqual(['pod-0']);
    expect([...world.api.recorded.values()].filter((event) => event.message.startsWith('Cancelling'))).toHaveLength(1);
  });

  it('a toleration of 60 s delays the eviction by 60 s', async () => {
    const world = createWorld({ start });
    await fleet(world, 1);
    const tolerations = [{ key: 'example.com/bad', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }];
    await ingestAll(
      world,
      upserted(
        aClaim('pod-0', 'pod-0', {
          allocation: { devices: [{ request: 'gpu', driver, pool: 'node-1', device: 'pod-0', tolerations }] },
        }),
      ),
    );
    await addRule(world, aRule('bad', start));
    await run(world, 59);
    expect(world.api.deletes).toHaveLength(0);
    await run(world, 5);
    expect(deletedPods(world)).toEqual(['pod-0']);
  });

  it('an edited rule evicts all of its pods without a second burst', async () => {
    const world = createWorld({ start });
    const names = await fleet(world, 60);
    const rule = await addRule(world, aRule('bad', start));
    await run(world, 2);
    const edited = { ...rule, generation: 2, resourceVersion: nextVersion(), taint: { ...rule.taint, value: 'worse' } };
    world.api.rules.set('bad', { rule: edited, conditions: [] });
    await ingestAll(world, upserted(edited));
    await run(world, 130);
    expect(deletedPods(world)).toEqual(names.sort());
    const times = world.api.deletes.map((one) => one.at).sort((a, b) => a - b);
    for (const [i, first] of times.entries()) {
      for (const [k, last] of times.slice(i).entries())
        expect(k + 1).toBeLessThanOrEqual(10 + (10 * (last - first + 1000)) / 1000);
    }
  });

  it('a limiter that lists no pod for an hour is forgotten, and registered again with its next pod', async () => {
    const world = createWorld({ start });
    await fleet(world, 1);
    await addRule(world, aRule('bad', start));
    await run(world, 20);
    const state = { table: world.table, cluster: world.cluster };
    expect(await readLimiters(state)).toEqual(['rule|uid-bad']);
    await run(world, 1800);
    expect(await readLimiters(state)).toEqual(['rule|uid-bad']);
    await run(world, 2000);
    expect(await readLimiters(state)).toEqual([]);
    world.api.pods.set('default/late', { uid: 'uid-late', terminating: false, marked: false });
    await ingestAll(world, upserted(aClaim('late', 'late')), upserted(aPod('late')));
    await run(world, 10);
    expect(await readLimiters(state)).toEqual(['rule|uid-bad']);
    expect(deletedPods(world)).toEqual(['late', 'pod-0']);
  });

  it('no pod is evicted without a heartbeat, and all are once it is back', async () => {
    const world = createWorld({ start });
    await fleet(world, 3);
    world.setNow(start + 200_000);
    await addRule(world, aRule('bad', start));
    await world.runUntil(start + 400_000);
    expect(world.api.deletes).toHaveLength(0);
    await ingestAll(world, aHeartbeat(world.now()));
    await world.runUntil(world.now() + 5000);
    expect(world.api.deletes).toHaveLength(3);
  });
});
