// Which entries of a DeviceTaintSlice apply, from when, and what its status reports.
import { describe, expect, it } from 'vitest';
import { countFree, freeFor } from '../../lib/decide/freeDevices.ts';
import { taintedDevices } from '../../lib/decide/gauges.ts';
import { devicesOf } from '../../lib/decide/livePlan.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { taintsOf } from '../../lib/decide/taint.ts';
import { agentTaintsOf, countEntries, seenEntries } from '../../lib/decide/taintSlice.ts';
import { deviceKey } from '../../lib/model/identity.ts';
import { type Snapshot, snapshotOf } from '../../lib/model/snapshot.ts';
import { type DeviceTaintSlice, parseTaintSliceRef, taintSliceRef } from '../../lib/model/taintSlice.ts';
import { describeOrigin, originKey } from '../../lib/model/verdict.ts';
import { allocated, claim, driver, pool, result, slice, t0 } from '../support/builders.ts';
import { instance } from '../support/pacedBuilders.ts';

const ecc = { key: 'example.com/ecc', effect: 'NoExecute' };
const agent = (overrides: Partial<DeviceTaintSlice> = {}): DeviceTaintSlice => ({
  kind: 'DeviceTaintSlice',
  name: 'agent',
  uid: 'agent-uid',
  resourceVersion: '1',
  generation: 1,
  driver,
  pool,
  taints: [{ device: 'instance', taint: ecc }],
  seen: [{ device: 'instance', ...ecc, timeAdded: t0 }],
  ...overrides,
});
const world = (generation = 1) =>
  snapshotOf({ pods: [], claims: [], rules: [], slices: [slice({ pool: { name: pool, generation } })] });
const taintsIn = (of: DeviceTaintSlice, generation = 1) =>
  agentTaintsOf([of], world(generation).pools).get(deviceKey(instance)) ?? [];

describe('an entry of a DeviceTaintSlice', () => {
  it('an entry has its slice, its index and the recorded time', () => {
    expect(taintsIn(agent())).toStrictEqual([{ slice: 'agent', index: 0, taint: { ...ecc, timeAdded: t0 } }]);
    expect(taintsIn(agent({ seen: [] }))).toEqual([{ slice: 'agent', index: 0, taint: ecc }]);
  });

  it.each([
    ['of another device', { device: 'other', ...ecc, timeAdded: 9 }],
    ['of another key', { device: 'instance', key: 'x', effect: ecc.effect, timeAdded: 9 }],
    ['of another effect', { device: 'instance', key: ecc.key, effect: 'None', timeAdded: 9 }],
    ['of another time in the spec', { device: 'instance', ...ecc, timeAdded: 9, specTimeAdded: 9 }],
  ])('an entry does not take the recorded time %s', (_, seen) => {
    expect(taintsIn(agent({ seen: [seen] }))[0]?.taint).toEqual(ecc);
  });

  it('the entries for a device are those of all slices, in their order', () => {
    const more = [
      { device: 'x', taint: ecc },
      { device: 'instance', taint: { key: 'y', effect: 'None' } },
    ];
    const found = agentTaintsOf([agent({ taints: more }), agent({ name: 'b' })], world().pools);
    expect(found.get(deviceKey(instance))?.map(({ slice: of, index }) => [of, index])).toEqual([
      ['agent', 1],
      ['b', 0],
    ]);
    expect(found.get(deviceKey({ ...instance, device: 'x' }))).toHaveLength(1);
  });

  it.each([
    [undefined, 2, 1],
    [1, 2, 0],
    [2, 2, 1],
    [3, 2, 1],
  ])(
    'an entry of a slice for generation %s of a pool at generation %s applies %s times',
    (poolGeneration, generation, times) => {
      const of = agent(poolGeneration === undefined ? {} : { poolGeneration });
      expect(taintsIn(of, generation)).toHaveLength(times);
    },
  );

  it('an entry for a pool that is not published applies', () => {
    expect(agentTaintsOf([agent({ poolGeneration: 1 })], new Map()).size).toBe(1);
  });

  it('an entry with NoExecute evicts once its time is recorded, also while native slices are only watched', () => {
    const snapshot = { ...world(), agentTaints: agentTaintsOf([agent()], new Map()), nativeSlices: 'Watched' as const };
    const [found] = taintsOf(instance, snapshot).taints;
    expect(found?.origin).toEqual({ kind: 'Slice', sliceKind: 'DeviceTaintSlice', name: 'agent', index: 0 });
    expect(found && describeOrigin(found.origin)).toBe('DeviceTaintSlice agent');
    const untimed = { ...snapshot, agentTaints: agentTaintsOf([agent({ seen: [] })], new Map()) };
    expect(taintsOf(instance, untimed).taints).toEqual([]);
    const other = agent({ taints: [{ device: 'instance', taint: { ...ecc, effect: 'NoSchedule', timeAdded: t0 } }] });
    expect(taintsOf(instance, { ...snapshot, agentTaints: agentTaintsOf([other], new Map()) }).taints).toEqual([]);
  });
});

