// The map of a fleet: the state of each device; an incremental read gives the same result as a full one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pictureOf } from '../../../lib/commands/cluster/assemble.ts';
import { createSliceNodes } from '../../../lib/commands/console/sliceNodes.ts';
import { poolKey } from '../../../lib/model/identity.ts';
import type { DeviceTaint, DeviceTaintRule, ResourceClaim, ResourceSlice } from '../../../lib/model/objects.ts';
import { poolsOf, type Snapshot } from '../../../lib/model/snapshot.ts';
import type { DeviceTaintSlice } from '../../../lib/model/taintSlice.ts';
import { createFleetReader, type Fleet } from '../../../lib/view/console/fleet.ts';
import { createGroupReader, groupings } from '../../../lib/view/console/groups.ts';
import { aClaim, aRule, aSlice, aTaintSlice, driver } from '../../support/objects.ts';

const start = 1_800_000_000_000;
const bad: DeviceTaint = { key: 'example.com/bad', effect: 'NoExecute', timeAdded: start };
const paused = { 'sluice.dev/paused': 'true' };
const nodes = ['node-1', 'node-2', 'node-10'];
const devices = ['gpu-0', 'gpu-1'];

interface Objects {
  readonly claims: Map<string, ResourceClaim>;
  readonly slices: Map<string, ResourceSlice>;
  readonly rules: Map<string, DeviceTaintRule>;
  readonly agents: Map<string, DeviceTaintSlice>;
  isStopped: boolean;
}

function slice(node: string, taints: readonly DeviceTaint[] = []): ResourceSlice {
  const published = devices.map((name) => ({ name, ...(name === 'gpu-0' ? { taints } : {}) }));
  return aSlice(node, { driver, pool: { name: node, generation: 1 }, devices: published });
}

function objects(): Objects {
  return {
    claims: new Map(),
    slices: new Map(nodes.map((node) => [node, slice(node)])),
    rules: new Map(),
    agents: new Map(),
    isStopped: false,
  };
}

function claim(name: string, node: string, device: string, team = 'default'): ResourceClaim {
  const held = { request: 'gpu', driver, pool: node, device, deviceClassName: 'gpu', tolerations: [] };
  return aClaim(name, device, { namespace: team, allocation: { devices: [held] } });
}

const pools = new WeakMap<ResourceSlice, Snapshot['pools']>();

function poolOf(published: ResourceSlice): Snapshot['pools'] {
  const known = pools.get(published) ?? poolsOf([published]);
  pools.set(published, known);
  return known;
}

/** As a console that watches builds it: the map of claims and the pools of unchanged slices are reused, the rest is rebuilt. */
function snapshotOf({ claims, slices, rules, agents }: Objects): Snapshot {
  const { snapshot } = pictureOf({
    pods: [],
    claims,
    pools: new Map([...slices.values()].flatMap((one) => [...poolOf(one)])),
    rules: [...rules.values()],
    policies: [],
    classes: [],
    namespaces: [],
    taintSlices: [...agents.values()],
    hasPodGroups: false,
  });
  return snapshot;
}

function sourceOf(of: Objects) {
  return { snapshot: snapshotOf(of), nodesOf: () => undefined, now: start, isStopped: of.isStopped };
}

const stateOf = (fleet: Fleet) => fleet.flat().find(({ pool, device }) => pool === 'node-1' && device === 'gpu-0');

describe('a device', () => {
  it.each<[string, string, (of: Objects) => void]>([
    ['without a claim', 'Free', () => undefined],
    ['with a claim', 'InUse', ({ claims }) => claims.set('a', claim('a', 'node-1', 'gpu-0'))],
    ['with a taint in its ResourceSlice', 'Tainted', ({ slices }) => slices.set('node-1', slice('node-1', [bad]))],
    [
      'with a claim and a rule',
      'Evicting',
      ({ claims, rules }) => {
        claims.set('a', claim('a', 'node-1', 'gpu-0'));
        rules.set('r', aRule('r', start));
      },
    ],
    [
      'with a claim and a paused rule',
      'Held',
      ({ claims, rules }) => {
        claims.set('a', claim('a', 'node-1', 'gpu-0'));
        rules.set('r', aRule('r', start, { annotations: paused }));
      },
    ],
    [
      'with a rule and a claim whose tolerations cannot be read',
      'Tainted',
      ({ claims, rules }) => {
        const annotations = { 'sluice.dev/tolerations': '{' };
        claims.set('a', { ...claim('a', 'node-1', 'gpu-0'), annotations });
        rules.set('r', aRule('r', start));
      },
    ],
    [
      'with a taint in a DeviceTaintSlice',
      'Tainted',
      ({ agents }) =>
        agents.set('s', aTaintSlice('s', { driver, pool: 'node-1', taints: [{ device: 'gpu-0', taint: bad }] })),
    ],
  ])('a device %s has the state %s', (_, state, change) => {
    const of = objects();
    const read = createFleetReader();
    read(sourceOf(of));
    change(of);
    expect(stateOf(read(sourceOf(of)))).toMatchObject({ state });
  });
});

