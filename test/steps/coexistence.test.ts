// Sluice beside others, or switched off: what it may not do, what it takes back, and how it begins again.
import { describe, expect, it } from 'vitest';
import type { Modes } from '../../lib/model/ownership.ts';
import { readModePlan, readModes, switchModes } from '../../lib/state/modeRows.ts';
import { readRecord } from '../../lib/state/readRecord.ts';
import { aHeartbeat, aPacedRule, aPod, aRule, aTaintSlice, deleted, upserted } from '../support/objects.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

const slowly = { key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 0.1, burst: 1 };
const devices = { a: {}, b: {}, c: {} };
const stateOf = ({ world }: PacedWorld) => ({ table: world.table, cluster: world.cluster });

async function switchTo(it: PacedWorld, wanted: Partial<Modes>): Promise<void> {
  await switchModes(stateOf(it), wanted, it.world.now());
  await it.ingest({ type: 'Switched' });
}

/** A native rule, and what became of its status. */
async function addNative(it: PacedWorld, name: string, device: string) {
  const rule = aRule(name, start, { deviceSelector: { device } });
  it.world.api.rules.set(name, { rule, conditions: [] });
  await it.ingest(upserted(rule));
  return () => it.world.api.rules.get(name)?.conditions ?? [];
}

describe('a source that is not owned', () => {
  it('evicts no pod and says of a native rule only that it cannot be paced, while the other continues', async () => {
    const it = await pacedWorld({ a: {}, b: {} }, {}, () => ({ native: 'shadow', paced: 'own' }));
    const conditions = await addNative(it, 'native', 'a');
    await it.write(aPacedRule('paced', { deviceSelector: { device: 'b' } }));
    await it.run(60);
    expect(it.gone()).toEqual(['b']);
    expect(conditions()).toMatchObject([{ type: 'sluice.dev/Pacing', status: 'False', reason: 'NotPaced' }]);
    expect(conditions()[0]?.message).toContain('The pods of a PacedTaintRule are evicted at a rate.');
    expect(it.condition('paced', 'EvictionInProgress')).toMatchObject({ reason: 'Completed' });
  });

  it('has no word about rules that expire', async () => {
    const it = await pacedWorld({}, {}, () => ({ native: 'shadow', paced: 'own' }));
    const annotations = { 'sluice.dev/expires-at': new Date(start + 5 * 60_000).toISOString() };
    await it.ingest(upserted(aRule('native', start, { annotations })));
    await it.write(aPacedRule('paced', { expiresAt: annotations['sluice.dev/expires-at'] }));
    await it.run(130);
    expect([...it.world.api.recorded.values()].map(({ regarding }) => regarding.name)).toEqual(['paced']);
  });

  it('of Sluice itself evicts no pod and says so, while native rules continue', async () => {
    const it = await pacedWorld(devices, {}, () => ({ native: 'own', paced: 'shadow' }));
    const conditions = await addNative(it, 'native', 'a');
    await it.write(aPacedRule('paced', { deviceSelector: { device: 'b' } }));
    await it.publish(aTaintSlice('agent', { taints: [{ device: 'c', taint: slowly }] }));
    await it.run(60);
    expect(it.gone()).toEqual(['a']);
    expect(conditions()).toMatchObject([{ type: 'EvictionInProgress', reason: 'Completed' }]);
    expect(it.condition('paced', 'sluice.dev/Held')).toMatchObject({ status: 'True', reason: 'SluiceShadow' });
    expect(it.condition('paced', 'EvictionInProgress')).toMatchObject({ status: 'False', reason: 'SluiceShadow' });
    expect(it.world.api.sliceConditions.get('agent')).toMatchObject([
      { type: 'sluice.dev/Held', status: 'True', reason: 'SluiceShadow' },
    ]);
  });

  it('that its configuration owns, but another step does not, is not owned', async () => {
    let modes: Modes = { native: 'own', paced: 'own' };
    const it = await pacedWorld(devices, {}, () => modes);
    await addNative(it, 'native', 'a');
    await it.run(1);
    expect(it.gone()).toEqual(['a']);
    modes = { native: 'own', paced: 'off' };
    await it.run(11);
    modes = { native: 'own', paced: 'own' };
    await it.write(aPacedRule('paced'));
    await it.run(20);
    expect(it.gone()).toEqual(['a']);
  });
});

