// DeviceTaintSlices through the whole path: an agent's taints evict like a driver's, and the status shows which do not count.
import { describe, expect, it } from 'vitest';
import { aPacedRule, aSlice, aTaintSlice, deleted, upserted } from '../support/objects.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const noExecute = { key: 'example.com/ecc', effect: 'NoExecute' };
const entry = (device: string, more: object = {}) => ({ device, taint: { ...noExecute, ...more } });

describe('an entry of a DeviceTaintSlice', () => {
  it('an entry evicts the pods of its device with its timeAdded in the status, and the Event names its slice', async () => {
    const { world, publish, run, gone } = await pacedWorld({ a: {}, b: {} });
    await publish(aTaintSlice('agent', { taints: [entry('a')] }));
    await run(5);
    expect(gone()).toEqual(['a']);
    expect(world.api.slices.get('agent')?.seen).toEqual([{ device: 'a', ...noExecute, timeAdded: start }]);
    expect([...world.api.recorded.values()].map(({ message }) => message.split('. ')[0])).toEqual([
      'Marking for deletion: DeviceTaintSlice agent: taint example.com/ecc:NoExecute on device gpu.example.com/node-1/a',
    ]);
  });

  it('a device may have several entries, and a slice may have none', async () => {
    const { publish, run, gone } = await pacedWorld({ a: {}, b: {} });
    await publish(aTaintSlice('none'));
    await publish(
      aTaintSlice('agent', { taints: [entry('a', { effect: 'None' }), entry('a', { key: 'example.com/fan' })] }),
    );
    await run(5);
    expect(gone()).toEqual(['a']);
  });

  it('an entry counts only while the pool has no newer generation than the agent saw, and is stale afterwards', async () => {
    const { world, ingest, publish, run, gone } = await pacedWorld({ a: {}, b: {} });
    await ingest(
      upserted(aSlice('slice-a', { pool: { name: 'node-1', generation: 2 }, devices: [{ name: 'a' }, { name: 'b' }] })),
    );
    await publish(aTaintSlice('old', { poolGeneration: 1, taints: [entry('a')] }));
    await publish(aTaintSlice('new', { poolGeneration: 2, taints: [entry('b', { evictionsPerSecond: 0 })] }));
    await run(5);
    expect(gone()).toEqual([]);
    expect(world.api.slices.get('old')?.counts).toEqual({ staleEntries: 1, unknownDevices: 0 });
    expect(world.api.slices.get('new')?.counts).toEqual({ staleEntries: 0, unknownDevices: 0 });
    await ingest(
      upserted(aSlice('slice-a', { pool: { name: 'node-1', generation: 3 }, devices: [{ name: 'a' }, { name: 'b' }] })),
    );
    await run(2);
    expect(world.api.slices.get('new')?.counts).toEqual({ staleEntries: 1, unknownDevices: 0 });
  });

  it('an entry of an unknown device is counted and evicts no pod', async () => {
    const { world, publish, run, gone } = await pacedWorld({ a: {} });
    await publish(aTaintSlice('agent', { taints: [entry('x')] }));
    await run(5);
    expect(gone()).toEqual([]);
    expect(world.api.slices.get('agent')?.counts).toEqual({ staleEntries: 0, unknownDevices: 1 });
  });

  it('an entry that is removed cancels its eviction', async () => {
    const { world, publish, run, gone } = await pacedWorld({ a: {} });
    const agent = aTaintSlice('agent', { taints: [entry('a', { evictionsPerSecond: 0 })] });
    await publish(agent);
    await run(5);
    await publish({ ...agent, generation: 2, taints: [] });
    await run(5);
    expect(gone()).toEqual([]);
    expect([...world.api.recorded.values()].map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Cancelling deletion: DeviceTaintSlice agent/),
    ]);
  });

  it('an entry ends with its slice, and its eviction is cancelled', async () => {
    const { world, ingest, publish, run, gone } = await pacedWorld({ a: {} });
    await publish(aTaintSlice('agent', { taints: [entry('a', { evictionsPerSecond: 0 })] }));
    await run(5);
    const slice = world.api.slices.get('agent');
    if (!slice) throw new Error('the slice is not there');
    world.api.slices.clear();
    await ingest(deleted(slice));
    await run(5);
    expect(gone()).toEqual([]);
    expect(world.api.recorded.size).toBe(1);
  });

  it('an entry does not delay a pod that another taint evicts earlier', async () => {
    const { publish, write, run, gone } = await pacedWorld({ a: {} });
    await publish(aTaintSlice('agent', { taints: [entry('a', { evictionsPerSecond: 0 })] }));
    await run(5);
    expect(gone()).toEqual([]);
    await write(aPacedRule('r'));
    await run(5);
    expect(gone()).toEqual(['a']);
  });

  it('entries of the same taint share one rate over all devices and slices', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
    const { publish, run, gone } = await pacedWorld(Object.fromEntries(names.map((name) => [name, {}])));
    const rate = { evictionsPerSecond: 1, burst: 1 };
    await publish(aTaintSlice('x', { taints: names.slice(0, 4).map((name) => entry(name, rate)) }));
    await publish(aTaintSlice('y', { taints: names.slice(4).map((name) => entry(name, rate)) }));
    await run(4);
    expect(gone().length).toBeGreaterThanOrEqual(3);
    expect(gone().length).toBeLessThanOrEqual(5);
    await run(8);
    expect(gone()).toHaveLength(8);
  });

  it('an entry can be selected by the deviceTaints of a rule', async () => {
    const { publish, write, run, gone } = await pacedWorld({ a: {}, b: {} });
    await publish(aTaintSlice('agent', { taints: [entry('a', { effect: 'NoSchedule' })] }));
    await write(aPacedRule('r', { deviceSelector: { deviceTaints: [{ key: noExecute.key, minAge: 5000 }] } }));
    await run(4);
    expect(gone()).toEqual([]);
    await run(6);
    expect(gone()).toEqual(['a']);
  });
});
