// Suspected observer failure through the whole path: taints are held with an Event, until they are approved or removed.
import { describe, expect, it } from 'vitest';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { readWaves } from '../../lib/state/waveRows.ts';
import {
  aClaim,
  aClass,
  aPacedRule,
  aPod,
  aSlice,
  aTaintSlice,
  deleted,
  nextVersion,
  upserted,
} from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const ecc = { key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start };
const watching = (more: Partial<EvictionPolicy> = {}) =>
  evictionPolicy({ observer: { minDevices: 8, percent: 80, window: 60_000 }, ...more });
const names = (count: number) => Array.from({ length: count }, (_, i) => `d${i}`);

/** Ten devices of one pool, each with a pod, in a slice of its own. */
async function fleet(policy: EvictionPolicy | 'None' = watching()) {
  const paced = await pacedWorld(Object.fromEntries(names(10).map((name) => [name, {}])));
  if (policy !== 'None') await paced.ask(policy);
  const publish = (taints: readonly (typeof ecc)[], devices: readonly string[]) =>
    paced.ingest(...devices.map((name) => upserted(aSlice(`slice-${name}`, { devices: [{ name, taints }] }))));
  const state = { table: paced.world.table, cluster: paced.world.cluster };
  return {
    ...paced,
    taint: (count: number) => publish([ecc], names(count)),
    heal: (devices: readonly string[]) => publish([], devices),
    /** Conditions of the policy. */
    said: (type = 'sluice.dev/Held') =>
      paced.world.api.policyObjects.get('policy')?.conditions.find((one) => one.type === type),
    waves: async () => (await readWaves(state)).map(({ wave }) => wave),
    approve: async (digest: string) => paced.ask(watching({ annotations: { 'sluice.dev/approve': digest } })),
  };
}

const digestIn = (message = '') => /sluice\.dev\/approve=([0-9a-f,]+)$/.exec(message)?.[1] ?? '';

