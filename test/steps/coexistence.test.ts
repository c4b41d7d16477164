// Sluice beside another controller, or switched off: what it must not do, what it cancels, and how it resumes.
import { describe, expect, it } from 'vitest';
import type { Modes } from '../../lib/model/ownership.ts';
import { readModePlan, readModes, switchModes } from '../../lib/state/modeRows.ts';
import { readRecord } from '../../lib/state/readRecord.ts';
import { aHeartbeat, aPacedRule, aPod, aRule, aTaintSlice, deleted, upserted } from '../support/objects.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

const slowly = { key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 0.1, burst: 1 };
const devices = { a: {}, b: {}, c: {} };
const stateOf = ({ world }: PacedWorld) => ({ table: world.table, cluster: world.cluster });

async function switchTo(paced: PacedWorld, wanted: Partial<Modes>): Promise<void> {
  await switchModes(stateOf(paced), wanted, paced.world.now());
  await paced.ingest({ type: 'Switched' });
}

/** Adds a native rule; the result reads its conditions. */
async function addNative(paced: PacedWorld, name: string, device: string) {
  const rule = aRule(name, start, { deviceSelector: { device } });
  paced.world.api.rules.set(name, { rule, conditions: [] });
  await paced.ingest(upserted(rule));
  return () => paced.world.api.rules.get(name)?.conditions ?? [];
}

describe('a source that is not owned', () => {
  it('a native rule in shadow mode evicts no pod and only says that it is not paced, while PacedTaintRules continue', async () => {
    const paced = await pacedWorld({ a: {}, b: {} }, {}, () => ({ native: 'shadow', paced: 'own' }));
    const conditions = await addNative(paced, 'native', 'a');
    await paced.write(aPacedRule('paced', { deviceSelector: { device: 'b' } }));
    await paced.run(60);
    expect(paced.gone()).toEqual(['b']);
    expect(conditions()).toMatchObject([{ type: 'sluice.dev/Pacing', status: 'False', reason: 'NotPaced' }]);
    expect(conditions()[0]?.message).toContain('The pods of a PacedTaintRule are evicted at a rate.');
    expect(paced.condition('paced', 'EvictionInProgress')).toMatchObject({ reason: 'Completed' });
  });

  it('a native rule in shadow mode gets no Event about its expiry', async () => {
    const paced = await pacedWorld({}, {}, () => ({ native: 'shadow', paced: 'own' }));
    const annotations = { 'sluice.dev/expires-at': new Date(start + 5 * 60_000).toISOString() };
    await paced.ingest(upserted(aRule('native', start, { annotations })));
    await paced.write(aPacedRule('paced', { expiresAt: annotations['sluice.dev/expires-at'] }));
    await paced.run(130);
    expect([...paced.world.api.recorded.values()].map(({ regarding }) => regarding.name)).toEqual(['paced']);
  });

  it('the paced source in shadow mode evicts no pod and says so, while native rules continue', async () => {
    const paced = await pacedWorld(devices, {}, () => ({ native: 'own', paced: 'shadow' }));
    const conditions = await addNative(paced, 'native', 'a');
    await paced.write(aPacedRule('paced', { deviceSelector: { device: 'b' } }));
    await paced.publish(aTaintSlice('agent', { taints: [{ device: 'c', taint: slowly }] }));
    await paced.run(60);
    expect(paced.gone()).toEqual(['a']);
    expect(conditions()).toMatchObject([{ type: 'EvictionInProgress', reason: 'Completed' }]);
    expect(paced.condition('paced', 'sluice.dev/Held')).toMatchObject({ status: 'True', reason: 'SluiceShadow' });
    expect(paced.condition('paced', 'EvictionInProgress')).toMatchObject({ status: 'False', reason: 'SluiceShadow' });
    expect(paced.world.api.sliceConditions.get('agent')).toMatchObject([
      { type: 'sluice.dev/Held', status: 'True', reason: 'SluiceShadow' },
    ]);
  });

  it('a source that another step had off is not owned at once when its configuration owns it', async () => {
    let modes: Modes = { native: 'own', paced: 'own' };
    const paced = await pacedWorld(devices, {}, () => modes);
    await addNative(paced, 'native', 'a');
    await paced.run(1);
    expect(paced.gone()).toEqual(['a']);
    modes = { native: 'own', paced: 'off' };
    await paced.run(11);
    modes = { native: 'own', paced: 'own' };
    await paced.write(aPacedRule('paced'));
    await paced.run(20);
    expect(paced.gone()).toEqual(['a']);
  });
});

