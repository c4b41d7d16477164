// PacedTaintRules are told to the scheduler as native rules, which go with them.
import { describe, expect, it } from 'vitest';
import { aPacedRule, aSlice, deleted, nextVersion, upserted } from '../support/objects.ts';
import { pacedWorld } from '../support/pacedWorld.ts';

const broken = { attributes: { healthy: { bool: false } } };
const healthy = { attributes: { healthy: { bool: true } } };
const isBroken = 'device.attributes["gpu.example.com"].healthy == false';
const informed = 'sluice.dev/SchedulerInformed';
const settings = { projectRules: true };

describe('a PacedTaintRule', () => {
  it('of names becomes one native rule, says so, and takes it along when it goes', async () => {
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

  it('of an expression follows the devices', async () => {
    const { world, ingest, write, run } = await pacedWorld({ a: broken, b: healthy }, settings);
    await write(aPacedRule('r', { deviceSelector: { selectors: [isBroken] } }));
    await run(1);
    const devices = () => [...(world.api.projected?.values() ?? [])].map((one) => one.deviceSelector.device).sort();
    expect(devices()).toEqual(['a']);
    await ingest(upserted(aSlice('slice-b', { devices: [{ name: 'b', ...broken }] })));
    await ingest(upserted(aSlice('slice-a', { devices: [{ name: 'a', ...healthy }] })));
    await run(70);
    expect(devices()).toEqual(['b']);
    // A device that nobody uses moves no pod, and is found by the sweep.
    await ingest(upserted(aSlice('slice-c', { devices: [{ name: 'c', ...broken }] })));
    await run(80);
    expect(devices()).toEqual(['b', 'c']);
  });

  it('says that the scheduler cannot be told where native rules are not served', async () => {
    const { world, write, run, condition } = await pacedWorld({ a: {} }, settings);
    world.api.projected = undefined;
    await write(aPacedRule('r'));
    await run(1);
    expect(condition('r', informed)).toMatchObject({ status: 'False', reason: 'NotServed' });
  });

  it('over too many devices projects none, and says how many there are', async () => {
    const devices = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`d${i}`, broken]));
    const { world, write, run, condition } = await pacedWorld(devices, settings);
    const taints = [{ key: 'k', effect: 'NoSchedule' }];
    await write(aPacedRule('r', { deviceSelector: { selectors: [isBroken] }, taints }));
    await run(1);
    expect(world.api.projected?.size).toBe(0);
    expect(condition('r', informed)).toMatchObject({ status: 'False', reason: 'TooManyDevices' });
    expect(condition('r', informed)?.message).toMatch(/^257 native rules would be needed/);
  });

  it('that only asks is not told to anybody', async () => {
    const { world, write, run, condition } = await pacedWorld({ a: {} }, settings);
    await write(aPacedRule('r', { taints: [{ key: 'k', effect: 'None' }] }));
    await run(1);
    expect(world.api.projected?.size).toBe(0);
    expect(condition('r', informed)).toBeUndefined();
  });

  it('is not projected where the setting is off', async () => {
    const { world, write, run } = await pacedWorld({ a: {} });
    await write(aPacedRule('r'));
    await run(1);
    expect(world.api.projected?.size).toBe(0);
  });
});
