// The native rules that project PacedTaintRules and DeviceTaintSlices for the scheduler.
import { describe, expect, it } from 'vitest';
import { nonePicked, pickedIn, placedByRule, placedBySlice, projectionOf } from '../../lib/decide/projection.ts';
import type { PacedDeviceSelector, TaintRule } from '../../lib/model/rule.ts';
import { projectedFromLabel } from '../../lib/model/rule.ts';
import { snapshotOf } from '../../lib/model/snapshot.ts';
import { allocated, claim, driver, pool, result, slice, taint, taintedSlice } from '../support/builders.ts';
import { aTaintSlice } from '../support/objects.ts';
import { taintRule, withHealth } from '../support/pacedBuilders.ts';

const sick = `device.attributes["${driver}"].healthy == false`;
const of = (deviceSelector: PacedDeviceSelector, more: Partial<TaintRule> = {}) =>
  taintRule({ deviceSelector, ...more });
const maxRules = 3;
const empty = () => snapshotOf({ pods: [], claims: [], rules: [], slices: [] });
const project = (rules: readonly TaintRule[], snapshot = empty(), effects: 'Keep' | 'NoSchedule' = 'Keep') =>
  projectionOf(
    { kind: 'PacedTaintRule', name: rules[0]?.name ?? '', uid: rules[0]?.uid ?? '' },
    rules.map((rule) => placedByRule(rule, pickedIn(nonePicked, { rule, snapshot, maxRules }))),
    { effects, maxRules },
  );
const rulesOf = (...args: Parameters<typeof project>) => {
  const projection = project(...args);
  return projection.kind === 'Rules' ? projection.rules : [];
};

it('a native rule that Sluice wrote has the label sluice.dev/projected-from', () => {
  expect(projectedFromLabel).toBe('sluice.dev/projected-from');
});

describe('the projection of a selector by names', () => {
  it.each([
    [{ driver }, { driver }],
    [
      { driver, pool, device: 'instance' },
      { driver, pool, device: 'instance' },
    ],
    [{ all: true } as const, {}],
  ])('the selector %o is projected to one native rule', (selector, native) => {
    expect(rulesOf([of(selector)])).toStrictEqual([
      {
        name: expect.stringMatching(/^paced-[0-9a-f]{12}$/),
        from: { kind: 'PacedTaintRule', name: 'paced', uid: 'paced-uid' },
        deviceSelector: native,
        taint: { key: 'example.com/bad', effect: 'NoExecute' },
      },
    ]);
  });

  it('each taint with effect NoExecute or NoSchedule is projected, and no other', () => {
    const taints = ['NoExecute', 'NoSchedule', 'None', 'Unknown'].map((effect) =>
      of({ driver }, { taint: { key: 'k', value: 'v', effect } }),
    );
    expect(rulesOf(taints).map((rule) => rule.taint)).toEqual([
      { key: 'k', value: 'v', effect: 'NoExecute' },
      { key: 'k', value: 'v', effect: 'NoSchedule' },
    ]);
  });

  it('the projected effect is NoSchedule beside an active in-tree controller', () => {
    expect(rulesOf([of({ driver })], empty(), 'NoSchedule').map((rule) => rule.taint.effect)).toEqual(['NoSchedule']);
  });

  it('a rule without a selector is not projected', () => {
    const { deviceSelector: _, ...none } = taintRule();
    expect(project([none])).toEqual({ kind: 'Rules', rules: [] });
  });

  it('a projected rule has a distinct and stable name for each source, selector and taint', () => {
    const variants = [
      of({ driver }),
      of({ driver: 'x' }),
      of({ driver }, { uid: 'other' }),
      of({ driver }, { taint: { key: 'y', effect: 'NoExecute' } }),
      of({ driver }, { taint: { key: 'example.com/bad', value: 'v', effect: 'NoExecute' } }),
      of({ driver }, { taint: { key: 'example.com/bad', effect: 'NoSchedule' } }),
    ];
    const names = variants.flatMap((one) => rulesOf([one]).map(({ name }) => name));
    expect(new Set(names).size).toBe(variants.length);
    expect(rulesOf(variants.slice(0, 1))[0]?.name).toBe(names[0]);
    const long = rulesOf([of({ driver }, { name: 'n'.repeat(253) })])[0]?.name ?? '';
    expect(long).toHaveLength(249);
  });
});