describe('switched off', () => {
  it('cancels what is pending within a second, says so on each pod, takes back what it projected, and keeps rules', async () => {
    const it = await pacedWorld(devices, { projectRules: true });
    await it.write(aPacedRule('r', { taints: [slowly] }));
    await it.publish(aTaintSlice('agent', { taints: [{ device: 'c', taint: slowly }] }));
    await it.run(5);
    expect(it.gone()).toHaveLength(2);
    expect(it.world.api.projected?.size).toBe(2);
    const kept = ['a', 'b', 'c'].find((name) => !it.gone().includes(name));
    await switchTo(it, { paced: 'off' });
    await it.run(1);
    expect([...it.world.api.recorded.values()].filter(({ reason }) => reason !== 'DeviceTaintManagerEviction')).toEqual(
      [],
    );
    expect([...it.world.api.recorded.values()].at(-1)).toMatchObject({ regarding: { name: kept } });
    expect([...it.world.api.recorded.values()].at(-1)?.message).toMatch(/^Cancelling deletion/);
    expect(it.world.metrics.get('EvictionsCancelled')).toBe(1);
    expect(it.world.api.projected?.size).toBe(0);
    expect(it.condition('r', 'sluice.dev/SchedulerInformed')).toMatchObject({ status: 'False', reason: 'SluiceOff' });
    expect(it.condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'True', reason: 'SluiceOff' });
    expect(it.world.api.sliceConditions.get('agent')).toMatchObject([
      { type: 'sluice.dev/Held', reason: 'SluiceOff', status: 'True' },
      { type: 'sluice.dev/SchedulerInformed', reason: 'SluiceOff', status: 'False' },
    ]);
    await it.run(120);
    expect(it.gone()).toHaveLength(2);
    expect(it.condition('r', 'EvictionInProgress')).toMatchObject({ status: 'False', reason: 'SluiceOff' });
    expect(it.live('r')).toBeDefined();
    expect(await readRecord(stateOf(it), `uid-${it.gone()[0]}`)).toMatchObject({ outcome: 'Evicted' });
  });

  it('does not repeat a delete whose outcome is unknown', async () => {
    const it = await pacedWorld({ a: {} });
    it.world.api.evictor.delete = async () => ({ kind: 'RetryLater', after: 1000, why: 'no answer' });
    await it.write(aPacedRule('r'));
    await it.run(2);
    let repeated = 0;
    it.world.api.evictor.delete = async () => {
      repeated++;
      return { kind: 'Evicted' };
    };
    await switchTo(it, { paced: 'off' });
    await it.run(240);
    expect(repeated).toBe(0);
    expect(await readRecord(stateOf(it), 'uid-a')).toMatchObject({ outcome: 'Abandoned' });
    expect([...it.world.api.recorded.values()].at(-1)?.message).toMatch(/^Cancelling deletion/);
  });

  it('by configuration takes effect with the next heartbeat', async () => {
    let modes: Modes = { native: 'own', paced: 'own' };
    const it = await pacedWorld(devices, {}, () => modes);
    await it.write(aPacedRule('r', { taints: [slowly] }));
    await it.run(3);
    modes = { native: 'own', paced: 'off' };
    await it.run(12);
    expect(it.world.metrics.get('EvictionsCancelled')).toBe(2);
  });

  it('is finished by the sweep where the step that began it died', async () => {
    const it = await pacedWorld(devices);
    await it.write(aPacedRule('r', { taints: [slowly] }));
    await it.run(3);
    const { sendEvaluate } = it.world.deps.queues;
    const { queues } = it.world.deps;
    queues.sendEvaluate = async () => {
      throw new Error('gone');
    };
    await switchModes(stateOf(it), { paced: 'off' }, it.world.now());
    await expect(it.ingest({ type: 'Switched' })).rejects.toThrow('gone');
    queues.sendEvaluate = sendEvaluate;
    expect((await readModes(stateOf(it))).modes).toMatchObject({ applied: { paced: 'off' }, isOwed: true });
    await it.run(61);
    expect(it.world.metrics.get('EvictionsCancelled')).toBe(2);
    expect((await readModes(stateOf(it))).modes).not.toHaveProperty('isOwed');
  });
});

describe('switched on again', () => {
  it('shows the plan before the first delete, and evicts every pod once', async () => {
    const it = await pacedWorld(devices, { projectRules: true });
    await it.write(aPacedRule('r', { taints: [slowly] }));
    await it.run(3);
    expect(it.gone()).toHaveLength(1);
    await it.ingest(deleted(aPod(it.gone()[0] ?? '')));
    await switchTo(it, { paced: 'off' });
    await it.run(30);
    await switchTo(it, { paced: 'own' });
    const switchedAt = it.world.now();
    let shown: number | undefined;
    while (it.gone().length < 2) {
      await it.run(10);
      const plan = await readModePlan(stateOf(it), 'paced');
      if (it.gone().length < 2) shown ??= plan?.at;
      if (plan)
        expect(plan).toMatchObject({ pods: 2, namespaces: 1, origins: [{ origin: 'PacedTaintRule r', pods: 2 }] });
    }
    const second = it.world.api.deletes[1]?.at ?? 0;
    expect(second - (shown ?? second)).toBeGreaterThanOrEqual(30_000);
    expect(second - switchedAt).toBeLessThanOrEqual(45_000);
    await it.run(60);
    expect(it.gone()).toEqual(['a', 'b', 'c']);
    expect(it.condition('r', 'sluice.dev/Held')).toMatchObject({ status: 'False' });
    expect(it.world.api.projected?.size).toBe(1);
  });

  it('evicts no pod when it is switched off before the plan was shown long enough', async () => {
    const it = await pacedWorld(devices);
    await switchTo(it, { native: 'off' });
    await addNative(it, 'native', 'a');
    await switchTo(it, { native: 'own' });
    await it.run(25);
    expect(await readModePlan(stateOf(it), 'native')).toMatchObject({ pods: 1 });
    await switchTo(it, { native: 'off' });
    await it.run(300);
    expect(it.gone()).toEqual([]);
  });
});