it('a device is on the node that its slice or its own entry names, or else on the node named like its pool', () => {
  const { note, forget, of } = createSliceNodes();
  const published = (name: string, nodeName: string | undefined, ...own: readonly object[]) =>
    note({
      metadata: { name: `slice-of-${name}` },
      spec: { driver, pool: { name: 'rack' }, devices: [{ name }, ...own], ...(nodeName ? { nodeName } : {}) },
    });
  published('gpu-0', 'node-7', { name: 'gpu-1', nodeName: 'node-8' });
  published('gpu-2', 'node-9');
  published('gpu-3', undefined);
  const objectsOfRack = objects();
  const names = ['gpu-0', 'gpu-1', 'gpu-2', 'gpu-3'].map((name) => ({ name }));
  const rack = aSlice('rack', { driver, pool: { name: 'rack', generation: 1 }, devices: names });
  objectsOfRack.slices.clear();
  objectsOfRack.slices.set('rack', rack);
  const read = createFleetReader();
  const nodesOf = () =>
    read({ ...sourceOf(objectsOfRack), nodesOf: of })
      .flat()
      .map(({ node }) => node);
  expect(nodesOf()).toEqual(['node-7', 'node-8', 'node-9', 'rack']);
  published('gpu-2', 'node-10');
  expect(nodesOf()).toEqual(['node-7', 'node-8', 'node-10', 'rack']);
  forget('slice-of-gpu-0');
  expect(nodesOf()).toEqual(['rack', 'rack', 'node-10', 'rack']);
});

it('no node is kept for a pool whose slices are all deleted or moved to another pool', () => {
  const { note, forget, of } = createSliceNodes();
  const publish = (name: string, pool: string) =>
    note({
      metadata: { name },
      spec: { driver, pool: { name: pool }, devices: [{ name: 'gpu-0' }], nodeName: 'node-7' },
    });
  publish('one', 'rack');
  publish('two', 'rack');
  forget('one');
  expect(of(poolKey(driver, 'rack'))?.('gpu-0')).toBe('node-7');
  publish('two', 'other');
  expect(of(poolKey(driver, 'rack'))).toBeUndefined();
  expect(of(poolKey(driver, 'other'))?.('gpu-0')).toBe('node-7');
  forget('two');
  expect(of(poolKey(driver, 'other'))).toBeUndefined();
});

describe('a fleet reader that reuses unchanged pools', () => {
  it('a moved claim changes only the pools that it leaves and enters', () => {
    const of = objects();
    of.claims.set('a', claim('a', 'node-1', 'gpu-0'));
    const read = createFleetReader();
    const before = read(sourceOf(of));
    of.claims.set('a', claim('a', 'node-2', 'gpu-0'));
    expect(read(sourceOf(of)).map((pool, i) => pool === before[i])).toEqual([false, false, true]);
  });

  it('the pause of a rule changes only the pools whose devices the rule evicts', () => {
    const of = objects();
    of.claims.set('a', claim('a', 'node-1', 'gpu-0'));
    of.rules.set('r', aRule('r', start, { deviceSelector: { driver, pool: 'node-1' } }));
    const read = createFleetReader();
    const before = read(sourceOf(of));
    of.rules.set('r', aRule('r', start, { deviceSelector: { driver, pool: 'node-1' }, annotations: paused }));
    const after = read(sourceOf(of));
    expect(stateOf(after)).toMatchObject({ state: 'Held' });
    expect(after.map((pool, i) => pool === before[i])).toEqual([false, true, true]);
  });

  it('a rule with no change but its status leaves the whole fleet the same object', () => {
    const of = objects();
    of.rules.set('r', aRule('r', start));
    const read = createFleetReader();
    const before = read(sourceOf(of));
    of.rules.set('r', aRule('r', start));
    expect(read(sourceOf(of))).toBe(before);
  });
});

type Change = (of: Objects) => void;

const node = fc.constantFrom(...nodes);
const device = fc.constantFrom(...devices);
const name = fc.constantFrom('a', 'b', 'c');
const team = fc.constantFrom('red', 'blue');
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(name, node, device, team).map(
    ([at, ...where]): Change =>
      ({ claims }) =>
        claims.set(at, claim(at, ...where)),
  ),
  name.map(
    (at): Change =>
      ({ claims }) =>
        claims.delete(at),
  ),
  fc.tuple(node, fc.boolean()).map(
    ([at, isTainted]): Change =>
      ({ slices }) =>
        slices.set(at, slice(at, isTainted ? [bad] : [])),
  ),
  node.map(
    (at): Change =>
      ({ slices }) =>
        slices.delete(at),
  ),
  fc.tuple(name, fc.option(node, { nil: undefined }), fc.boolean(), fc.integer({ min: 1, max: 2 })).map(
    ([at, pool, isPaused, generation]): Change =>
      ({ rules }) =>
        rules.set(
          at,
          aRule(at, start, {
            generation,
            deviceSelector: { driver, ...(pool === undefined ? {} : { pool }) },
            ...(isPaused ? { annotations: paused } : {}),
          }),
        ),
  ),
  name.map(
    (at): Change =>
      ({ rules }) =>
        rules.delete(at),
  ),
  fc.tuple(node, device, fc.boolean()).map(
    ([pool, one, isGone]): Change =>
      ({ agents }) =>
        isGone
          ? agents.delete(pool)
          : agents.set(pool, aTaintSlice(pool, { driver, pool, taints: [{ device: one, taint: bad }] })),
  ),
  fc.boolean().map(
    (isStopped): Change =>
      (of) => {
        of.isStopped = isStopped;
      },
  ),
);

it('a reader that saw every change gives the same devices and groups as one that saw only the last state', () => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }), (rounds) => {
      const of = objects();
      const [read, group] = [createFleetReader(), createGroupReader()];
      for (const changes of rounds) {
        for (const one of changes) one(of);
        const fleet = read(sourceOf(of));
        expect(fleet).toEqual(createFleetReader()(sourceOf(of)));
        for (const by of groupings) expect(group(fleet, by)).toEqual(createGroupReader()(fleet, by));
      }
    }),
  );
});