describe('the projection of a selector by attributes', () => {
  const world = () =>
    snapshotOf({
      pods: [],
      claims: [
        claim(allocated(result({ device: 'instance' }), result({ device: 'unseen' }))),
        { ...claim({ name: 'idle' }), allocation: undefined } as never,
      ],
      rules: [],
      slices: [slice({ devices: [withHealth(false), { name: 'well', attributes: { healthy: { bool: true } } }] })],
    });

  it('a selector by attributes is projected to one rule for each matching device, published or allocated', () => {
    expect(rulesOf([of({ selectors: [sick] })], world()).map((rule) => rule.deviceSelector)).toEqual([
      { driver, pool, device: 'instance' },
    ]);
  });

  it('a selector by existing taints is projected to one rule for each matching device', () => {
    const snapshot = snapshotOf({ pods: [], claims: [], rules: [], slices: [taintedSlice([taint({ key: 'xid' })])] });
    expect(rulesOf([of({ deviceTaints: [{ key: 'xid' }] })], snapshot).map((rule) => rule.deviceSelector)).toEqual([
      { driver, pool, device: 'instance' },
    ]);
  });

  it.each([
    [maxRules, 'Rules'],
    [maxRules + 1, 'TooMany'],
  ])('a projection of %i devices gives the result %s', (count, kind) => {
    const devices = Array.from({ length: count }, (_, i) => ({ ...withHealth(false), name: `d${i}` }));
    const snapshot = snapshotOf({ pods: [], claims: [], rules: [], slices: [slice({ devices })] });
    const projection = project([of({ selectors: [sick] })], snapshot);
    expect(projection.kind).toBe(kind);
    if (projection.kind === 'TooMany') expect(projection.count).toBe(count);
  });

  it('a projection keeps no more devices than maxRules and counts all of them', () => {
    const devices = Array.from({ length: 9 }, (_, i) => ({ ...withHealth(false), name: `d${i}` }));
    const snapshot = snapshotOf({ pods: [], claims: [], rules: [], slices: [slice({ devices })] });
    const by = { rule: of({ selectors: [sick] }), snapshot, maxRules };
    const picked = pickedIn(pickedIn(nonePicked, by), by);
    expect(picked.devices).toHaveLength(maxRules);
    expect(picked.count).toBe(18);
  });
});

describe('the projection of a DeviceTaintSlice', () => {
  const entries = (...effects: readonly string[]) =>
    aTaintSlice('agent', {
      driver,
      pool,
      taints: effects.map((effect, i) => ({ device: `d${i}`, taint: { key: 'k', value: 'v', effect } })),
    });
  const projected = (effects: readonly string[], by: 'Keep' | 'NoSchedule' = 'Keep') => {
    const slice = entries(...effects);
    return projectionOf(slice, placedBySlice(slice), { effects: by, maxRules });
  };

  it('a DeviceTaintSlice is projected to one native rule for each NoExecute or NoSchedule entry', () => {
    expect(projected(['NoExecute', 'None', 'NoSchedule'])).toEqual({
      kind: 'Rules',
      rules: [
        ['d0', 'NoExecute'],
        ['d2', 'NoSchedule'],
      ].map(([device, effect]) => ({
        name: expect.stringMatching(/^agent-[0-9a-f]{12}$/),
        from: { kind: 'DeviceTaintSlice', name: 'agent', uid: 'uid-agent' },
        deviceSelector: { driver, pool, device },
        taint: { key: 'k', value: 'v', effect },
      })),
    });
  });

  it('a DeviceTaintSlice is projected as NoSchedule beside an active in-tree controller, and not at all beyond maxRules', () => {
    expect(projected(['NoExecute'], 'NoSchedule')).toMatchObject({ rules: [{ taint: { effect: 'NoSchedule' } }] });
    expect(projected(['NoExecute', 'NoExecute', 'NoExecute', 'NoSchedule'])).toEqual({
      kind: 'TooMany',
      count: 4,
      maxRules,
    });
  });
});
