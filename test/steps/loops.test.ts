// Pods whose owner recreates them on a tainted device, through the whole path: some are evicted, then they are kept, with an Event.
import { describe, expect, it } from 'vitest';
import type { ControllerReference } from '../../lib/model/objects.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { readRounds } from '../../lib/state/loopRows.ts';
import { readWhy, renderWhy } from '../../lib/view/why.ts';
import { aClaim, aPod, aRule, aSlice, deleted, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const web = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web' };
const device = 'gpu.example.com|node-1|a';

/** Devices with a tainting rule; `bring` creates one more pod of an owner on the device `a`, as its controller would. */
async function fleet(policy: Partial<EvictionPolicy> | 'None' = {}) {
  const paced = await pacedWorld({});
  const { world, ingest } = paced;
  await ingest(upserted(aSlice('slice-a', { devices: [{ name: 'a' }, { name: 'b' }] })));
  if (policy !== 'None') await paced.ask(evictionPolicy(policy));
  const rule = aRule('bad', start);
  world.api.rules.set('bad', { rule, conditions: [] });
  await ingest(upserted(rule));
  let born = 0;
  const state = { table: world.table, cluster: world.cluster };
  return {
    ...paced,
    state,
    async bring(
      owner: ControllerReference | 'None' = web,
      on = 'a',
      labels: Readonly<Record<string, string>> = {},
    ): Promise<string> {
      const name = `web-${born++}`;
      world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
      const creationTimestamp = Math.floor(world.now() / 1000) * 1000;
      await ingest(
        upserted(aClaim(name, on)),
        upserted(aPod(name, { ...(owner === 'None' ? {} : { controller: owner }), labels, creationTimestamp })),
      );
      return name;
    },
    events: () => [...world.api.recorded.values()].filter(({ reason }) => reason === 'EvictionLoop'),
    rounds: async () => (await readRounds(state, 'web', [device]))[0]?.times.length,
  };
}

type Fleet = Awaited<ReturnType<typeof fleet>>;

/** Creates pods one after another, with time to evict each before the next. */
async function bringOneByOne(
  { bring, run }: Fleet,
  count: number,
  owner: ControllerReference | 'None' = web,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    await bring(owner);
    await run(5);
  }
}

describe('pods that come back to the device they were evicted from', () => {
  it.each([
    ['under a policy that sets no limit of its own', {}],
    ['without any policy', 'None'],
    ['under a policy for other taints', { taints: { keys: ['x'] } }],
  ] as const)(
    'pods that come back are evicted three times in ten minutes %s, then kept with an Event',
    async (_, policy) => {
      const world = await fleet(policy);
      await bringOneByOne(world, 5);
      await world.run(60);
      expect(world.gone()).toEqual(['web-0', 'web-1', 'web-2']);
      expect(world.events().map(({ regarding }) => regarding.name)).toEqual(['web-3', 'web-4']);
      expect(world.events()[0]?.message).toMatch(
        /pods of ReplicaSet web came back 3 times within 10 min .*DeviceTaintRule bad/,
      );
      const why = renderWhy('default/web-3', await readWhy(world.state, 'default/web-3', world.world.now()));
      expect(why.join('\n')).toContain('kept: pods of its owner came back 3 times to device gpu.example.com/node-1/a');
    },
  );

  it('one more pod is evicted when the first eviction was ten minutes ago', async () => {
    const world = await fleet();
    await bringOneByOne(world, 4);
    await world.run(550);
    expect(world.gone()).toHaveLength(3);
    await world.run(120);
    expect(world.gone()).toEqual(['web-0', 'web-1', 'web-2', 'web-3']);
  });

  it('a policy sets after how many evictions pods that come back are kept, and for how long', async () => {
    const world = await fleet({ loopLimit: 1, loopWindow: 3_600_000 });
    await bringOneByOne(world, 3);
    await world.run(1200);
    expect(world.gone()).toEqual(['web-0']);
  });

  it('pods that come back are counted by device: on another device they are evicted', async () => {
    const world = await fleet({ loopLimit: 1 });
    await bringOneByOne(world, 2);
    await world.bring(web, 'b');
    await world.run(5);
    expect(world.gone()).toEqual(['web-0', 'web-2']);
  });

  it('pods that come back are counted by owner: those of another owner are evicted', async () => {
    const world = await fleet({ loopLimit: 1 });
    await bringOneByOne(world, 2);
    await world.bring({ ...web, uid: 'other' });
    await world.run(5);
    expect(world.gone()).toEqual(['web-0', 'web-2']);
  });

  it('pods that come back are evicted by another taint, which is counted separately', async () => {
    const world = await fleet({ loopLimit: 1, taints: { sources: ['DeviceTaintRule'] } });
    await bringOneByOne(world, 2);
    expect(world.gone()).toEqual(['web-0']);
    const taints = [{ key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start }];
    await world.ingest(upserted(aSlice('slice-a', { devices: [{ name: 'a', taints }, { name: 'b' }] })));
    await world.run(5);
    expect(world.gone()).toEqual(['web-0', 'web-1']);
  });

  it('kept pods are evicted later if their policy sets no limit any more', async () => {
    const world = await fleet({ loopLimit: 1, loopWindow: 120_000 });
    await bringOneByOne(world, 2);
    await world.ask(evictionPolicy({ generation: 2, loopLimit: 0 }));
    await world.run(200);
    expect(world.gone()).toEqual(['web-0', 'web-1']);
  });
});

