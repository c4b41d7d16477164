// A policy that is deleted while its pods are pending: they are kept, a condition says so, and what releases them.
import { describe, expect, it } from 'vitest';
import type { Device } from '../../lib/model/objects.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { policyRowKey } from '../../lib/state/keys.ts';
import { storeSlice, storeTaintSlice } from '../../lib/state/sliceRows.ts';
import { readWhy } from '../../lib/view/why.ts';
import { readLimiters } from '../support/limiters.ts';
import {
  aClaim,
  aPacedRule,
  aPod,
  aRule,
  aSlice,
  aTaintSlice,
  deleted,
  nextVersion,
  upserted,
} from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const stateOf = ({ table, cluster }: PacedWorld['world']) => ({ table, cluster });
const held = 'sluice.dev/Held';
const slow = evictionPolicy({ evictionsPerSecond: 0.5, burst: 1 });
const tainted = { taints: [{ key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start }] };

async function drop({ world, ingest }: PacedWorld, policy = slow) {
  world.api.policyObjects.delete(policy.name);
  await ingest(deleted({ ...policy, resourceVersion: nextVersion() }));
}

/** Twenty pods, some of which were evicted at one in two seconds when the policy is deleted. */
async function inTheMiddle() {
  const paced = await pacedWorld(pods(20));
  await paced.ask(slow);
  await paced.write(aPacedRule('r'));
  await paced.run(10);
  const went = paced.gone().length;
  expect(went).toBeGreaterThan(2);
  await drop(paced);
  return { ...paced, went };
}

const many = Object.keys(pods(30));

/** Thirty pods on the devices of one slice: more than one step evaluates. */
async function fillPool({ world, ingest }: PacedWorld) {
  for (const name of many)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  await ingest(
    upserted(aSlice('slice', { devices: many.map((name) => ({ name })) })),
    ...many.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]),
  );
}

/** All devices of that slice, tainted by their driver or by an agent. */
function taintedSlice(kind: 'ResourceSlice' | 'DeviceTaintSlice') {
  if (kind === 'ResourceSlice') return aSlice('slice', { devices: many.map((name) => ({ name, ...tainted })) });
  const [taint] = tainted.taints;
  const taints = many.map((device) => ({
    device,
    taint: { ...taint, key: 'example.com/ecc', effect: 'NoExecute' } as const,
  }));
  return aTaintSlice('agent', { taints, seen: [] });
}

/** Stores the slice and nothing else, like a step that crashes half way. */
async function storeOnly({ table, cluster, api, now }: PacedWorld['world'], slice: ReturnType<typeof taintedSlice>) {
  api.live.observe([upserted(slice)]);
  if (slice.kind === 'DeviceTaintSlice') api.slices.set(slice.name, slice);
  const how = { seen: slice, now: now() };
  const stored =
    slice.kind === 'ResourceSlice'
      ? await storeSlice({ table, cluster }, slice, how)
      : await storeTaintSlice({ table, cluster }, slice, how);
  expect(stored.kind).toBe('Stored');
}

const digestIn = (message = '') => /sluice.dev\/approve=([0-9a-f]{12})/.exec(message)?.[1] ?? '';