describe('the bucket of an entry', () => {
  const bucketOf = (rates: object) =>
    originKey({
      origin: { kind: 'Slice', sliceKind: 'DeviceTaintSlice', name: 'agent', index: 0 },
      taint: { ...ecc, value: 'v', timeAdded: t0, ...rates },
      device: instance,
      claim: { namespace: 'n', name: 'c' },
      at: t0,
    });
  const shared = `slice|${driver}|example.com/ecc|v|NoExecute`;
  it.each([
    [{}, shared, { perSecond: 10, burst: 10 }],
    [{ evictionsPerSecond: 0.5, burst: 2 }, `${shared}|0.5/2`, { perSecond: 0.5, burst: 2 }],
    [{ evictionsPerSecond: 3 }, `${shared}|3/`, { perSecond: 3, burst: 10 }],
    [{ burst: 4 }, `${shared}|/4`, { perSecond: 10, burst: 4 }],
    [{ evictionsPerSecond: 0 }, `${shared}|0/`, { perSecond: 0, burst: 10 }],
  ])('the bucket of an entry with %o is %s', (rates, bucket, rate) => {
    expect(bucketOf(rates)).toBe(bucket);
    expect(rateOf(bucket, { rules: [] }, t0)).toEqual(rate);
  });
});

describe('the recorded time of an entry', () => {
  const mine = { device: 'instance', ...ecc };
  type Seen = DeviceTaintSlice['seen'][number];
  it.each<[string, object, Seen | undefined, Seen]>([
    ['is now when the entry is first seen', {}, undefined, { ...mine, timeAdded: t0 + 5 }],
    ['is kept', {}, { ...mine, timeAdded: t0 }, { ...mine, timeAdded: t0 }],
    ['is that of the spec', { timeAdded: 7 }, undefined, { ...mine, timeAdded: 7, specTimeAdded: 7 }],
    [
      'is now when the effect changed and the time did not',
      { timeAdded: 7 },
      { ...mine, effect: 'None', timeAdded: 7, specTimeAdded: 7 },
      { ...mine, timeAdded: t0 + 5, specTimeAdded: 7 },
    ],
    [
      'is that of the spec when another device had it',
      { timeAdded: 7 },
      { ...mine, device: 'x', effect: 'None', timeAdded: 7, specTimeAdded: 7 },
      { ...mine, timeAdded: 7, specTimeAdded: 7 },
    ],
    [
      'is that of the spec when another key had it',
      { timeAdded: 7 },
      { ...mine, key: 'x', effect: 'None', timeAdded: 7, specTimeAdded: 7 },
      { ...mine, timeAdded: 7, specTimeAdded: 7 },
    ],
    [
      'is that of the spec when both changed',
      { timeAdded: 8 },
      { ...mine, effect: 'None', timeAdded: 7, specTimeAdded: 7 },
      { ...mine, timeAdded: 8, specTimeAdded: 8 },
    ],
    [
      'follows an edit of the time in the spec',
      { timeAdded: 8 },
      { ...mine, timeAdded: 7, specTimeAdded: 7 },
      { ...mine, timeAdded: 8, specTimeAdded: 8 },
    ],
  ])('the recorded time of an entry %s', (_, more, seen, wanted) => {
    const taints = [{ device: 'instance', taint: { ...ecc, ...more } }];
    expect(seenEntries(agent({ taints, seen: seen ? [seen] : [] }), t0 + 5)).toEqual([wanted]);
  });
});