describe('a source that is switched off', () => {
  it('switching a source off cancels pending evictions within a second, deletes projected rules, and keeps its rules', async () => {
    const paced = await pacedWorld(devices, { projectRules: true });
    await paced.write(aPacedRule('r', { taints: [slowly] }));
    await paced.publish(aTaintSlice('agent', { taints: [{ device: 'c', taint: slowly }] }));
    await paced.run(5);
    expect(paced.gone()).toHaveLength(2);
    expect(paced.world.api.projected?.size).toBe(2);
    const kept = ['a', 'b', 'c'].find((name) => !paced.gone().includes(name));
    await switchTo(paced, { paced: 'off' });
    await paced.run(1);
    expect(
      [...paced.world.api.recorded.values()].filter(({ reason }) => reason !== 'DeviceTaintManagerEviction'),
    ).toEqual([]);
    expect([...paced.world.api.recorded.values()].at(-1)).toMatchObject({ regarding: { name: kept } });
    expect([...paced.world.api.recorded.values()].at(-1)?.message).toMatch(/^Cancelling deletion/);
    expect(paced.world.metrics.get('EvictionsCancelled')).toBe(1);
    expect(paced.world.api.projected?.size).toBe(0);
    expect(paced.condition('r', 'sluice.dev/SchedulerInformed')).toMatchObject({
      status: 'False',
      reason: 'SluiceOff',
    });
    expect(paced.condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'True', reason: 'SluiceOff' });
    expect(paced.world.api.sliceConditions.get('agent')).toMatchObject([
      { type: 'sluice.dev/Held', reason: 'SluiceOff', status: 'True' },
      { type: 'sluice.dev/SchedulerInformed', reason: 'SluiceOff', status: 'False' },
    ]);
    await paced.run(120);
    expect(paced.gone()).toHaveLength(2);
    expect(paced.condition('r', 'EvictionInProgress')).toMatchObject({ status: 'False', reason: 'SluiceOff' });
    expect(paced.live('r')).toBeDefined();
    expect(await readRecord(stateOf(paced), `uid-${paced.gone()[0]}`)).toMatchObject({ outcome: 'Evicted' });
  });

  it('a source that is switched off does not repeat a delete whose outcome is unknown', async () => {
    const paced = await pacedWorld({ a: {} });
    paced.world.api.evictor.delete = async () => ({ kind: 'RetryLater', after: 1000, why: 'no answer' });
    await paced.write(aPacedRule('r'));
    await paced.run(2);
    let repeated = 0;
    paced.world.api.evictor.delete = async () => {
      repeated++;
      return { kind: 'Evicted' };
    };
    await switchTo(paced, { paced: 'off' });
    await paced.run(240);
    expect(repeated).toBe(0);
    expect(await readRecord(stateOf(paced), 'uid-a')).toMatchObject({ outcome: 'Abandoned' });
    expect([...paced.world.api.recorded.values()].at(-1)?.message).toMatch(/^Cancelling deletion/);
  });

  it('switching a source off by configuration takes effect with the next heartbeat', async () => {
    let modes: Modes = { native: 'own', paced: 'own' };
    const paced = await pacedWorld(devices, {}, () => modes);
    await paced.write(aPacedRule('r', { taints: [slowly] }));
    await paced.run(3);
    modes = { native: 'own', paced: 'off' };
    await paced.run(12);
    expect(paced.world.metrics.get('EvictionsCancelled')).toBe(2);
  });

  it('the sweep finishes switching a source off if the step that began it crashed', async () => {
    const paced = await pacedWorld(devices);
    await paced.write(aPacedRule('r', { taints: [slowly] }));
    await paced.run(3);
    const { sendEvaluate } = paced.world.deps.queues;
    const { queues } = paced.world.deps;
    queues.sendEvaluate = async () => {
      throw new Error('gone');
    };
    await switchModes(stateOf(paced), { paced: 'off' }, paced.world.now());
    await expect(paced.ingest({ type: 'Switched' })).rejects.toThrow('gone');
    queues.sendEvaluate = sendEvaluate;
    expect((await readModes(stateOf(paced))).modes).toMatchObject({ applied: { paced: 'off' }, isOwed: true });
    await paced.run(61);
    expect(paced.world.metrics.get('EvictionsCancelled')).toBe(2);
    expect((await readModes(stateOf(paced))).modes).not.toHaveProperty('isOwed');
  });
});

