// Functions use every grant they have, and make no call that they are not granted.
import { beforeAll, describe, expect, it } from 'vitest';
import { type FunctionName, queriedIndex, sendsTo, tableActions } from '../../infra/grants.ts';
import { clusterIdOf, clusterNameOf } from '../../lib/model/identity.ts';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import { sweepCluster } from '../../lib/stages/sweep/index.ts';
import { incarnationKey, podRowKey } from '../../lib/state/keys.ts';
import {
  aClaim,
  aHeartbeat,
  aPacedRule,
  aPod,
  aRule,
  aSlice,
  deleted,
  nextVersion,
  upserted,
} from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { queuesOfClusters } from '../support/world.ts';
import { playPath } from './support/path.ts';

const start = 1_800_000_000_000;
const names = Object.keys(sendsTo) as FunctionName[];

describe('a path with backlogs, cancellations, due times, lost fan-outs and deleted objects', () => {
  const path = playPath(start);
  const pods = Array.from({ length: 300 }, (_, i) => `pod-${i}`);

  const heartbeat = () => path.change(aHeartbeat(path.world.now()));
  async function runWatched(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 10) {
      await heartbeat();
      await path.run(10);
    }
    await heartbeat();
  }

  /** More pods than one invocation evicts in its time, until the cluster's native mode is set to off. */
  async function playBacklog(): Promise<void> {
    await addPods(Array.from({ length: 150 }, (_, i) => `backlog-${i}`));
    const annotations = { 'sluice.dev/evictions-per-second': '1', 'sluice.dev/burst': '1' };
    const lasting = aRule('lasting', path.world.now(), { annotations });
    await path.addRule(lasting);
    await runWatched(130);
    path.configure({ ...allOwned, native: 'off' });
    // The sweep is the first to notice.
    await path.run(1);
    await runWatched(10);
    path.configure(allOwned);
    await runWatched(10);
    await removeRule(lasting);
    await runWatched(10);
  }

  /** One rule takes pods from another one's backlog; taints in slices wait for approval; and their policy is deleted. */
  async function playPolicies(): Promise<void> {
    const { world } = path;
    const names = Array.from({ length: 40 }, (_, i) => `late-${i}`);
    await addPods(names);
    const limits = { maxPods: 1, maxPercent: 1 };
    const policy = evictionPolicy({ taints: { sources: ['ResourceSlice'] }, limits, resourceVersion: nextVersion() });
    world.api.policyObjects.set('policy', { policy, conditions: [] });
    await path.change(upserted(policy));
    const at = (rate: string) => ({ 'sluice.dev/evictions-per-second': rate, 'sluice.dev/burst': '1' });
    await path.addRule(aRule('slow', world.now(), { annotations: at('0.5') }));
    await runWatched(10);
    await path.addRule(aRule('fast', world.now(), { annotations: at('1') }));
    await runWatched(10);
    const taints = [{ key: 'example.com/ecc', effect: 'NoExecute', timeAdded: world.now() }];
    await path.change(upserted(aSlice('late', { devices: names.slice(30).map((name) => ({ name, taints })) })));
    await runWatched(10);
    world.api.policyObjects.clear();
    await path.change(deleted({ ...policy, resourceVersion: nextVersion() }));
    await runWatched(70);
  }

  async function addPods(names: readonly string[]): Promise<void> {
    for (const name of names) {
      path.world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
      await path.change(upserted(aClaim(name, name)), upserted(aPod(name)));
    }
  }

  async function removeRule(rule: DeviceTaintRule): Promise<void> {
    path.world.api.rules.delete(rule.name);
    await path.change(deleted(rule));
  }

  /** Of a cluster that had this name two days ago. */
  async function playEarlier(): Promise<void> {
    const { world } = path;
    const name = clusterNameOf(world.cluster);
    const heardAt = world.now() - 2 * 86_400_000;
    await world.table.write({ kind: 'Put', row: { ...incarnationKey(name, 'earlier'), heardAt } });
    await world.table.write({ kind: 'Put', row: { ...podRowKey(clusterIdOf(name, 'earlier'), 'ns/pod'), ver: 1 } });
    await sweepCluster(world.depsOf('sweep'), name);
  }

  beforeAll(async () => {
    const { world } = path;
    await heartbeat();
    await addPods(Array.from({ length: 20 }, (_, i) => `first-${i}`));
    const annotations = { 'sluice.dev/evictions-per-second': '10000', 'sluice.dev/burst': '10000' };
    const unpaced = aRule('unpaced', start, { annotations });
    await path.addRule(unpaced);
    await runWatched(10);
    await removeRule(unpaced);
    await addPods(pods);
    await path.addRule(aRule('asks', start, { taint: { key: 'example.com/bad', effect: 'None', timeAdded: start } }));
    // It reads what devices were when they were last seen.
    const reads = aPacedRule('reads', { deviceSelector: { selectors: ['false'] } });
    world.api.rules.set('PacedTaintRule/reads', { rule: reads, conditions: [] });
    await path.change(upserted(reads));
    await runWatched(20);
    const cancelled = aRule('cancelled', start);
    await path.addRule(cancelled);
    await path.deliverLate('evaluate', 0);
    await path.deliverLate('evict', 5000);
    await runWatched(10);
    await removeRule(cancelled);
    await path.change(deleted(aPod('pod-299')), deleted(aClaim('pod-299', 'pod-299')));
    await runWatched(20);
    const unfinished = aRule('unfinished', world.now());
    await path.addRule(unfinished, 'dies');
    await runWatched(10);
    path.lose('report');
    await runWatched(60);
    // Its DELETE gets no answer, and it is not looked at for two minutes.
    world.api.unheardDeletes = 1;
    world.api.pods.set('default/unheard', { uid: 'uid-unheard', terminating: false, marked: false });
    await path.change(upserted(aClaim('unheard', 'unheard')), upserted(aPod('unheard')));
    await path.run(2);
    path.lose('evict');
    world.setNow(world.now() + 120_000);
    await path.run(1);
    await runWatched(10);
    await removeRule(unfinished);
    await playBacklog();
    await playPolicies();
    // Long enough for the sweep to forget limiters that list no pod.
    world.setNow(world.now() + 7_200_000);
    await runWatched(70);
    await playEarlier();
  });

  it('the path evicts more than a hundred pods', () => {
    expect(path.world.api.deletes.length).toBeGreaterThan(100);
  });

  it.each(names)('function %s makes no call to the table that it is not granted', (name) => {
    const index = queriedIndex[name];
    const granted: readonly string[] = [
      ...tableActions[name],
      ...(index === undefined ? [] : [`Query index/${index}`]),
    ];
    expect([...path.actions[name]].filter((action) => !granted.includes(action))).toEqual([]);
  });

  it.each(names)('function %s sends to no queue that it is not granted', (name) => {
    const known: readonly string[] = [...sendsTo[name], ...(queuesOfClusters[name] ?? [])];
    expect([...path.sends[name]].filter((queue) => !known.includes(queue))).toEqual([]);
  });

  it.each(names)('function %s has no grant on the table that it does not use', (name) => {
    expect(tableActions[name].filter((action) => !path.actions[name].has(action))).toEqual([]);
  });

  it.each(names)('function %s has no grant on a queue that it does not use', (name) => {
    expect(sendsTo[name].filter((queue) => !path.sends[name].has(queue))).toEqual([]);
  });
});
