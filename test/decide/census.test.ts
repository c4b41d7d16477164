// The totals of percentages: pods that use devices, by driver, class, pool, node and workload.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addCensus, censusOf, consumersFor, emptyCensus, percentOf } from '../../lib/decide/census.ts';
import { type Snapshot, snapshotOf } from '../../lib/model/snapshot.ts';
import { aClaim, aPod, aSlice, driver } from '../support/objects.ts';
import { taintRule } from '../support/pacedBuilders.ts';

const controller = (uid: string) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid });
const result = (of: string, device: string) => ({ request: 'r', driver: of, pool: 'node-1', device, tolerations: [] });
const using = (pod: string, ...devices: ReturnType<typeof result>[]) => aClaim(pod, 'a', { allocation: { devices } });

const { deviceSelector: _, ...selectsNothing } = taintRule();

const snapshot = (): Snapshot => ({
  ...snapshotOf({
    pods: [
      aPod('a', { controller: controller('w') }),
      aPod('b', { controller: controller('w'), nodeName: 'node-2' }),
      aPod('going', { controller: controller('w'), deletionTimestamp: 5 }),
      aPod('two'),
      (({ nodeName: _, ...rest }) => rest)(aPod('unscheduled', { controller: controller('w') })),
      aPod('other'),
      (({ nodeName: _, ...rest }) => rest)(aPod('nowhere')),
    ],
    claims: [
      using('a', result(driver, 'a')),
      using('b', result('nic', 'n')),
      using('going', result(driver, 'a')),
      using('nowhere', result(driver, 'a')),
      using('two', result(driver, 'a'), result('nic', 'n'), result('nic', 'm')),
      (({ allocation: _, ...rest }) => rest)(aClaim('unscheduled', 'a')),
      aClaim('other', 'a', { reservedFor: [] }),
    ],
    slices: [
      aSlice('s', { devices: [{ name: 'a', attributes: { big: { bool: true } } }] }),
      aSlice('n', { driver: 'nic', devices: [{ name: 'n', attributes: { big: { bool: false } } }] }),
    ],
    rules: [taintRule({ deviceSelector: { deviceClassName: 'big' }, deviceClass: [] }), selectsNothing],
  }),
  classes: new Map([
    ['big', [`device.driver == '${driver}' && device.attributes['${driver}'].big`]],
    ['unnamed', ['true']],
  ]),
});

describe('a census', () => {
  const census = () => censusOf(snapshot());

  it('a census counts pods that use devices and are not terminating, each once per driver', () => {
    expect(census().all).toBe(4);
    expect(census().byDriver).toEqual(
      new Map([
        [driver, 3],
        ['nic', 2],
      ]),
    );
  });

  it('a census counts the pods of each DeviceClass that a rule names', () => {
    expect(census().byClass).toEqual(new Map([['big', 3]]));
    const { classes: _, ...without } = snapshot();
    expect(censusOf(without).byClass).toEqual(new Map());
  });

  it('a census counts pods on nodes and in workloads until they are gone, terminating ones too', () => {
    expect(census().byNode).toEqual(
      new Map([
        ['node-1', 3],
        ['node-2', 1],
      ]),
    );
    expect(census().byWorkload).toEqual(new Map([['w', 3]]));
  });

  it('a census counts pods in pools until they are gone, each once per pool', () => {
    expect(census().byPool).toEqual(
      new Map([
        [`${driver}|node-1`, 4],
        ['nic|node-1', 2],
      ]),
    );
  });

  it('the census of a cluster is the sum of the censuses of its parts', () => {
    const parts = [0, 1].map((rest) => {
      const whole = snapshot();
      return { ...whole, pods: whole.pods.filter((_, index) => index % 2 === rest) };
    });
    const sum = parts.reduce((before, part) => addCensus(before, censusOf(part)), emptyCensus);
    expect(sum).toEqual({ ...census(), byNode: expect.any(Map), byDriver: expect.any(Map) });
    expect(new Map([...sum.byNode].sort())).toEqual(new Map([...census().byNode].sort()));
    expect(sum.byDriver).toEqual(census().byDriver);
  });

  it.each([
    [
      { deviceClassName: 'big', driver: 'nic' },
      { pods: 3, using: 'DeviceClass big' },
    ],
    [{ deviceClassName: 'unheard-of' }, { pods: 0, using: 'DeviceClass unheard-of' }],
    [{ driver: 'nic' }, { pods: 2, using: 'driver nic' }],
    [{ driver: 'unheard-of' }, { pods: 0, using: 'driver unheard-of' }],
    [{ pool: 'node-1' }, { pods: 4, using: 'any device' }],
    [undefined, { pods: 4, using: 'any device' }],
  ])('a census finds for the selector %o the consumers %o', (deviceSelector, consumers) => {
    expect(consumersFor(deviceSelector ? { deviceSelector } : {}, census())).toEqual(consumers);
  });
});

describe('a percentage of pods', () => {
  it.each([
    [10, 0, 1],
    [1, 100, 1],
    [1, 101, 2],
    [50, 3, 2],
    [100, 7, 7],
  ])('a percentage of pods is rounded up, to at least one: %i %% of %i is %i', (percent, pods, count) => {
    expect(percentOf(percent, pods)).toBe(count);
  });

  it('a percentage of pods is at least one pod, at most all pods, and never falls when pods are added', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 1e6 }), (percent, pods) => {
        const count = percentOf(percent, pods);
        expect(count).toBeGreaterThanOrEqual(1);
        expect(count).toBeLessThanOrEqual(pods);
        expect(count * 100).toBeGreaterThanOrEqual(percent * pods);
        expect(percentOf(percent, pods + 1)).toBeGreaterThanOrEqual(count);
      }),
    );
  });
});