describe('a policy that is deleted in the middle of an eviction', () => {
  it('a deleted policy holds the rule, and its condition says why and what to do', async () => {
    const { world, run, gone, went, condition } = await inTheMiddle();
    const at = world.now();
    await run(130);
    expect(gone().length).toBeLessThanOrEqual(went + 1);
    expect(world.api.deletes.every((one) => one.at <= at + 1000)).toBe(true);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'PolicyGone' });
    expect(condition('r', held)?.message).toMatch(
      /^EvictionPolicy policy was deleted while pods waited under it, and no other is for the taint: 1\d pods in 1 namespaces would be evicted\. To evict them: kubectl annotate --overwrite pacedtaintrule r sluice\.dev\/approve=[0-9a-f]{12}$/,
    );
    expect(condition('r', 'sluice.dev/Pacing')).toMatchObject({ status: 'False', reason: 'Held' });
    const waiting = Object.keys(pods(20)).find((name) => !gone().includes(name));
    const { held: why } = await readWhy(stateOf(world), `default/${waiting}`, world.now());
    expect(why.join()).toContain('EvictionPolicy policy was deleted');
  });

  it.each<[string, Partial<EvictionPolicy>]>([
    ['only pauses', { pauseOnly: true }],
    ['selects another taint', { taints: { keys: ['example.com/other'] } }],
  ])('the remaining pods of rules and slices stay if a policy of that name is created that %s', async (_, more) => {
    for (const source of ['rule', 'slice']) {
      const paced = await pacedWorld(pods(20));
      await paced.ask(slow);
      if (source === 'rule') await paced.write(aPacedRule('r'));
      else {
        const slices = Object.keys(pods(20)).map((name) => aSlice(`s-${name}`, { devices: [{ name, ...tainted }] }));
        await paced.ingest(...slices.map((slice) => upserted(slice)));
      }
      await paced.run(6);
      await drop(paced);
      await paced.run(10);
      const went = paced.gone().length;
      const { evictionsPerSecond: __, burst: ___, ...plain } = slow;
      const again = { ...plain, uid: 'again', ...more };
      await paced.ask(again);
      await paced.run(60);
      expect(paced.gone(), source).toHaveLength(went);
      // Its own deletion forgets nothing either.
      await drop(paced, again);
      await paced.run(60);
      expect(paced.gone(), source).toHaveLength(went);
      await paced.ask({ ...slow, uid: 'third' });
      await paced.run(60);
      expect(paced.gone(), source).toHaveLength(20);
    }
  });

  it('the remaining pods are evicted without the policy once the plan is approved', async () => {
    const { write, run, gone, live, condition } = await inTheMiddle();
    await run(15);
    const rule = live('r') ?? aPacedRule('r');
    await write({ ...rule, annotations: { 'sluice.dev/approve': digestIn(condition('r', held)?.message) } });
    await run(20);
    expect(gone()).toHaveLength(20);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
  });

  it('the remaining pods are evicted without the policy once the rule is edited', async () => {
    const { write, run, gone, live } = await inTheMiddle();
    await write({ ...(live('r') ?? aPacedRule('r')), generation: 2 });
    await run(20);
    expect(gone()).toHaveLength(20);
  });

  it('the remaining pods are evicted under another policy that selects the taint, whatever its name', async () => {
    const { ask, run, gone, condition } = await inTheMiddle();
    await run(12);
    await ask(evictionPolicy({ name: 'other', uid: 'other', evictionsPerSecond: 5, burst: 1 }));
    await run(20);
    expect(gone()).toHaveLength(20);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
  });

  it('an approval from before the deletion does not release the remaining pods', async () => {
    const paced = await pacedWorld(pods(20));
    const { ask, write, run, gone, live, condition } = paced;
    const policy = evictionPolicy({ approval: 'Required', evictionsPerSecond: 0 });
    await ask(policy);
    await write(aPacedRule('r'));
    await run(12);
    const before = digestIn(condition('r', held)?.message);
    await write({ ...(live('r') ?? aPacedRule('r')), annotations: { 'sluice.dev/approve': before } });
    await run(12);
    // Approved: only the rate holds it.
    expect(condition('r', held)).toMatchObject({
      reason: 'StandsStill',
      message: 'Its rate is 0 (evictionsPerSecond of EvictionPolicy policy).',
    });
    await drop(paced, policy);
    await run(20);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'PolicyGone' });
    expect(condition('r', held)?.message).toContain('it was given while the policy was there');
    const after = digestIn(condition('r', held)?.message);
    expect(after).not.toBe(before);
    await write({ ...(live('r') ?? aPacedRule('r')), annotations: { 'sluice.dev/approve': after } });
    await run(20);
    expect(gone()).toHaveLength(20);
  });

  it('a deleted policy holds nothing if a less specific policy selects the taint', async () => {
    const paced = await pacedWorld(pods(20));
    await paced.ask(slow);
    await paced.ask(evictionPolicy({ name: 'all', uid: 'all', taints: { sources: [] } }));
    await paced.ask(evictionPolicy({ name: 'wide', uid: 'wide', taints: { keys: ['*'] }, evictionsPerSecond: 5 }));
    await paced.write(aPacedRule('r'));
    await paced.run(2);
    await drop(paced);
    await paced.run(20);
    expect(paced.gone()).toHaveLength(20);
  });

  it('a deleted policy holds no rule that is created later, and none without pending pods', async () => {
    const paced = await pacedWorld(pods(4));
    await paced.ask(slow);
    await paced.write(aPacedRule('idle', { deviceSelector: { driver: 'other.example.com' } }));
    await paced.run(2);
    await drop(paced);
    await paced.write(aPacedRule('later'));
    await paced.run(15);
    expect(paced.gone()).toHaveLength(4);
    expect(paced.condition('idle', held)).toBeUndefined();
  });

  it('a deleted policy holds a rule whose pods it stopped before any of them was listed', async () => {
    const paced = await pacedWorld(pods(4));
    const stop = evictionPolicy({ paused: true });
    await paced.ask(stop);
    await paced.write(aPacedRule('r'));
    await drop(paced, stop);
    await paced.run(130);
    expect(paced.gone()).toEqual([]);
    expect(paced.condition('r', held)).toMatchObject({ status: 'True', reason: 'PolicyGone' });
  });

  it('a deleted policy does not hold a rule for which no pod is found', async () => {
    const paced = await pacedWorld(pods(4));
    const stop = evictionPolicy({ paused: true });
    await paced.ask(stop);
    await paced.write(aPacedRule('r', { deviceSelector: { driver: 'other.example.com' } }));
    await drop(paced, stop);
    await paced.run(130);
    expect(paced.condition('r', held)?.status ?? 'False').toBe('False');
  });

  it('a deleted policy holds native rules as well, and a repeated deletion changes nothing', async () => {
    const paced = await pacedWorld(pods(20));
    await paced.ask(slow);
    const native = aRule('n', start);
    paced.world.api.rules.set('n', { rule: native, conditions: [] });
    await paced.ingest(upserted(native));
    await paced.run(5);
    const end = deleted({ ...slow, resourceVersion: nextVersion() });
    await paced.ingest(end);
    await paced.ingest(end);
    const went = paced.gone().length;
    await paced.run(20);
    expect(paced.gone().length).toBeLessThanOrEqual(went + 1);
    const said = paced.world.api.rules.get('n')?.conditions.find(({ type }) => type === held);
    expect(said).toMatchObject({ status: 'True', reason: 'PolicyGone' });
  });

  it('a deleted policy holds slice taints until another policy selects them, and an Event says so', async () => {
    const paced = await pacedWorld(pods(20));
    await paced.ask(slow);
    const slices = Object.keys(pods(20)).map((name) => aSlice(`slice-${name}`, { devices: [{ name, ...tainted }] }));
    await paced.ingest(...slices.map((slice) => upserted(slice)));
    await paced.run(6);
    const went = paced.gone().length;
    await drop(paced);
    await paced.run(130);
    expect(paced.gone().length).toBeLessThanOrEqual(went + 1);
    const event = [...paced.world.api.recorded.values()].find(({ reason }) => reason === 'PolicyGone');
    expect(event).toMatchObject({ type: 'Warning', regarding: { kind: 'EvictionPolicy', name: 'policy' } });
    expect(event?.message).toContain('example.com/ecc:NoExecute of gpu.example.com');
    const waiting = Object.keys(pods(20)).find((name) => !paced.gone().includes(name));
    const { held: why } = await readWhy(stateOf(paced.world), `default/${waiting}`, paced.world.now());
    expect(why.join()).toContain('apply one that selects the taint');
    await paced.ask(evictionPolicy({ name: 'other', uid: 'other' }));
    await paced.run(20);
    expect(paced.gone()).toHaveLength(20);
  });

  it.each([
    [
      'whose pods no step has searched yet',
      async ({ world }: PacedWorld) => storeOnly(world, taintedSlice('ResourceSlice')),
    ],
    [
      'of an agent whose pods no step has searched yet',
      async ({ world }: PacedWorld) => storeOnly(world, taintedSlice('DeviceTaintSlice')),
    ],
    [
      'whose pods are sent to evaluate and not evaluated',
      ({ ingest }: PacedWorld) => ingest(upserted(taintedSlice('ResourceSlice'))),
    ],
  ] as const)('a deleted policy holds a slice taint %s, although no pod is listed', async (_, publish) => {
    const paced = await pacedWorld({});
    await fillPool(paced);
    await paced.ask(slow);
    await publish(paced);
    expect(await readLimiters(stateOf(paced.world))).toEqual([]);
    await drop(paced);
    await paced.run(130);
    expect(paced.gone()).toEqual([]);
    const event = [...paced.world.api.recorded.values()].find(({ reason }) => reason === 'PolicyGone');
    expect(event?.message).toContain('example.com/ecc:NoExecute of gpu.example.com');
    await paced.ask(evictionPolicy({ name: 'other', uid: 'other' }));
    await paced.run(20);
    expect(paced.gone()).toHaveLength(30);
  });

  it('a deleted policy holds no slice taint that is set later, and none for which no pod was found', async () => {
    const paced = await pacedWorld(pods(4));
    await paced.ask(slow);
    const idle = { taints: [{ ...tainted.taints[0], key: 'example.com/idle' }] } as Pick<Device, 'taints'>;
    await paced.ingest(upserted(aSlice('slice-idle', { devices: [{ name: 'idle', ...idle }] })));
    await paced.run(2);
    await drop(paced);
    const left = (await paced.world.table.get(policyRowKey(paced.world.cluster, 'policy')))?.object;
    expect((left as EvictionPolicy).deserted ?? []).toEqual([]);
    await paced.ingest(
      ...Object.keys(pods(4)).map((name) => upserted(aSlice(`slice-${name}`, { devices: [{ name, ...tainted }] }))),
    );
    await paced.run(15);
    expect(paced.gone()).toHaveLength(4);
  });

  it('a deleted policy is forgotten once no pod waits under it any more, and not before', async () => {
    const { world, run, write, live } = await inTheMiddle();
    const left = async () => {
      const row = await world.table.get(policyRowKey(world.cluster, 'policy'));
      return (row?.object as EvictionPolicy | undefined)?.deserted;
    };
    await run(130);
    expect(await left()).toEqual(['rule|uid-r|example.com/bad|NoExecute@1']);
    await write({ ...(live('r') ?? aPacedRule('r')), deviceSelector: { driver: 'other.example.com' }, generation: 2 });
    await run(130);
    expect(await left()).toEqual([]);
  });
});