describe('the status of a DeviceTaintSlice', () => {
  const two = { taints: ['instance', 'x'].map((device) => ({ device, taint: ecc })) };
  it.each<[string, DeviceTaintSlice, { generation?: number; held?: string }, ReturnType<typeof countEntries>]>([
    ['none in a published pool', agent(), {}, { staleEntries: 0, unknownDevices: 0 }],
    ['a device that is not published', agent(two), {}, { staleEntries: 0, unknownDevices: 1 }],
    ['no device that a claim holds', agent(two), { held: 'x' }, { staleEntries: 0, unknownDevices: 0 }],
    [
      'all entries of a stale slice',
      agent({ ...two, poolGeneration: 1 }),
      { generation: 2 },
      { staleEntries: 2, unknownDevices: 1 },
    ],
    ['all devices of a missing pool', agent({ ...two, pool: 'y' }), {}, { staleEntries: 0, unknownDevices: 2 }],
  ])(
    'the status of a DeviceTaintSlice counts stale entries and unknown devices: %s',
    (_, of, { generation = 1, held }, wanted) => {
      const devices = held === undefined ? [] : [result({ device: held })];
      const claims = new Map([
        ['n/a', claim(allocated(...devices))],
        ['n/b', (({ allocation: __, ...rest }) => rest)(claim())],
      ]);
      expect(countEntries(of, { ...world(generation), claims })).toEqual(wanted);
    },
  );
});

describe('a device that an agent tainted', () => {
  const planned = [
    {
      pod: { namespace: 'n', name: 'p', uid: 'u' },
      node: 'n',
      tolerated: 0,
      order: '',
      claims: [{ name: 'c', devices: [instance] }],
    },
  ];
  const free = slice({ devices: [{ name: 'instance' }, { name: 'spare' }] });
  const untainted = () => snapshotOf({ pods: [], claims: [], rules: [], slices: [free] });
  const tainted = (...effects: string[]) => {
    const taints = effects.map((effect) => ({ device: 'spare', taint: { key: 'k', effect } }));
    const snapshot = untainted();
    return { ...snapshot, agentTaints: agentTaintsOf([agent({ taints })], snapshot.pools) };
  };

  const left = (snapshot: Snapshot) =>
    freeFor(countFree(snapshot, { asking: [] }), { rule: 'r', wanted: devicesOf(planned) });

  it('a device that an agent tainted with NoSchedule is not free', () => {
    expect(left(untainted())).toEqual([{ driver, free: 2 }]);
    expect(left(tainted('NoSchedule'))).toEqual([{ driver, free: 1 }]);
    expect(left(tainted('None'))).toEqual([{ driver, free: 2 }]);
    expect(left(tainted('None', 'NoSchedule'))).toEqual([{ driver, free: 1 }]);
  });

  it('a device that an agent tainted is counted as tainted', () => {
    expect(taintedDevices(untainted()).TaintedDevices).toBe(0);
    expect(taintedDevices(tainted('None')).TaintedDevices).toBe(1);
  });
});

it('the reference of a DeviceTaintSlice is not that of a rule', () => {
  expect(taintSliceRef('a')).toBe('DeviceTaintSlice/a');
  expect(parseTaintSliceRef('DeviceTaintSlice/a')).toStrictEqual({ name: 'a' });
  expect(parseTaintSliceRef(taintSliceRef('a', 'u'))).toEqual({ name: 'a', uid: 'u' });
  expect(parseTaintSliceRef('PacedTaintRule/a')).toBeUndefined();
});