describe('taints on most of a pool at once', () => {
  it('taints on most of a pool evict no pod, and the policy says why, with figures and an Event', async () => {
    const { world, taint, run, gone, said } = await fleet();
    await taint(9);
    await run(120);
    expect(gone()).toEqual([]);
    expect(said('Accepted')).toMatchObject({ status: 'True' });
    expect(said()).toMatchObject({ status: 'True', reason: 'ObserverInDoubt' });
    expect(said()?.message).toMatch(/^9 of 10 devices of pool gpu\.example\.com\/node-1 \(90 %\) are tainted/);
    const events = [...world.api.recorded.values()].filter(({ reason }) => reason === 'ObserverInDoubt');
    expect(events.map(({ regarding }) => regarding)).toEqual([
      { kind: 'EvictionPolicy', name: 'policy', uid: 'policy-uid' },
    ]);
    expect(world.messages.every(({ stage }) => stage !== 'evict')).toBe(true);
  });

  it('the policy does not report taints as held while another controller evicts for them', async () => {
    const { world, taint, run, said } = await fleet();
    await taint(9);
    await run(20);
    expect(said()).toMatchObject({ status: 'True' });
    const body = { cluster: world.cluster, rule: 'EvictionPolicy/policy' };
    const reportIn = (native: 'own' | 'shadow', paced: 'own' | 'shadow') =>
      world.deliver({ stage: 'report', at: world.now(), body }, { ...world.deps, modesOf: () => ({ native, paced }) });
    await reportIn('shadow', 'own');
    expect(said()).toMatchObject({ status: 'False' });
    await reportIn('own', 'shadow');
    expect(said()).toMatchObject({ status: 'True' });
  });

  it('pods of held taints count as held in the metrics', async () => {
    const { world, taint, run } = await fleet();
    await taint(9);
    await run(1200);
    expect(world.metrics.get('PodsHeld')).toBeGreaterThan(0);
    expect(world.metrics.get('PodsHeld')).toBe(world.metrics.get('PodsPending'));
  });

  it('held taints evict all pods once approved, and the condition becomes NotHeld', async () => {
    const { taint, run, gone, said, approve } = await fleet();
    await taint(9);
    await run(20);
    await approve(digestIn(said()?.message));
    await run(20);
    expect(gone()).toHaveLength(9);
    expect(said()).toMatchObject({ status: 'False', reason: 'NotHeld' });
  });

  it('held taints stay held when another digest is approved', async () => {
    const { taint, run, gone, approve } = await fleet();
    await taint(9);
    await run(20);
    await approve('0123456789ab');
    await run(70);
    expect(gone()).toEqual([]);
  });

  it('held taints stay held while they are removed one by one, until the last', async () => {
    const { taint, heal, run, gone, waves, said } = await fleet();
    await taint(10);
    await run(20);
    await heal(names(9));
    await run(70);
    expect(gone()).toEqual([]);
    expect(await waves()).toMatchObject([{ devices: 1, total: 10 }]);
    await heal(['d9']);
    await run(20);
    expect(gone()).toEqual([]);
    expect(await waves()).toEqual([]);
    expect(said()).toMatchObject({ status: 'False' });
  });

  it('taints that are set after the end of a wave evict at once', async () => {
    const { taint, heal, run, gone } = await fleet();
    await taint(10);
    await run(20);
    await heal(names(10));
    await run(200);
    await taint(2);
    await run(20);
    expect(gone()).toEqual(['d0', 'd1']);
  });

  it('taints that grow beyond what was approved are held again', async () => {
    const { taint, run, gone, said, approve } = await fleet(watching({ evictionsPerSecond: 0 }));
    await taint(8);
    await run(20);
    const first = digestIn(said()?.message);
    await approve(first);
    await taint(10);
    await run(70);
    expect(said()).toMatchObject({ status: 'True' });
    expect(digestIn(said()?.message)).toMatch(new RegExp(`^${first},[0-9a-f]{12}$`));
    expect(gone().length).toBeLessThanOrEqual(8);
  });

  it('held taints evict once their policy does not watch any more, and its deletion leaves no wave', async () => {
    const { world, taint, run, gone, ask, ingest, waves } = await fleet();
    await taint(9);
    await run(10);
    await ask(evictionPolicy({ generation: 2 }));
    await run(20);
    expect(gone()).toHaveLength(9);
    expect(await waves()).toEqual([]);
    world.api.policyObjects.clear();
    await ingest(deleted(watching({ resourceVersion: nextVersion() })));
    await run(10);
    expect(await waves()).toEqual([]);
  });

  it('a policy that begins to watch holds taints whose pods are still pending', async () => {
    const { taint, run, gone, ask, said } = await fleet(evictionPolicy({ evictionsPerSecond: 0 }));
    await taint(9);
    await run(10);
    await ask(watching({ generation: 2 }));
    await run(20);
    expect(gone()).toEqual([]);
    expect(said()).toMatchObject({ status: 'True' });
  });

  it('taints of a DeviceTaintSlice are held as well', async () => {
    const { publish, run, gone, said } = await fleet();
    await publish(
      aTaintSlice('agent', {
        taints: names(8).map((device) => ({ device, taint: { key: ecc.key, effect: 'NoExecute' } })),
      }),
    );
    await run(20);
    expect(gone()).toEqual([]);
    expect(said()?.message).toMatch(/^8 of 10 devices of pool/);
  });

  it('taints of a DeviceClass are held over the pools of all nodes once enough devices have them', async () => {
    const { ingest, run, gone, ask, said } = await nodes();
    const taint = (name: string) =>
      ingest(
        upserted(
          aSlice(`slice-${name}`, {
            pool: { name: `node-${name}`, generation: 1 },
            devices: [{ name, taints: [ecc] }],
          }),
        ),
      );
    await ask(watching({ minimumAge: 30_000 }));
    await ingest(upserted(aClass('gpu', ['device.driver == "gpu.example.com"'])));
    for (const name of names(8)) await taint(name);
    await run(100);
    expect(gone()).toEqual([]);
    expect(said()).toMatch(/^8 of 10 devices of DeviceClass gpu \(80 %\)/);
  });

  it('taints in many pools evict if their devices belong to no DeviceClass', async () => {
    const { ingest, run, gone, ask } = await nodes();
    await ask(watching());
    await ingest(upserted(aClass('gpu', ['device.driver == "other"'])));
    for (const name of names(8))
      await ingest(
        upserted(
          aSlice(`slice-${name}`, {
            pool: { name: `node-${name}`, generation: 1 },
            devices: [{ name, taints: [ecc] }],
          }),
        ),
      );
    await run(10);
    expect(gone()).toHaveLength(8);
  });
});

/** Ten pools with one device each, and a pod on it. */
async function nodes() {
  const paced = await pacedWorld({});
  for (const name of names(10)) {
    paced.world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
    const result = { request: 'gpu', driver: 'gpu.example.com', pool: `node-${name}`, device: name };
    await paced.ingest(
      upserted(aSlice(`slice-${name}`, { pool: { name: `node-${name}`, generation: 1 }, devices: [{ name }] })),
      upserted(aClaim(name, name, { allocation: { devices: [result] } })),
      upserted(aPod(name)),
    );
  }
  return {
    ...paced,
    said: () =>
      paced.world.api.policyObjects.get('policy')?.conditions.find(({ type }) => type === 'sluice.dev/Held')?.message,
  };
}

describe('taints that are not a wave', () => {
  it.each([
    ['few', watching(), 7],
    ['many without a policy', 'None', 10],
    ['many under a policy that does not watch', evictionPolicy(), 10],
  ] as const)('taints evict at once if they are %s', async (_, policy, count) => {
    const { taint, run, gone, waves } = await fleet(policy);
    await taint(count);
    await run(20);
    expect(gone()).toHaveLength(count);
    expect(await waves()).toEqual([]);
  });

  it('a rule over every device evicts at once, whatever the policy watches', async () => {
    const { write, run, gone } = await fleet();
    await write(aPacedRule('r'));
    await run(20);
    expect(gone()).toHaveLength(10);
  });

  it('a rule evicts a pod that a wave keeps', async () => {
    const { taint, write, run, gone } = await fleet();
    await taint(10);
    await run(5);
    await write(aPacedRule('r', { deviceSelector: { device: 'd3' } }));
    await run(10);
    expect(gone()).toEqual(['d3']);
  });
});
