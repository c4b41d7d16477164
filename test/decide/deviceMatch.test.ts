// Which devices a rule selects by what they are, not by what they are called.
import { describe, expect, it } from 'vitest';
import { matchDevice, readsProperties } from '../../lib/decide/deviceMatch.ts';
import { addSelected, noDevices, selectedIn, selectionNote } from '../../lib/decide/selected.ts';
import { selectorHold } from '../../lib/decide/selectorHold.ts';
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
const remembering =
  (device: Device, around = nothing) =>
  () => ({ ...around(), remembered: new Map([[key, device]]) });
const by = (deviceSelector: PacedDeviceSelector, more: Partial<TaintRule> = {}) =>
  taintRule({ deviceSelector, ...more });
const selected = { kind: 'Selected', remembered: false };
const never = {
  kind: 'Unknown',
  why: `device ${key} has not been seen in any ResourceSlice, or twice in one`,
};

describe('a selector', () => {
  it.each([
    ['by names needs no slice', by({ driver }), nothing, selected],
    [
      'by another name picks nothing',
      by({ driver: 'other', selectors: [sick] }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    ['for everything picks everything', by({ all: true }), nothing, selected],
    ['by an expression that is true', by({ selectors: [sick] }), published(withHealth(false)), selected],
    ['by an expression that is false', by({ selectors: [sick] }), published(withHealth(true)), { kind: 'NotSelected' }],
    [
      'by two expressions of which one is false',
      by({ selectors: [sick, 'false'] }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    [
      'by an expression that fails on the device',
      by({ selectors: [sick] }),
      published({ name: 'instance' }),
      { kind: 'NotSelected' },
    ],
    ['by an expression that is none', by({ selectors: ['('] }), published(withHealth(false)), { kind: 'NotSelected' }],
    ['by a class', by({ deviceClassName: 'c' }, { deviceClass: [sick] }), published(withHealth(false)), selected],
    [
      'by a class that the device is not of',
      by({ deviceClassName: 'c' }, { deviceClass: [sick] }),
      published(withHealth(true)),
      { kind: 'NotSelected' },
    ],
    [
      'by a class that does not exist',
      by({ deviceClassName: 'c' }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    [
      'by a class without selectors',
      by({ deviceClassName: 'c' }, { deviceClass: [] }),
      published(withHealth(true)),
      selected,
    ],
    [
      'by class and expression',
      by({ deviceClassName: 'c', selectors: ['false'] }, { deviceClass: [sick] }),
      published(withHealth(false)),
      { kind: 'NotSelected' },
    ],
    ['by an expression, of a device that was never seen', by({ selectors: ['true'] }), nothing, never],
    [
      'by an expression, of a device that is published twice',
      by({ selectors: ['true'] }),
      published(withHealth(true), withHealth(false)),
      never,
    ],
    [
      'by an expression, of a device that is published twice and was seen before',
      by({ selectors: ['true'] }),
      remembering(withHealth(true), published(withHealth(true), withHealth(false))),
      never,
    ],
    [
      'by an expression, of a device in a slice too large to keep',
      by({ selectors: ['true'] }),
      published({ name: 'instance', isStripped: true }),
      never,
    ],
    [
      'by an expression, of a device last seen in such a slice',
      by({ selectors: ['true'] }),
      remembering({ name: 'instance', isStripped: true }),
      never,
    ],
    [
      'by an expression, of a device as last seen',
      by({ selectors: [sick] }),
      remembering(withHealth(false)),
      { kind: 'Selected', remembered: true },
    ],
    [
      'by an expression, of a device as last seen, that is false',
      by({ selectors: [sick] }),
      remembering(withHealth(true)),
      { kind: 'NotSelected' },
    ],
    [
      'by an expression, of a device that was something else when it was last seen',
      by({ selectors: [sick] }),
      remembering(withHealth(false), published(withHealth(true))),
      { kind: 'NotSelected' },
    ],
    [
      'of a rule without one picks nothing',
      (({ deviceSelector: _, ...rest }) => rest)(taintRule()),
      nothing,
      { kind: 'NotSelected' },
    ],
  ])('a rule matches the devices that its selector names: %s', (_, rule, world, match) => {
    const snapshot = world();
    expect(matchDevice(rule, instance, snapshot)).toEqual(match);
    // A rule is compiled and a device is built once; the second answer is that of the memory.
    expect(matchDevice(rule, instance, snapshot)).toEqual(match);
  });

  it.each([
    [{ driver }, false],
    [{ selectors: [] }, false],
    [{ selectors: ['true'] }, true],
    [{ deviceClassName: 'c' }, true],
  ])('whether selector %o reads properties of devices: %s', (selector, reads) => {
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
    ['picks by key', [{ key: 'xid' }], has(xid), found(t0)],
    ['not by another key', [{ key: 'ecc' }], has(xid), { kind: 'NotSelected' }],
    ['picks by value', [{ key: 'xid', value: '79' }], has(xid), found(t0)],
    ['not by another value', [{ key: 'xid', value: '13' }], has(xid), { kind: 'NotSelected' }],
    [
      'an empty value is one that is absent',
      [{ key: 'xid', value: '' }],
      has({ key: 'xid', effect: 'None', timeAdded: t0 }),
      found(t0),
    ],
    ['picks by effect', [{ key: 'xid', effect: 'NoSchedule' }], has(xid), found(t0)],
    ['not by another effect', [{ key: 'xid', effect: 'NoExecute' }], has(xid), { kind: 'NotSelected' }],
    ['waits until the taint is old enough', [{ key: 'xid', minAge: 5000 }], has(xid), found(t0 + 5000)],
    [
      'takes the oldest of several',
      [{ key: 'xid', minAge: 5000 }],
      has({ ...xid, timeAdded: t0 + 9 }, xid),
      found(t0 + 5000),
    ],
    [
      'waits for the last of several that it asks for',
      [
        { key: 'xid', minAge: 5000 },
        { key: 'xid', minAge: 7000 },
      ],
      has(xid),
      found(t0 + 7000),
    ],
    ['needs all that it asks for', [{ key: 'xid' }, { key: 'ecc' }], has(xid), { kind: 'NotSelected' }],
    ['without a time has no age', [{ key: 'xid', minAge: 1 }], has(untimed), { kind: 'NotSelected' }],
    [
      'without a time counts where no age is asked for',
      [{ key: 'xid' }],
      has(untimed),
      found(Number.NEGATIVE_INFINITY),
    ],
    ['never overflows', [{ key: 'xid', minAge: farFuture }], has(xid), found(farFuture)],
    ['picks nothing that is not published', [{ key: 'xid' }], nothing, { kind: 'NotSelected' }],
    ['that asks for none picks everything', [], nothing, found(Number.NEGATIVE_INFINITY)],
  ])('a selector by existing taints matches what the driver tainted: %s', (_name, deviceTaints, world, match) => {
    expect(matchDevice(by({ deviceTaints }), instance, world())).toEqual(match);
  });

  it('with an expression selects a device that matches both', () => {
    const rule = by({ deviceTaints: [{ key: 'xid' }], selectors: ['true'] });
    expect(matchDevice(rule, instance, has(xid)())).toEqual(found(t0));
    expect(matchDevice(by({ deviceTaints: [{ key: 'xid' }], selectors: ['false'] }), instance, has(xid)())).toEqual({
      kind: 'NotSelected',
    });
  });
});

describe('what is wrong with a selector', () => {
  it.each([
    ['by names', by({ driver }), undefined],
    ['by a good expression', by({ selectors: [sick] }), undefined],
    ['by a class that is there', by({ deviceClassName: 'c' }, { deviceClass: [sick] }), undefined],
    ['of a rule without one', (({ deviceSelector: _, ...rest }) => rest)(taintRule()), undefined],
    [
      'by a class that is not there',
      by({ deviceClassName: 'c' }),
      {
        reason: 'DeviceClassNotFound',
        message: 'DeviceClass c does not exist, so the rule selects nothing: create it, or name another one.',
      },
    ],
  ])('a selector that cannot work holds its rule with the reason: %s', (_, rule, hold) => {
    expect(selectorHold(rule, recallNothing)).toEqual(hold);
  });

  it.each([
    [
      'of the rule',
      by({ selectors: ['true', 'device.x +'] }),
      /^spec\.deviceSelector\.selectors\[1\] cannot be used, so the rule selects nothing: line 1, column \d+: ./,
    ],
    [
      'of the class',
      by({ deviceClassName: 'c' }, { deviceClass: ['('] }),
      /^spec\.selectors\[0\] of DeviceClass c cannot be used, so the rule selects nothing: line 1, column \d+: ./,
    ],
  ])('is said with its place, %s', (_, rule, message) => {
    expect(selectorHold(rule, recallNothing)).toEqual({
      reason: 'SelectorRefused',
      message: expect.stringMatching(message),
    });
  });
});

describe('how little a selection rests on', () => {
  const holding = (...devices: readonly string[]) => claim(allocated(...devices.map((device) => result({ device }))));
  const snapshot = (devices: readonly string[], remembered: ReadonlyMap<string, Device> = new Map()) =>
    snapshotOf({
      pods: [],
      claims: [holding(...devices), claim({ name: 'idle', allocation: undefined } as never)],
      rules: [],
      slices: [slice({ devices: [withHealth(false)] })],
      remembered,
    });

  it.each([
    ['is nothing to speak of where all is published', ['instance'], new Map(), ''],
    [
      'names what was last seen',
      ['instance', 'a'],
      new Map([[`${driver}|worker|a`, { ...withHealth(false), name: 'a' }]]),
      '1 allocated device selected by attributes as last seen.',
    ],
    [
      'does not name what was not selected',
      ['a'],
      new Map([[`${driver}|worker|a`, { ...withHealth(true), name: 'a' }]]),
      '',
    ],
    ['names what was never seen', ['x', 'y'], new Map(), '2 allocated devices never seen and not acted on.'],
    [
      'names both',
      ['a', 'x'],
      new Map([[`${driver}|worker|a`, { ...withHealth(false), name: 'a' }]]),
      '1 allocated device selected by attributes as last seen. 1 allocated device never seen and not acted on.',
    ],
  ])('a note says how little a selection rests on: %s', (_, devices, remembered, note) => {
    expect(selectionNote(selectedIn(by({ selectors: [sick] }), snapshot(devices, remembered)))).toBe(note);
  });
});

it('an expression that two rules have in common is compiled once', () => {
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

it('selected devices of two parts of a cluster add up, and are none where nothing was counted', () => {
  const one = { published: 1, allocated: 20, remembered: 300, unknown: 4000 };
  const two = { published: 5, allocated: 60, remembered: 700, unknown: 8000 };
  expect(addSelected(one, two)).toEqual({ published: 6, allocated: 80, remembered: 1000, unknown: 12_000 });
  expect(addSelected(noDevices, one)).toEqual(one);
});

it('a device that is not selected is not remembered either', () => {
  const seen = remembering(withHealth(true))();
  const held = claim(allocated(result()));
  const around = { ...seen, claims: new Map([['default/claim', held]]) };
  expect(selectedIn(by({ selectors: [sick] }), around)).toEqual(noDevices);
});