describe('pods of a JobSet, whose Jobs are replaced each time', () => {
  it('pods of a JobSet count as those of one owner, although its Jobs are replaced', async () => {
    const world = await fleet();
    for (let i = 0; i < 5; i++) {
      const job = { apiVersion: 'batch/v1', kind: 'Job', name: `train-${i}`, uid: `job-${i}` };
      await world.bring(job, 'a', { 'jobset.sigs.k8s.io/jobset-name': 'train' });
      await world.run(5);
    }
    expect(world.gone()).toEqual(['web-0', 'web-1', 'web-2']);
    expect(world.events()[0]?.message).toContain('pods of JobSet train came back 3 times');
  });
});

describe('pods that are not in a loop', () => {
  it.each([
    ['under a policy without a limit', { loopLimit: 0 }, web],
    ['without an owner that recreates them', {}, 'None'],
  ] as const)('pods %s are evicted however often they come back', async (_, policy, owner) => {
    const world = await fleet(policy);
    await bringOneByOne(world, 6, owner);
    expect(world.gone()).toHaveLength(6);
    expect(world.events()).toEqual([]);
    expect(await world.rounds()).toBe(0);
  });

  it('pods of one owner that share a device are evicted together and count once', async () => {
    const world = await fleet({ loopLimit: 1, evictionsPerSecond: 0 });
    for (let i = 0; i < 12; i++) await world.bring();
    await world.run(5);
    await world.ask(evictionPolicy({ generation: 2, loopLimit: 1 }));
    await world.run(20);
    expect(world.gone()).toHaveLength(12);
    expect(await world.rounds()).toBe(1);
  });

  it('a pod that is created while others of its owner are evicted belongs to the next round', async () => {
    const world = await fleet({ loopLimit: 1 });
    await world.bring();
    await world.bring();
    await world.run(3);
    await world.bring();
    await world.run(10);
    expect(world.gone()).toEqual(['web-0', 'web-1']);
  });

  it('a kept pod that another client deletes is never evicted', async () => {
    const world = await fleet({ loopLimit: 1 });
    await bringOneByOne(world, 1);
    const name = await world.bring();
    await world.run(5);
    world.world.api.pods.delete(`default/${name}`);
    await world.ingest(deleted(aPod(name, { controller: web })));
    await world.run(20);
    expect(world.gone()).toEqual(['web-0']);
  });
});
