// A policy that is deleted while pods wait under it: they stay, that is said, and what lets them go again.
import { describe, expect, it } from 'vitest';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { policyRowKey } from '../../lib/state/keys.ts';
import { readWhy } from '../../lib/view/why.ts';
import { aPacedRule, aRule, aSlice, deleted, nextVersion, upserted } from '../support/objects.ts';
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

/** Twenty pods, of which some went at one in two seconds when the policy goes. */
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

const digestIn = (message = '') => /sluice.dev\/approve=([0-9a-f]{12})/.exec(message)?.[1] ?? '';

describe('a policy that is deleted in the middle of an eviction', () => {
  it('holds the rule, and its condition says why and what to do', async () => {
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

  it('lets the rest go without it once the plan is approved', async () => {
    const { write, run, gone, live, condition } = await inTheMiddle();
    await run(15);
    const rule = live('r') ?? aPacedRule('r');
    await write({ ...rule, annotations: { 'sluice.dev/approve': digestIn(condition('r', held)?.message) } });
    await run(20);
    expect(gone()).toHaveLength(20);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
  });

  it('lets the rest go once the rule is another version', async () => {
    const { write, run, gone, live } = await inTheMiddle();
    await write({ ...(live('r') ?? aPacedRule('r')), generation: 2 });
    await run(20);
    expect(gone()).toHaveLength(20);
  });

  it('lets the rest go at the pace of another policy that selects the taint, whatever its name', async () => {
    const { ask, run, gone, condition } = await inTheMiddle();
    await run(12);
    await ask(evictionPolicy({ name: 'other', uid: 'other', evictionsPerSecond: 5, burst: 1 }));
    await run(20);
    expect(gone()).toHaveLength(20);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
  });

  it('is not made up for by an approval from before', async () => {
    const paced = await pacedWorld(pods(20));
    const { ask, write, run, gone, live, condition } = paced;
    const policy = evictionPolicy({ approval: 'Required', evictionsPerSecond: 0 });
    await ask(policy);
    await write(aPacedRule('r'));
    await run(12);
    const before = digestIn(condition('r', held)?.message);
    await write({ ...(live('r') ?? aPacedRule('r')), annotations: { 'sluice.dev/approve': before } });
    await run(12);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
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

  it('holds nothing where a less specific policy takes its place', async () => {
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

  it('holds no rule that comes later, and none that no pod waits for', async () => {
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

  it('holds native rules as well, and a repeated deletion changes nothing', async () => {
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

  it('holds taints in slices until another policy selects them, and an Event says so', async () => {
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

  it('is forgotten when no pod waits under it any more, and not before', async () => {
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
