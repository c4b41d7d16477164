// PacedTaintRules and DeviceTaintSlices are projected to native rules for the scheduler, which are deleted with them.
import { describe, expect, it } from 'vitest';
import { allOwned } from '../../lib/model/ownership.ts';
import { aHeartbeat, aPacedRule, aSlice, aTaintSlice, deleted, nextVersion, upserted } from '../support/objects.ts';
import { type PacedWorld, pacedWorld } from '../support/pacedWorld.ts';

const broken = { attributes: { healthy: { bool: false } } };
const healthy = { attributes: { healthy: { bool: true } } };
const isBroken = 'device.attributes["gpu.example.com"].healthy == false';
const informed = 'sluice.dev/SchedulerInformed';
const settings = { projectRules: true };

describe('a PacedTaintRule', () => {
  it('a PacedTaintRule without expressions is projected to one native rule, says so, and deletes it at its end', async () => {
    const { world, ingest, write, run, condition, live } = await pacedWorld({ a: {} }, settings);
    await write(aPacedRule('r', { taints: [{ key: 'k', effect: 'NoSchedule' }] }));
    await run(1);
    expect([...(world.api.projected?.values() ?? [])]).toMatchObject([
      { from: { uid: 'uid-r' }, deviceSelector: { driver: 'gpu.example.com' }, taint: { effect: 'NoSchedule' } },
    ]);
    expect(condition('r', informed)).toMatchObject({
      status: 'True',
      reason: 'Projected',
      message: '1 native rule keeps new pods away.',
    });
    const rule = live('r');
    if (!rule) throw new Error('the rule is not there');
    world.api.rules.clear();
    await ingest(deleted({ ...rule, resourceVersion: nextVersion() }));
    await run(1);
    expect(world.api.projected?.size).toBe(0);
  });

  it('the projection of an expression follows the devices that it selects', async () => {
    const { world, ingest, write, run } = await pacedWorld({ a: broken, b: healthy }, settings);
    await write(aPacedRule('r', { deviceSelector: { selectors: [isBroken] } }));
    await run(1);
    const devices = () => [...(world.api.projected?.values() ?? [])].map((one) => one.deviceSelector.device).sort();
    expect(devices()).toEqual(['a']);
    await ingest(upserted(aSlice('slice-b', { devices: [{ name: 'b', ...broken }] })));
    await ingest(upserted(aSlice('slice-a', { devices: [{ name: 'a', ...healthy }] })));
    await run(70);
    expect(devices()).toEqual(['b']);
    // A device that is not allocated affects no pod, and is found by the sweep.
    await ingest(upserted(aSlice('slice-c', { devices: [{ name: 'c', ...broken }] })));
    await run(80);
    expect(devices()).toEqual(['b', 'c']);
  });

  it('a PacedTaintRule says that it is not projected if native rules are not served', async () => {
    const { world, write, run, condition } = await pacedWorld({ a: {} }, settings);
    world.api.projected = undefined;
    await write(aPacedRule('r'));
    await run(1);
    expect(condition('r', informed)).toMatchObject({ status: 'False', reason: 'NotServed' });
  });

  it('a PacedTaintRule over too many devices is not projected, and says how many rules it needs', async () => {
    const devices = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`d${i}`, broken]));
    const { world, write, run, condition } = await pacedWorld(devices, settings);
    const taints = [{ key: 'k', effect: 'NoSchedule' }];
    await write(aPacedRule('r', { deviceSelector: { selectors: [isBroken] }, taints }));
    await run(1);
    expect(world.api.projected?.size).toBe(0);
    expect(condition('r', informed)).toMatchObject({ status: 'False', reason: 'TooManyDevices' });
    expect(condition('r', informed)?.message).toMatch(/^257 native rules would be needed/);
  });

  it('a PacedTaintRule with effect None is not projected', async () => {
    const { world, write, run, condition } = await pacedWorld({ a: {} }, settings);
    await write(aPacedRule('r', { taints: [{ key: 'k', effect: 'None' }] }));
    await run(1);
    expect(world.api.projected?.size).toBe(0);
    expect(condition('r', informed)).toBeUndefined();
  });

  it('a PacedTaintRule is not projected if the setting is off', async () => {
    const { world, write, run } = await pacedWorld({ a: {} });
    await write(aPacedRule('r'));
    await run(1);
    expect(world.api.projected?.size).toBe(0);
  });
});

