// What a record keeps of the moment in which a pod was evicted.
import { expect, it } from 'vitest';
import { groundsOf } from '../../lib/decide/grounds.ts';
import { agentTaintsOf } from '../../lib/decide/taintSlice.ts';
import type { Device, ResourceSlice } from '../../lib/model/objects.ts';
import { type Snapshot, snapshotOf } from '../../lib/model/snapshot.ts';
import type { Reason } from '../../lib/model/verdict.ts';
import { driver, pool, rule, slice, t0, taint } from '../support/builders.ts';
import { aTaintSlice } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';

const attributes = { memory: { int: 80 } };
const paced = rule({ name: 'paced', uid: 'paced', annotations: { 'sluice.dev/evictions-per-second': '2' } });
const other = rule({ name: 'other', uid: 'other' });
const limiter = 'rule|paced';

function reason(device: string): Reason {
  return {
    origin: { kind: 'Rule', name: 'paced', uid: 'paced', generation: 1 },
    taint: taint(),
    device: { driver, pool, device },
    claim: { namespace: 'default', name: 'claim' },
    at: t0,
  };
}

function grounds(by: {
  readonly devices?: readonly Device[];
  readonly slices?: readonly ResourceSlice[];
  readonly because?: readonly Reason[];
  readonly rules?: Snapshot['rules'];
}) {
  const slices = by.slices ?? [slice({ devices: by.devices ?? [] })];
  const snapshot = { ...snapshotOf({ pods: [], claims: [], slices, rules: [] }), rules: by.rules ?? [other, paced] };
  return groundsOf({ limiter, because: by.because ?? [reason('a')], snapshot, now: t0 });
}

it('the rate is that of the limiter, and there is a policy where the rule has one', () => {
  expect(grounds({})).toStrictEqual({ rate: { perSecond: 2, burst: 10 }, devices: [], authors: [] });
  const policy = evictionPolicy({ name: 'slow', burst: 1 });
  const rules = [
    { ...other, policy: evictionPolicy({ name: 'else' }) },
    { ...paced, policy },
  ];
  expect(grounds({ rules })).toStrictEqual({
    rate: { perSecond: 2, burst: 1 },
    devices: [],
    authors: [],
    policy: 'slow',
  });
});

it('without the rule there is neither policy nor a rate of its own', () => {
  const rules = [{ ...other, policy: evictionPolicy({ name: 'else' }) }];
  expect(grounds({ rules })).toStrictEqual({ rate: { perSecond: 10, burst: 10 }, devices: [], authors: [] });
});

it.each<[string, readonly Device[], readonly Device[]]>([
  ['a device with attributes is kept', [{ name: 'a', attributes }], [{ name: 'a', attributes }]],
  ['one without is left out', [{ name: 'a' }], []],
  ['one that is not published is left out', [{ name: 'b', attributes }], []],
  [
    'one that is published twice is left out',
    [
      { name: 'a', attributes },
      { name: 'a', attributes: {} },
    ],
    [],
  ],
])('an eviction stands on the devices for which it was decided: %s', (_, devices, kept) => {
  const expected = kept.map(({ name: device }) => ({ driver, pool, device, attributes }));
  expect(grounds({ devices }).devices).toEqual(expected);
});

it('a device of a pool that is not published is left out', () => {
  expect(grounds({ slices: [] }).devices).toEqual([]);
});

it('grounds name each device once, and at most eight devices', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const devices = names.map((name) => ({ name, attributes }));
  const because = ['a', ...names].map(reason);
  expect(grounds({ devices, because }).devices.map(({ device }) => device)).toEqual(names.slice(0, 8));
});

it('names the author of each rule among the reasons once, and none where the rule or slice does not say', () => {
  const by = { manager: 'kubectl', operation: 'Update', at: t0 };
  const rules = [other, { ...paced, author: by }, rule({ name: 'third', author: { manager: 'x', operation: 'y' } })];
  const fromOther: Reason = { ...reason('a'), origin: { kind: 'Rule', name: 'other', uid: 'other', generation: 1 } };
  const fromSlice: Reason = { ...reason('a'), origin: { kind: 'Slice', name: 'third', index: 0 } };
  const because = [reason('a'), reason('b'), fromOther, fromSlice];
  expect(grounds({ rules, because }).authors).toEqual([{ rule: 'paced', by }]);
});

it('who wrote the slices among the reasons, of both kinds, even where their names are alike', () => {
  const [byDriver, byAgent] = [
    { manager: 'driver', operation: 'Update' },
    { manager: 'agent', operation: 'Apply' },
  ];
  const one = { device: 'a', taint: taint() };
  const published = slice({ name: 's', devices: [{ name: 'a', taints: [one.taint] }], author: byDriver });
  const snapshot = snapshotOf({ pods: [], claims: [], slices: [published], rules: [] });
  const agents = [
    aTaintSlice('s', { pool, driver, taints: [one], author: byAgent }),
    aTaintSlice('u', { pool, driver, taints: [one] }),
  ];
  const agentTaints = agentTaintsOf(agents, snapshot.pools);
  const from = (name: string, more: object = {}): Reason => ({
    ...reason('a'),
    origin: { kind: 'Slice', name, index: 0, ...more },
  });
  const ofAgents = { sliceKind: 'DeviceTaintSlice' } as const;
  const because = [from('s'), from('s', ofAgents), from('t'), from('u', ofAgents)];
  expect(groundsOf({ limiter, because, snapshot: { ...snapshot, agentTaints }, now: t0 }).authors).toEqual([
    { rule: 'ResourceSlice/s', by: byDriver },
    { rule: 'DeviceTaintSlice/s', by: byAgent },
  ]);
});

it.each([
  ['a rule that is gone', { kind: 'Rule', name: 'gone', uid: 'gone', generation: 1 }],
  [
    'a PacedTaintRule that shares the name of another rule',
    { kind: 'Rule', ruleKind: 'PacedTaintRule', name: 'paced', uid: 'x', generation: 1 },
  ],
  ['a slice of a pool that is gone', { kind: 'Slice', name: 's', index: 0 }],
  ['a slice of an agent where none is known', { kind: 'Slice', sliceKind: 'DeviceTaintSlice', name: 's', index: 0 }],
] as const)('no author is named for %s', (_, origin) => {
  const rules = [{ ...paced, author: { manager: 'kubectl', operation: 'Update' } }];
  expect(grounds({ rules, slices: [], because: [{ ...reason('a'), origin }] }).authors).toEqual([]);
});

it('a taint in a slice has the policy that is for it, whatever policies rules have', () => {
  const policies = [evictionPolicy({ name: 'slices', taints: { sources: ['ResourceSlice'] } })];
  const snapshot = { ...snapshotOf({ pods: [], claims: [], slices: [], rules: [] }), policies };
  const by = { because: [], snapshot, now: t0 };
  expect(groundsOf({ ...by, limiter: `slice|${driver}|k|v|NoExecute` }).policy).toBe('slices');
  expect(groundsOf({ ...by, limiter: `slice|${driver}|k|v|NoExecute|1/` }).policy).toBeUndefined();
});

it('a rule whose author is unknown has no author', () => {
  const author = { manager: 'kubectl', operation: 'Apply' };
  expect(grounds({}).authors).toEqual([]);
  expect(grounds({ rules: [{ ...paced, author }] }).authors).toEqual([{ rule: 'paced', by: author }]);
});
