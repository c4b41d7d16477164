// What the record of an eviction keeps: rate, policy, devices and authors at that moment.
import { expect, it } from 'vitest';
import { groundsOf } from '../../lib/decide/grounds.ts';
import { agentTaintsOf } from '../../lib/decide/taintSlice.ts';
import { approvalAnnotations } from '../../lib/model/approvalNote.ts';
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

it('a record has the rate of the limiter and the policy of its rule, if any', () => {
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

it('a record names the approval of the rule, or for a taint in slices that of its policy', () => {
  const annotations = approvalAnnotations({ digests: '0123456789ab', by: 'ada', at: t0 });
  const approved = { ...paced, annotations: { ...annotations, 'sluice.dev/burst': '1' } };
  expect(grounds({ rules: [other, approved] }).approval).toEqual(annotations);
  expect(grounds({ rules: [{ ...other, annotations }, paced] })).not.toHaveProperty('approval');
  const policy = evictionPolicy({ name: 'agents', annotations });
  expect(grounds({ rules: [{ ...paced, policy }] })).not.toHaveProperty('approval');
  const snapshot = { ...snapshotOf({ pods: [], claims: [], slices: [], rules: [approved] }), policies: [policy] };
  const by = { limiter: `slice|${driver}|k|v|NoExecute`, because: [reason('a')], snapshot, now: t0 } as const;
  expect(groundsOf(by).approval).toEqual(annotations);
  expect(groundsOf({ ...by, snapshot: { ...snapshot, policies: [] } })).not.toHaveProperty('approval');
});

it('a record keeps at most a thousand characters of each annotation of an approval', () => {
  const annotations = { 'sluice.dev/approve': 'a'.repeat(200_000), 'sluice.dev/approve-note': 'short' };
  const { approval } = grounds({ rules: [{ ...paced, annotations }] });
  expect(approval).toEqual({ 'sluice.dev/approve': 'a'.repeat(1000), 'sluice.dev/approve-note': 'short' });
});

it('a record has a rate of 0 and no policy when the rule is gone', () => {
  const rules = [{ ...other, policy: evictionPolicy({ name: 'else' }) }];
  expect(grounds({ rules })).toStrictEqual({ rate: { perSecond: 0, burst: 0 }, devices: [], authors: [] });
});

it.each<[string, readonly Device[], readonly Device[]]>([
  ['a device with attributes is included', [{ name: 'a', attributes }], [{ name: 'a', attributes }]],
  ['a device without attributes is omitted', [{ name: 'a' }], []],
  ['a device that is not published is omitted', [{ name: 'b', attributes }], []],
  [
    'a device that is published twice is omitted',
    [
      { name: 'a', attributes },
      { name: 'a', attributes: {} },
    ],
    [],
  ],
])('a record has the attributes of the devices that were the reason: %s', (_, devices, kept) => {
  const expected = kept.map(({ name: device }) => ({ driver, pool, device, attributes }));
  expect(grounds({ devices }).devices).toEqual(expected);
});

it('a record omits a device of a pool that is not published', () => {
  expect(grounds({ slices: [] }).devices).toEqual([]);
});

it('a record names each device once, and at most eight devices', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const devices = names.map((name) => ({ name, attributes }));
  const because = ['a', ...names].map(reason);
  expect(grounds({ devices, because }).devices.map(({ device }) => device)).toEqual(names.slice(0, 8));
});

it('a record names the author of each rule among the reasons once, if the author is known', () => {
  const by = { manager: 'kubectl', operation: 'Update', at: t0 };
  const rules = [other, { ...paced, author: by }, rule({ name: 'third', author: { manager: 'x', operation: 'y' } })];
  const fromOther: Reason = { ...reason('a'), origin: { kind: 'Rule', name: 'other', uid: 'other', generation: 1 } };
  const fromSlice: Reason = { ...reason('a'), origin: { kind: 'Slice', name: 'third', index: 0 } };
  const because = [reason('a'), reason('b'), fromOther, fromSlice];
  expect(grounds({ rules, because }).authors).toEqual([{ rule: 'paced', by }]);
});

it('a record names the authors of slices of both kinds, even when their names are equal', () => {
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
  ['a DeviceTaintSlice that is not known', { kind: 'Slice', sliceKind: 'DeviceTaintSlice', name: 's', index: 0 }],
] as const)('a record names no author for %s', (_, origin) => {
  const rules = [{ ...paced, author: { manager: 'kubectl', operation: 'Update' } }];
  expect(grounds({ rules, slices: [], because: [{ ...reason('a'), origin }] }).authors).toEqual([]);
});

it('a record of a slice taint has the policy for its kind of slice', () => {
  const policies = [evictionPolicy({ name: 'slices', taints: { sources: ['ResourceSlice'] } })];
  const snapshot = { ...snapshotOf({ pods: [], claims: [], slices: [], rules: [] }), policies };
  const by = { because: [], snapshot, now: t0 };
  expect(groundsOf({ ...by, limiter: `slice|${driver}|k|v|NoExecute` }).policy).toBe('slices');
  expect(groundsOf({ ...by, limiter: `slice|${driver}|k|v|NoExecute|1/` }).policy).toBeUndefined();
});

it('a record names the author of a rule only when it is known', () => {
  const author = { manager: 'kubectl', operation: 'Apply' };
  expect(grounds({}).authors).toEqual([]);
  expect(grounds({ rules: [{ ...paced, author }] }).authors).toEqual([{ rule: 'paced', by: author }]);
});