describe('a source that is switched on again', () => {
  it('a source that is switched on again shows its plan before the first delete, and evicts every pod once', async () => {
    const paced = await pacedWorld(devices, { projectRules: true });
    await paced.write(aPacedRule('r', { taints: [slowly] }));
    await paced.run(3);
    expect(paced.gone()).toHaveLength(1);
    await paced.ingest(deleted(aPod(paced.gone()[0] ?? '')));
    await switchTo(paced, { paced: 'off' });
    await paced.run(30);
    await switchTo(paced, { paced: 'own' });
    const switchedAt = paced.world.now();
    let shown: number | undefined;
    while (paced.gone().length < 2) {
      await paced.run(10);
      const plan = await readModePlan(stateOf(paced), 'paced');
      if (paced.gone().length < 2) shown ??= plan?.at;
      if (plan)
        expect(plan).toMatchObject({ pods: 2, namespaces: 1, origins: [{ origin: 'PacedTaintRule r', pods: 2 }] });
    }
    const second = paced.world.api.deletes[1]?.at ?? 0;
    expect(second - (shown ?? second)).toBeGreaterThanOrEqual(30_000);
    expect(second - switchedAt).toBeLessThanOrEqual(45_000);
    await paced.run(60);
    expect(paced.gone()).toEqual(['a', 'b', 'c']);
    expect(paced.condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'False' });
    expect(paced.world.api.projected?.size).toBe(1);
  });

  it('a source that is switched off before its plan was shown long enough evicts no pod', async () => {
    const paced = await pacedWorld(devices);
    await switchTo(paced, { native: 'off' });
    await addNative(paced, 'native', 'a');
    await switchTo(paced, { native: 'own' });
    await paced.run(25);
    expect(await readModePlan(stateOf(paced), 'native')).toMatchObject({ pods: 1 });
    await switchTo(paced, { native: 'off' });
    await paced.run(300);
    expect(paced.gone()).toEqual([]);
  });
});

it('the sweep notices a mode switch whose message is missing', async () => {
  const paced = await pacedWorld(devices);
  await switchTo(paced, { native: 'off' });
  await addNative(paced, 'native', 'a');
  await switchModes(stateOf(paced), { native: 'own' }, paced.world.now());
  await paced.run(110);
  expect(paced.gone()).toEqual(['a']);
});

describe('an in-tree controller that the watcher sees', () => {
  const seen = (at: number) => ({ ...aHeartbeat(at), inTree: { at, evidence: 'it marked pod default/x' } });

  it('an in-tree controller puts native rules into shadow mode: their pods are kept, and paced rules continue', async () => {
    const paced = await pacedWorld(devices);
    await addNative(paced, 'native', 'a');
    await paced.ingest(seen(paced.world.now()));
    await paced.write(aPacedRule('paced', { deviceSelector: { device: 'b' } }));
    await paced.run(300);
    expect(paced.gone()).toEqual(['b']);
    const { modes } = await readModes(stateOf(paced));
    expect(modes.applied).toEqual({ native: 'shadow', paced: 'own' });
  });

  it('native rules stay in shadow mode until a person raises it, and a new trace of the controller lowers it again', async () => {
    const paced = await pacedWorld(devices);
    const trace = seen(paced.world.now());
    await paced.ingest(trace);
    await addNative(paced, 'native', 'a');
    await paced.run(300);
    expect(paced.gone()).toEqual([]);
    await switchTo(paced, { native: 'own' });
    // The watcher keeps reporting the trace that it has seen.
    for (let i = 0; i < 20; i++) {
      await paced.run(10);
      await paced.ingest({ ...trace, at: paced.world.now() });
    }
    expect(paced.gone()).toEqual(['a']);
    expect(await readModePlan(stateOf(paced), 'native')).toMatchObject({ pods: 1 });
    await paced.ingest(seen(paced.world.now()));
    await addNative(paced, 'another', 'b');
    await paced.run(300);
    expect(paced.gone()).toEqual(['a']);
  });

  it('an in-tree controller is ignored if the configuration says so', async () => {
    const paced = await pacedWorld(devices, {}, () => ({ native: 'own', paced: 'own', ignoresInTree: true }));
    await paced.ingest(seen(paced.world.now()));
    await addNative(paced, 'native', 'a');
    await paced.run(30);
    expect(paced.gone()).toEqual(['a']);
  });

  it('an in-tree controller that is seen while pods wait for a token keeps them, with an Event on each', async () => {
    const paced = await pacedWorld(devices);
    const rule = {
      ...aRule('native', start),
      annotations: { 'sluice.dev/evictions-per-second': '0.05', 'sluice.dev/burst': '1' },
    };
    paced.world.api.rules.set('native', { rule, conditions: [] });
    await paced.ingest(upserted(rule));
    await paced.run(5);
    expect(paced.gone()).toHaveLength(1);
    await paced.ingest(seen(paced.world.now()));
    await paced.run(300);
    expect(paced.gone()).toHaveLength(1);
    const cancelled = [...paced.world.api.recorded.values()].filter(({ message }) => message.startsWith('Cancelling'));
    expect(cancelled).toHaveLength(2);
  });
});

it('projected rules become NoSchedule beside an in-tree controller that the configuration ignores', async () => {
  const modes = () => ({ native: 'own', paced: 'own', ignoresInTree: true }) as const;
  const paced = await pacedWorld(devices, { projectRules: true }, modes);
  const effects = () => [...(paced.world.api.projected?.values() ?? [])].map(({ taint }) => taint.effect);
  await paced.write(aPacedRule('r', { taints: [slowly] }));
  await paced.run(100);
  expect(effects()).toEqual(['NoExecute']);
  const at = paced.world.now();
  await paced.ingest({ ...aHeartbeat(at), inTree: { at, evidence: 'it marked pod default/x' } });
  await paced.run(20);
  expect(effects()).toEqual(['NoSchedule']);
});
