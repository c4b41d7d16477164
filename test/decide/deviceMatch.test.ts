// Which devices a rule selects by attributes, DeviceClass and existing taints, not only by names.
import { describe, expect, it } from 'vitest';
import { matchDevice, readsProperties } from '../../lib/decide/deviceMatch.ts';
import { addSelected, noDevices, selectedIn, selectionNote } from '../../lib/decide/selected.ts';
import { selectorHold, selectsNothing } from '../../lib/decide/selectorHold.ts';
import type { Device } from '../../lib/model/objects.ts';
import { createRecall, type Recall, recallNothing } from '../../lib/model/recall.ts';
import type { PacedDeviceSelector, TaintRule } from '../../lib/model/rule.ts';
import { snapshotOf } from '../../lib/model/snapshot.ts';
import { farFuture } from '../../lib/model/time.ts';
import { allocated, claim, driver, result, slice, t0, taint, taintedSlice } from '../support/builders.ts';
import { instance, taintRule, withHealth } from '../support/pacedBuilders.ts';

const sick = `device.attributes["${driver}"].healthy == false`;
const key = `${driver}|worker|instance`;
const published =
  (...devices: readonly Device[]) =>
  () =>
    snapshotOf({ pods: [], claims: [], rules: [], slices: [slice({ devices })] });
const nothing = () => snapshotOf({ pods: [], claims: [], rules: [], slices: [] });
const by = (deviceSelector: PacedDeviceSelector, more: Partial<TaintRule> = {}) =>
  taintRule({ deviceSelector, ...more });
const selected = { kind: 'Selected' };
const tooLarge = {
  kind: 'Unknown',
  why: 'device some-driver|worker|instance has attributes too large to keep',
  isStripped: true,
};
const never = {
  kind: 'Unknown',
  why: `device ${key} is in no ResourceSlice with its attributes, or twice in one`,
};

