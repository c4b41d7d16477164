// Pools and snapshots built from slices in any order.
import { describe, expect, it } from 'vitest';
import {
  compareText,
  defaultSettings,
  poolsOf,
  settingsFor,
  snapshotOf,
  upstreamSettings,
} from '../../lib/model/snapshot.ts';
import { claim, pod, rule, slice, taint, taintedSlice } from '../support/builders.ts';

const worker = 'some-driver|worker';

describe('a pool', () => {
  it('a pool shows only its newest generation, complete or not', () => {
    const newer = slice({ name: 'newer', pool: { name: 'worker', generation: 2 }, devices: [{ name: 'other' }] });
    for (const slices of [
      [taintedSlice(), newer],
      [newer, taintedSlice()],
    ]) {
      const pool = poolsOf(slices).get(worker);
      expect(pool).toMatchObject({ driver: 'some-driver', name: 'worker', generation: 2 });
      expect([...(pool?.devices ?? [])]).toEqual([['other', []]]);
    }
  });

  it('a pool has the key of its driver and name, and the name may contain a slash', () => {
    const keys = [
      ...poolsOf([
        slice(),
        slice({ name: 'x', driver: 'x' }),
        slice({ name: 'y', pool: { name: 'y/z', generation: 0 } }),
      ]).keys(),
    ];
    expect(keys.sort()).toEqual(['some-driver|worker', 'some-driver|y/z', 'x|worker']);
  });

  it('a pool lists the devices of all its slices, with slice and index of each taint', () => {
    const slices = [
      slice({ name: 'b', devices: [{ name: 'two', taints: [taint({ key: 'k' }), taint()] }] }),
      slice({ name: 'a', devices: [{ name: 'one' }, { name: 'two', taints: [taint({ key: 'first' })] }] }),
    ];
    const pool = poolsOf(slices).get(worker);
    expect(pool?.devices.get('one')).toEqual([]);
    expect(pool?.devices.get('two')).toStrictEqual([
      { slice: 'a', index: 0, taint: taint({ key: 'first' }) },
      { slice: 'b', index: 0, taint: taint({ key: 'k' }) },
      { slice: 'b', index: 1, taint: taint() },
    ]);
  });

  it('a pool may have a negative generation, as a broken driver writes it', () => {
    expect(poolsOf([slice({ pool: { name: 'worker', generation: -3 } })]).get(worker)?.generation).toBe(-3);
  });
});

describe('a snapshot', () => {
  it('a snapshot finds claims by namespace and name, and sorts rules by name', () => {
    const rules = [rule({ name: 'b' }), rule({ name: 'a' }), rule({ name: 'c' })];
    const of = snapshotOf({ pods: [pod()], claims: [claim()], slices: [slice()], rules });
    expect(of.claims.get('default/claim')).toEqual(claim());
    expect(of.rules.map((one) => one.name)).toEqual(['a', 'b', 'c']);
    expect(of.pods).toEqual([pod()]);
    expect(of.settings).toBe(upstreamSettings);
    expect(of.pools.size).toBe(1);
  });

  it('a snapshot has the given settings, or upstream’s, which enable no beta feature', () => {
    const settings = { ...upstreamSettings, workloadClaims: true };
    expect(snapshotOf({ pods: [], claims: [], slices: [], rules: [], settings }).settings).toBe(settings);
    const { projection, ...choices } = upstreamSettings;
    expect(projection).toEqual({ maxRules: 256 });
    expect(new Set(Object.values(choices))).toEqual(new Set([false]));
  });

  it('compareText orders texts by code unit', () => {
    expect([compareText('a', 'b'), compareText('b', 'a'), compareText('a', 'a')]).toEqual([-1, 1, 0]);
    expect(compareText('Z', 'a')).toBe(-1);
  });
});

describe('settings of an installation', () => {
  it.each([
    ['detect', true, true],
    ['detect', false, false],
    [true, false, true],
    [false, true, false],
  ] as const)('workloadClaims %s with PodGroups served %s means %s', (workloadClaims, podGroups, expected) => {
    const chosen = { ...defaultSettings, emptyEffectTolerates: true, workloadClaims };
    expect(settingsFor(chosen, { podGroups })).toEqual({ ...chosen, workloadClaims: expected });
  });

  it('the default settings are upstream’s, except workloadClaims, extended resources, the hold of empty selectors and projection', () => {
    expect(defaultSettings).toEqual({
      ...upstreamSettings,
      workloadClaims: 'detect',
      extendedResourceClaims: true,
      holdEmptySelector: true,
      projectRules: true,
    });
  });
});