describe('a DeviceTaintSlice', () => {
  const entry = (device: string, effect = 'NoExecute') => ({ device, taint: { key: 'example.com/ecc', effect } });
  const told = (world: PacedWorld['world']) =>
    [...(world.api.projected?.values() ?? [])].map(
      ({ from, deviceSelector, taint }) => `${from.kind} ${from.name} ${deviceSelector.device} ${taint.effect}`,
    );
  const said = (world: PacedWorld['world'], name = 'agent') =>
    world.api.sliceConditions.get(name)?.find(({ type }) => type === informed);

  it('a DeviceTaintSlice is projected to one native rule for each device that new pods must avoid, and says so', async () => {
    const { world, publish, run } = await pacedWorld({ a: {}, b: {}, c: {} }, settings);
    await publish(aTaintSlice('agent', { taints: [entry('a'), entry('b', 'NoSchedule'), entry('c', 'None')] }));
    await run(1);
    expect(told(world)).toEqual(['DeviceTaintSlice agent a NoExecute', 'DeviceTaintSlice agent b NoSchedule']);
    expect(said(world)).toMatchObject({
      status: 'True',
      reason: 'Projected',
      message: '2 native rules keep new pods away.',
    });
  });

  it('a DeviceTaintSlice deletes the native rules of removed entries, and all of them at its end', async () => {
    const { world, ingest, publish, run } = await pacedWorld({ a: {}, b: {} }, settings);
    const agent = aTaintSlice('agent', { taints: [entry('a', 'NoSchedule'), entry('b', 'NoSchedule')] });
    await publish(agent);
    await run(1);
    await publish({ ...agent, generation: 2, taints: [entry('b', 'NoSchedule')] });
    await run(1);
    expect(told(world)).toEqual(['DeviceTaintSlice agent b NoSchedule']);
    const slice = world.api.slices.get('agent');
    if (!slice) throw new Error('the slice is not there');
    world.api.slices.clear();
    await ingest(deleted({ ...slice, resourceVersion: nextVersion() }));
    await run(1);
    expect(told(world)).toEqual([]);
  });

  it('a DeviceTaintSlice that another of its name replaces leaves no native rule', async () => {
    const { world, ingest, publish, run } = await pacedWorld({ a: {}, b: {} }, settings);
    await publish(aTaintSlice('agent', { taints: [entry('a', 'NoSchedule')] }));
    await run(1);
    const slice = world.api.slices.get('agent');
    if (!slice) throw new Error('the slice is not there');
    world.api.slices.clear();
    const other = aTaintSlice('agent', { uid: 'uid-other', taints: [entry('b', 'NoSchedule')] });
    await ingest(deleted({ ...slice, resourceVersion: nextVersion() }));
    await publish(other);
    await run(2);
    expect(told(world)).toEqual(['DeviceTaintSlice agent b NoSchedule']);
  });

  it('a DeviceTaintSlice behind the newest generation of its pool is not projected any more', async () => {
    const { world, ingest, publish, run } = await pacedWorld({ a: {} }, settings);
    await publish(aTaintSlice('agent', { poolGeneration: 1, taints: [entry('a', 'NoSchedule')] }));
    await run(1);
    expect(told(world)).toHaveLength(1);
    await ingest(upserted(aSlice('slice-a', { pool: { name: 'node-1', generation: 2 }, devices: [{ name: 'a' }] })));
    await run(2);
    expect(told(world)).toEqual([]);
    expect(said(world)).toMatchObject({ status: 'True', reason: 'NothingToProject' });
  });

  it('a DeviceTaintSlice says that it cannot be projected, and is projected within two minutes once it may be', async () => {
    const { world, publish, run } = await pacedWorld({ a: {} }, settings);
    const { create } = world.api.projections;
    const refuse = async () => ({ kind: 'Refused', why: '403 forbidden', status: 403 }) as const;
    Object.assign(world.api.projections, { create: refuse });
    await publish(aTaintSlice('agent', { taints: [entry('a', 'NoSchedule')] }));
    await run(1);
    expect(said(world)).toMatchObject({ status: 'False', reason: 'Refused' });
    expect(said(world)?.message).toMatch(/403 forbidden\. Set the value rbac\.projection=true/);
    Object.assign(world.api.projections, { create });
    await run(120);
    expect(said(world)).toMatchObject({ status: 'True', reason: 'Projected' });
    expect(told(world)).toHaveLength(1);
  });

  it('a DeviceTaintSlice is projected as NoSchedule if another controller acts on native rules, which would evict at once', async () => {
    const { world, publish, run } = await pacedWorld({ a: {} }, settings, () => ({ ...allOwned, native: 'off' }));
    await publish(aTaintSlice('agent', { taints: [entry('a')] }));
    await run(1);
    expect(told(world)).toEqual(['DeviceTaintSlice agent a NoSchedule']);
    expect(said(world)?.message).toContain('because the in-tree controller is active');
  });

  it('a DeviceTaintSlice is not projected while Sluice does not own it, and says so beside the condition Held', async () => {
    let paced: 'own' | 'off' = 'own';
    const { world, ingest, publish, run } = await pacedWorld({ a: {} }, settings, () => ({ ...allOwned, paced }));
    await publish(aTaintSlice('agent', { taints: [entry('a', 'NoSchedule')] }));
    await run(1);
    expect(told(world)).toHaveLength(1);
    paced = 'off';
    await ingest(aHeartbeat(world.now()));
    await run(2);
    expect(told(world)).toEqual([]);
    expect(world.api.sliceConditions.get('agent')?.map(({ type, status }) => [type, status])).toEqual(
      expect.arrayContaining([
        [informed, 'False'],
        ['sluice.dev/Held', 'True'],
      ]),
    );
  });

  it('a DeviceTaintSlice is not projected if the setting is off', async () => {
    const { world, publish, run } = await pacedWorld({ a: {} });
    await publish(aTaintSlice('agent', { taints: [entry('a', 'NoSchedule')] }));
    await run(1);
    expect([told(world), said(world)]).toEqual([[], undefined]);
  });
});