describe('the selector of a rule', () => {
  it.each([
    ['by names matches without a slice', by({ driver }), nothing, selected],
    [
      'by another driver does not match',
      by({ driver: 'other', selectors: [sick] }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    ['for all devices matches', by({ all: true }), nothing, selected],
    ['with a true expression matches', by({ selectors: [sick] }), published(withHealth(false)), selected],
    [
      'with a false expression does not match',
      by({ selectors: [sick] }),
      published(withHealth(true)),
      { kind: 'NotSelected' },
    ],
    [
      'with two expressions of which one is false does not match',
      by({ selectors: [sick, 'false'] }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    [
      'with an expression that fails on the device does not match',
      by({ selectors: [sick] }),
      published({ name: 'instance' }),
      { kind: 'NotSelected' },
    ],
    [
      'with an invalid expression does not match',
      by({ selectors: ['('] }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    [
      'with the DeviceClass of the device matches',
      by({ deviceClassName: 'c' }, { deviceClass: [sick] }),
      published(withHealth(false)),
      selected,
    ],
    [
      'with the DeviceClass of other devices does not match',
      by({ deviceClassName: 'c' }, { deviceClass: [sick] }),
      published(withHealth(true)),
      { kind: 'NotSelected' },
    ],
    [
      'with a missing DeviceClass does not match',
      by({ deviceClassName: 'c' }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    [
      'with a DeviceClass without selectors matches',
      by({ deviceClassName: 'c' }, { deviceClass: [] }),
      published(withHealth(true)),
      selected,
    ],
    [
      'with a DeviceClass and a false expression does not match',
      by({ deviceClassName: 'c', selectors: ['false'] }, { deviceClass: [sick] }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    ['with an expression is undecided for a device that was never seen', by({ selectors: ['true'] }), nothing, never],
    [
      'with an expression is undecided for a device that is published twice',
      by({ selectors: ['true'] }),
      published(withHealth(true), withHealth(false)),
      never,
    ],
    [
      'with an expression is undecided for a device in a slice too large to keep',
      by({ selectors: ['true'] }),
      published({ name: 'instance', isStripped: true }),
      tooLarge,
    ],
    [
      'does not match when it is absent',
      (({ deviceSelector: _, ...rest }) => rest)(taintRule()),
      nothing,
      { kind: 'NotSelected' },
    ],
  ])('the selector of a rule %s', (_, rule, world, match) => {
    const snapshot = world();
    expect(matchDevice(rule, instance, snapshot)).toEqual(match);
    // A rule is compiled and a device is built once; the second answer comes from the cache.
    expect(matchDevice(rule, instance, snapshot)).toEqual(match);
  });

  it.each([
    [{ driver }, false],
    [{ selectors: [] }, false],
    [{ selectors: ['true'] }, true],
    [{ deviceClassName: 'c' }, true],
  ])('the selector %o reads properties of devices: %s', (selector, reads) => {
    expect(readsProperties(selector)).toBe(reads);
  });
});

describe('a selector by existing taints', () => {
  const xid = taint({ key: 'xid', value: '79', effect: 'NoSchedule' });
  const { timeAdded: _, ...untimed } = xid;
  const has =
    (...taints: readonly (typeof xid | typeof untimed)[]) =>
    () =>
      snapshotOf({ pods: [], claims: [], rules: [], slices: [taintedSlice(taints)] });
  const found = (notBefore: number) => ({ ...selected, notBefore });

  it.each([
    ['matches by key', [{ key: 'xid' }], has(xid), found(t0)],
    ['does not match another key', [{ key: 'ecc' }], has(xid), { kind: 'NotSelected' }],
    ['matches by value', [{ key: 'xid', value: '79' }], has(xid), found(t0)],
    ['does not match another value', [{ key: 'xid', value: '13' }], has(xid), { kind: 'NotSelected' }],
    [
      'treats an empty value as an absent one',
      [{ key: 'xid', value: '' }],
      has({ key: 'xid', effect: 'None', timeAdded: t0 }),
      found(t0),
    ],
    ['matches by effect', [{ key: 'xid', effect: 'NoSchedule' }], has(xid), found(t0)],
    ['does not match another effect', [{ key: 'xid', effect: 'NoExecute' }], has(xid), { kind: 'NotSelected' }],
    ['matches once the taint is as old as minAge', [{ key: 'xid', minAge: 5000 }], has(xid), found(t0 + 5000)],
    [
      'uses the oldest of several taints',
      [{ key: 'xid', minAge: 5000 }],
      has({ ...xid, timeAdded: t0 + 9 }, xid),
      found(t0 + 5000),
    ],
    [
      'matches once every required taint is old enough',
      [
        { key: 'xid', minAge: 5000 },
        { key: 'xid', minAge: 7000 },
      ],
      has(xid),
      found(t0 + 7000),
    ],
    ['needs every required taint', [{ key: 'xid' }, { key: 'ecc' }], has(xid), { kind: 'NotSelected' }],
    [
      'does not match a taint without a time by minAge',
      [{ key: 'xid', minAge: 1 }],
      has(untimed),
      { kind: 'NotSelected' },
    ],
    [
      'matches a taint without a time when minAge is not set',
      [{ key: 'xid' }],
      has(untimed),
      found(Number.NEGATIVE_INFINITY),
    ],
    ['matches no later than the largest date', [{ key: 'xid', minAge: farFuture }], has(xid), found(farFuture)],
    ['does not match an unpublished device', [{ key: 'xid' }], nothing, { kind: 'NotSelected' }],
    ['matches every device when its list is empty', [], nothing, found(Number.NEGATIVE_INFINITY)],
  ])('a selector by existing taints %s', (_name, deviceTaints, world, match) => {
    expect(matchDevice(by({ deviceTaints }), instance, world())).toEqual(match);
  });

  it('a selector by existing taints and an expression needs both', () => {
    const rule = by({ deviceTaints: [{ key: 'xid' }], selectors: ['true'] });
    expect(matchDevice(rule, instance, has(xid)())).toEqual(found(t0));
    expect(matchDevice(by({ deviceTaints: [{ key: 'xid' }], selectors: ['false'] }), instance, has(xid)())).toEqual({
      kind: 'NotSelected',
    });
  });
});

describe('the hold of an unusable selector', () => {
  it.each([
    ['by names', by({ driver }), undefined],
    ['by a valid expression', by({ selectors: [sick] }), undefined],
    ['by an existing DeviceClass', by({ deviceClassName: 'c' }, { deviceClass: [sick] }), undefined],
    ['an absent selector', (({ deviceSelector: _, ...rest }) => rest)(taintRule()), undefined],
    [
      'by a missing DeviceClass',
      by({ deviceClassName: 'c' }),
      {
        reason: 'DeviceClassNotFound',
        message: 'DeviceClass c does not exist, so the rule selects nothing: create it, or name another one.',
      },
    ],
  ])('only an unusable selector holds its rule: %s', (_, rule, hold) => {
    expect(selectorHold(rule, recallNothing)).toEqual(hold);
  });

  it.each([
    [
      'in the rule',
      by({ selectors: ['true', 'device.x +'] }),
      /^spec\.deviceSelector\.selectors\[1\] cannot be used, so the rule selects nothing: line 1, column \d+: ./,
    ],
    [
      'in the DeviceClass',
      by({ deviceClassName: 'c' }, { deviceClass: ['('] }),
      /^spec\.selectors\[0\] of DeviceClass c cannot be used, so the rule selects nothing: line 1, column \d+: ./,
    ],
  ])('an invalid expression is reported with its field and position: %s', (_, rule, message) => {
    expect(selectorHold(rule, recallNothing)).toEqual({
      reason: 'SelectorRefused',
      message: expect.stringMatching(message),
    });
  });
});

describe('why a rule selects nothing', () => {
  const bare: Device = { name: 'instance' };
  const other: Device = { ...withHealth(true), name: 'b' };
  const told = (rule: TaintRule, ...devices: readonly Device[]) => selectsNothing(rule, published(...devices)());
  const fails =
    /^spec\.deviceSelector\.selectors\[0\] fails on every device that it is evaluated on, so the rule selects nothing: ./;
  const ofClass = (deviceClass: string) =>
    by({ deviceClassName: 'c', selectors: [sick] }, { deviceClass: [deviceClass] });

  it.each([
    ['fails on the only device', by({ selectors: [sick] }), [bare], fails],
    ['fails on two devices', by({ selectors: [sick] }), [bare, { name: 'c' }], fails],
    ['fails on every device of its class', ofClass('device.attributes.size() == 0 || true'), [bare], fails],
    [
      'cannot be compiled',
      by({ selectors: ['device.x +'] }),
      [bare],
      /cannot be used, so the rule selects nothing: line 1/,
    ],
    ['is of a class that does not exist', by({ deviceClassName: 'c' }), [bare], /^DeviceClass c does not exist/],
    ['fails in its class', ofClass(sick), [bare], /^spec\.selectors\[0\] of DeviceClass c fails on every device/],
    ['fails on the devices that its names select', by({ device: 'instance', selectors: [sick] }), [bare, other], fails],
    [
      'fails in its class, beside a device of no class',
      ofClass(`!("healthy" in device.attributes["${driver}"])`),
      [other, bare],
      fails,
    ],
  ] as const)('a rule whose selector %s has the error as the reason', (_, rule, devices, text) => {
    expect(told(rule, ...devices)).toMatch(text);
  });

  it.each([
    ['first', [other], [bare]],
    ['last', [bare], [other]],
  ])('a rule that can be evaluated in the %s of two pools has no error as the reason', (_, a, b) => {
    const slices = [slice({ devices: a }), slice({ name: 's2', pool: { name: 'z', generation: 1 }, devices: b })];
    const seen = snapshotOf({ pods: [], claims: [], rules: [], slices });
    expect(selectsNothing(by({ selectors: [sick] }), seen)).toBeUndefined();
  });

  it('a rule that fails on several devices has the error of the first one as the reason', () => {
    const selectors = [`device.attributes["${driver}"].a == 1 && device.attributes["${driver}"].b == 1`];
    const withA: Device = { name: 'x', attributes: { [`${driver}/a`]: { int: 1 } } };
    expect(told(by({ selectors }), bare, withA)).toMatch(/: no such key: a$/);
    expect(told(by({ selectors }), withA, bare)).toMatch(/: no such key: b$/);
    const slices = [bare, withA].map((one, i) =>
      slice({ name: `s${i}`, pool: { name: `p${i}`, generation: 1 }, devices: [one] }),
    );
    const seen = snapshotOf({ pods: [], claims: [], rules: [], slices });
    expect(selectsNothing(by({ selectors }), seen)).toMatch(/: no such key: a$/);
  });

  it('a rule that selects nothing is evaluated again only on the devices of a pool that changed', () => {
    const recall = createRecall();
    let evaluated = 0;
    const counted: Recall = (kind, of, make) => {
      if (kind === 'device') evaluated++;
      return recall(kind, of, make);
    };
    const rule = by({ selectors: [sick] });
    const seen = (changed: readonly Device[]) => {
      const slices = [
        slice({ devices: [bare, { name: 'b' }] }),
        slice({ name: 's2', pool: { name: 'other', generation: 1 }, devices: changed }),
      ];
      return snapshotOf({ pods: [], claims: [], rules: [], slices });
    };
    const [first, second] = [seen([bare]), seen([{ name: 'c' }])];
    const ask = (pools: typeof first.pools) => {
      evaluated = 0;
      return [selectsNothing(rule, { ...first, pools, recall: counted }), evaluated];
    };
    expect(ask(first.pools)).toEqual([expect.stringMatching(fails), 3]);
    expect(ask(first.pools)).toEqual([expect.stringMatching(fails), 0]);
    const [[other = ''] = []] = [...first.pools].filter(([, { name }]) => name === 'other');
    const changed = new Map(first.pools).set(other, second.pools.get(other) as never);
    expect(ask(changed)).toEqual([expect.stringMatching(fails), 1]);
  });

  it.each([
    ['is false on another device', by({ selectors: [sick] }), [bare, other]],
    ['is true on a device', by({ selectors: [sick] }), [bare, { ...withHealth(false), name: 'b' }]],
    ['is evaluated on no device', by({ selectors: [sick] }), []],
    ['is of a class without devices', ofClass('false'), [bare]],
    ['is by names', by({ driver }), [bare]],
    ['is absent', (({ deviceSelector: _, ...rest }) => rest)(taintRule()), [bare]],
  ] as const)('a rule whose selector %s has no error as the reason', (_, rule, devices) => {
    expect(told(rule, ...devices)).toBeUndefined();
  });
});

describe('the note on a selection', () => {
  const holding = (...devices: readonly string[]) => claim(allocated(...devices.map((device) => result({ device }))));
  const snapshot = (devices: readonly string[]) =>
    snapshotOf({
      pods: [],
      claims: [holding(...devices), claim({ name: 'idle', allocation: undefined } as never)],
      rules: [],
      slices: [
        slice({ devices: [withHealth(false), ...['a', 'b'].map((name) => ({ name, isStripped: true as const }))] }),
      ],
    });

  it.each([
    ['is empty when every device is published', ['instance'], ''],
    [
      'counts a device that no slice publishes',
      ['instance', 'x'],
      '1 allocated device with unknown attributes, not acted on.',
    ],
    [
      'counts devices that no slice publishes',
      ['x', 'y'],
      '2 allocated devices with unknown attributes, not acted on.',
    ],
    [
      'counts devices whose slices are too large to be kept apart from others',
      ['instance', 'a', 'b', 'x'],
      '1 allocated device with unknown attributes, not acted on. 2 allocated devices not acted on: the attributes of their slices are too large to be kept.',
    ],
    [
      'counts a device whose slice is too large to be kept',
      ['a'],
      '1 allocated device not acted on: the attributes of its slice are too large to be kept.',
    ],
  ])('the note on a selection %s', (_, devices, note) => {
    expect(selectionNote(selectedIn(by({ selectors: [sick] }), snapshot(devices)))).toBe(note);
  });
});

it('an expression that two rules share is compiled once', () => {
  let compiled = 0;
  const kept = createRecall();
  const recall: Recall = (kind, of, make) =>
    kept(kind, of, () => {
      if (kind === 'selector') compiled++;
      return make();
    });
  const seen = { ...published(withHealth(false))(), recall };
  for (const name of ['one', 'two'])
    expect(matchDevice(by({ selectors: [sick] }, { name }), instance, seen)).toEqual(selected);
  expect(compiled).toBe(1);
});

it('the counts of selected devices in two parts of a cluster add up', () => {
  const one = { published: 1, allocated: 20, unknown: 4000, stripped: 3 };
  const two = { published: 5, allocated: 60, unknown: 8000, stripped: 4 };
  expect(addSelected(one, two)).toEqual({ published: 6, allocated: 80, unknown: 12_000, stripped: 7 });
  expect(addSelected(noDevices, one)).toEqual(one);
});