it('a switch that was not announced is noticed by the sweep', async () => {
  const it = await pacedWorld(devices);
  await switchTo(it, { native: 'off' });
  await addNative(it, 'native', 'a');
  await switchModes(stateOf(it), { native: 'own' }, it.world.now());
  await it.run(110);
  expect(it.gone()).toEqual(['a']);
});

describe('an in-tree controller that the watcher sees', () => {
  const seen = (at: number) => ({ ...aHeartbeat(at), inTree: { at, evidence: 'it marked pod default/x' } });

  it('has native taints watched only: who is listed is cancelled, no other pod is evicted, paced ones continue', async () => {
    const it = await pacedWorld(devices);
    await addNative(it, 'native', 'a');
    await it.ingest(seen(it.world.now()));
    await it.write(aPacedRule('paced', { deviceSelector: { device: 'b' } }));
    await it.run(300);
    expect(it.gone()).toEqual(['b']);
    const { modes } = await readModes(stateOf(it));
    expect(modes.applied).toEqual({ native: 'shadow', paced: 'own' });
  });

  it('is not forgotten with its traces: only a person raises the mode, after a plan, and a new trace lowers it again', async () => {
    const it = await pacedWorld(devices);
    const trace = seen(it.world.now());
    await it.ingest(trace);
    await addNative(it, 'native', 'a');
    await it.run(300);
    expect(it.gone()).toEqual([]);
    await switchTo(it, { native: 'own' });
    // The watcher continues telling of the trace that it has seen.
    for (let i = 0; i < 20; i++) {
      await it.run(10);
      await it.ingest({ ...trace, at: it.world.now() });
    }
    expect(it.gone()).toEqual(['a']);
    expect(await readModePlan(stateOf(it), 'native')).toMatchObject({ pods: 1 });
    await it.ingest(seen(it.world.now()));
    await addNative(it, 'another', 'b');
    await it.run(300);
    expect(it.gone()).toEqual(['a']);
  });

  it('counts for nothing where the configuration says so', async () => {
    const it = await pacedWorld(devices, {}, () => ({ native: 'own', paced: 'own', ignoresInTree: true }));
    await it.ingest(seen(it.world.now()));
    await addNative(it, 'native', 'a');
    await it.run(30);
    expect(it.gone()).toEqual(['a']);
  });

  it('that is seen while a pod waits for a slot keeps that pod, and says so on it', async () => {
    const it = await pacedWorld(devices);
    const rule = {
      ...aRule('native', start),
      annotations: { 'sluice.dev/evictions-per-second': '0.05', 'sluice.dev/burst': '1' },
    };
    it.world.api.rules.set('native', { rule, conditions: [] });
    await it.ingest(upserted(rule));
    await it.run(5);
    expect(it.gone()).toHaveLength(1);
    await it.ingest(seen(it.world.now()));
    await it.run(300);
    expect(it.gone()).toHaveLength(1);
    const cancelled = [...it.world.api.recorded.values()].filter(({ message }) => message.startsWith('Cancelling'));
    expect(cancelled).toHaveLength(2);
  });
});

it('beside an in-tree controller that the configuration ignores, native rules of paced taints are NoSchedule', async () => {
  const modes = () => ({ native: 'own', paced: 'own', ignoresInTree: true }) as const;
  const it = await pacedWorld(devices, { projectRules: true }, modes);
  const effects = () => [...(it.world.api.projected?.values() ?? [])].map(({ taint }) => taint.effect);
  await it.write(aPacedRule('r', { taints: [slowly] }));
  await it.run(100);
  expect(effects()).toEqual(['NoExecute']);
  const at = it.world.now();
  await it.ingest({ ...aHeartbeat(at), inTree: { at, evidence: 'it marked pod default/x' } });
  await it.run(20);
  expect(effects()).toEqual(['NoSchedule']);
});
