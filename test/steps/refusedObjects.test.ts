// Objects that are too large for a row of the table: ingest refuses them, reports them, and no pod that depends on them is evicted.
import { describe, expect, it } from 'vitest';
import { checkClusterFacts } from '../../lib/doctor/checkClusterFacts.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { ruleRef } from '../../lib/model/rule.ts';
import { readRefused } from '../../lib/state/refusedRows.ts';
import { renderFragment } from '../../lib/view/html.ts';
import { readClusterProgress } from '../../lib/view/readModel.ts';
import { createForwardMemory, forwardShown } from '../../lib/watcher/forward.ts';
import {
  aClaim,
  aClass,
  aHeartbeat,
  aNamespace,
  aPacedRule,
  aPod,
  aRule,
  aSlice,
  aTaintSlice,
  nextVersion,
} from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;
const x = (bytes: number) => 'x'.repeat(bytes);
const devices = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `gpu-${i}-${x(240)}` }));

/** Delivers the object as the watcher sends it. */
async function show(world: World, object: ObjectProjection): Promise<void> {
  const { changes } = forwardShown(createForwardMemory(object.kind), { kind: 'Projected', object });
  await world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now()), ...changes] });
}

/** A pod on gpu-0 of node-1, and a rule that evicts it an hour later. */
async function worldWithPod(): Promise<World> {
  const world = createWorld({ start });
  const rule = aRule('r', start + 3_600_000);
  world.api.rules.set('r', { rule, conditions: [] });
  for (const object of [aSlice('s', { devices: [{ name: 'a' }] }), aClaim('a', 'a'), aPod('a'), rule])
    await show(world, object);
  return world;
}

const listed = (world: World) => world.table.rows().flatMap(({ ledger }) => (ledger as { state: string })?.state ?? []);
const stateOf = (world: World) => ({ table: world.table, cluster: world.cluster });

describe('an object that is too large', () => {
  const devicesHeld = (count: number) =>
    devices(count).map(({ name }) => ({
      request: 'r',
      driver: 'gpu.example.com',
      pool: 'node-1',
      device: name,
      tolerations: [],
    }));
  it.each<[string, ObjectProjection, string]>([
    ['a claim', aClaim('a', '', { allocation: { devices: devicesHeld(1100) } }), 'ResourceClaim default/a'],
    ['a slice', aSlice('s', { devices: devices(1500) }), 'ResourceSlice gpu.example.com|node-1|s'],
  ])(
    'an object that is too large keeps the pods that depend on it, until it is smaller: %s',
    async (_, object, named) => {
      const world = await worldWithPod();
      expect(listed(world)).toEqual(['Pending']);
      await show(world, {
        ...object,
        name: object.kind === 'ResourceClaim' ? 'claim-a' : 's',
        resourceVersion: nextVersion(),
      });
      expect(world.metrics.get('ObjectsRefused')).toBe(1);
      expect(world.metrics.get('VerdictsUnknown')).toBeGreaterThan(0);
      expect(listed(world)).toEqual(['Cancelled']);
      const state = stateOf(world);
      expect(await readRefused(state)).toEqual([named.replace('/a', '/claim-a')]);
      const small = object.kind === 'ResourceClaim' ? aClaim('a', 'a') : aSlice('s', { devices: [{ name: 'a' }] });
      await show(world, { ...small, resourceVersion: nextVersion() });
      expect(listed(world)).toEqual(['Pending']);
      expect(await readRefused(state)).toEqual([]);
    },
  );

  it.each<ObjectProjection>([
    aPod('big', { labels: { x: x(350_001) } }),
    aRule('big', start, { annotations: { x: x(350_001) } }),
    aPacedRule('big', { annotations: { x: x(350_001) } }),
    aTaintSlice('big', {
      taints: Array.from({ length: 2000 }, (_, i) => ({
        device: `d${i}`,
        taint: { key: `k/${x(200)}`, effect: 'None' },
      })),
    }),
    aClass('big', [x(350_001)]),
    aNamespace('big', { labels: { 'sluice.dev/x': x(350_001) } }),
  ])(
    'an object that is too large is stored without its content, counted, and reported in an Event: $kind',
    async (object) => {
      const world = createWorld({ start });
      await show(world, object);
      expect(world.metrics.get('ObjectsRefused')).toBe(1);
      const events = world.messages.flatMap((one) => (one.stage === 'event' ? [one.body.event] : []));
      expect(events.filter(({ reason }) => reason === 'ObjectRefused')).toMatchObject([
        { regarding: { kind: object.kind, name: 'big', uid: object.uid }, type: 'Warning' },
      ]);
      for (const row of world.table.rows()) expect(JSON.stringify(row).length).toBeLessThan(400_000);
    },
  );

  it('a slice whose attributes are too large is counted, reported in an Event and listed until it is smaller, and its taints still count', async () => {
    const world = await worldWithPod();
    const attributes = { model: { string: 'bad' }, text: { string: x(4000) } };
    const selectors = ['device.attributes["gpu.example.com"].model == "bad"'];
    const seen = [{ key: 'example.com/bad', effect: 'NoExecute', timeAdded: start - 1000 }] as const;
    const paced = aPacedRule('p', { deviceSelector: { selectors }, seen });
    world.api.rules.set(ruleRef(paced), { rule: paced, conditions: [] });
    const named = Array.from({ length: 100 }, (_, i) => ({ name: i === 0 ? 'a' : `gpu-${i}`, attributes }));
    await show(world, aSlice('s', { devices: named, resourceVersion: nextVersion() }));
    expect(world.metrics.get('ObjectsRefused')).toBe(1);
    const events = world.messages.flatMap((one) => (one.stage === 'event' ? [one.body.event] : []));
    expect(events.filter(({ reason }) => reason === 'ObjectRefused')).toMatchObject([
      { regarding: { kind: 'ResourceSlice', name: 's' }, message: expect.stringContaining('rules that read their') },
    ]);
    expect(await readRefused(stateOf(world))).toEqual(['ResourceSlice gpu.example.com|node-1|s (attributes)']);
    // The rule by names still lists the pod.
    expect(listed(world)).toEqual(['Pending']);
    await show(world, paced);
    await world.runUntil(world.now() + 60_000);
    const said = world.api.rules.get(ruleRef(paced))?.conditions.map(({ message }) => message) ?? [];
    expect(said.join('\n')).toContain(
      '1 allocated device not acted on: the attributes of its slice are too large to be kept.',
    );
    expect(said.join('\n')).not.toContain('never seen');
    await show(world, aSlice('s', { devices: [{ name: 'a' }], resourceVersion: nextVersion() }));
    expect(await readRefused(stateOf(world))).toEqual([]);
  });

  it('an object that is too large is named on the page and by the doctor', async () => {
    const world = createWorld({ start });
    await show(world, aPod('big', { labels: { x: x(350_001) } }));
    const progress = await readClusterProgress(stateOf(world), world.now());
    expect(renderFragment(progress)).toContain('Too large to be kept: Pod default/big.');
    const facts = { name: 'c', endpoint: '', withoutAccess: [], heardAt: start, refused: ['Pod default/big'] };
    const findings = checkClusterFacts(facts, { now: start } as Parameters<typeof checkClusterFacts>[1]);
    expect(findings.filter(({ subject }) => subject === 'objects of c')).toMatchObject([
      { subject: 'objects of c', kind: 'Warning' },
    ]);
  });
});
