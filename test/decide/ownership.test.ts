// Which part of a snapshot each mode sees, the plan of one source, and the texts of modes.
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../lib/decide/evaluate.ts';
import { describeModePlan, modePlanOf, nothingTallied, tallyMode } from '../../lib/decide/modePlan.ts';
import { partIn, unowned } from '../../lib/decide/ownership.ts';
import { agentTaintsOf } from '../../lib/decide/taintSlice.ts';
import { hashOf } from '../../lib/mirror/ranges.ts';
import { describeModes, isLower, lowest, type Mode, type Modes, sourceOf } from '../../lib/model/ownership.ts';
import { type Snapshot, snapshotOf } from '../../lib/model/snapshot.ts';
import { aClaim, aPacedRule, aPod, aRule, aSlice, aTaintSlice } from '../support/objects.ts';

const now = 1_800_000_000_000;
const bad = { key: 'example.com/bad', effect: 'NoExecute', timeAdded: now };

/** Four devices, each tainted by another source, with a pod on each. */
function world(): Snapshot {
  const names = ['native', 'slice', 'paced', 'agent'];
  const paced = aPacedRule('paced', { deviceSelector: { device: 'paced' } });
  const { taints: _, seen: __, ...rule } = paced;
  const snapshot = snapshotOf({
    pods: names.map((name) => aPod(name)),
    claims: names.map((name) => aClaim(name, name)),
    slices: [aSlice('s', { devices: names.map((name) => (name === 'slice' ? { name, taints: [bad] } : { name })) })],
    rules: [aRule('native', now, { deviceSelector: { device: 'native' } }), { ...rule, taint: bad }],
  });
  const agent = aTaintSlice('agent', {
    taints: [{ device: 'agent', taint: bad }],
    seen: [{ device: 'agent', key: bad.key, effect: bad.effect, timeAdded: now, specTimeAdded: now }],
  });
  return { ...snapshot, agentTaints: agentTaintsOf([agent], snapshot.pools) };
}

const going = (snapshot: Snapshot) =>
  [...evaluate(snapshot)].flatMap(([uid, { kind }]) => (kind === 'EvictAt' ? [uid.slice('uid-'.length)] : []));

describe('the part of a snapshot in one mode', () => {
  it.each<[Mode, Modes, readonly string[]]>([
    ['own', { native: 'own', paced: 'own' }, ['native', 'slice', 'paced', 'agent']],
    ['own', { native: 'own', paced: 'shadow' }, ['native', 'slice']],
    ['own', { native: 'off', paced: 'own' }, ['paced', 'agent']],
    ['own', { native: 'off', paced: 'shadow' }, []],
    ['shadow', { native: 'shadow', paced: 'own' }, ['native', 'slice']],
    ['shadow', { native: 'own', paced: 'shadow' }, ['paced', 'agent']],
    ['shadow', { native: 'own', paced: 'off' }, []],
  ])('the part in mode %s under the modes %j evicts the pods of %j', (mode, modes, expected) => {
    expect(going(partIn(mode, world(), modes))).toEqual(expected);
  });

  it('the part in one mode has neither rules nor slices of sources in other modes', () => {
    const { rules, nativeSlices, agentTaints } = partIn('own', world(), { native: 'off', paced: 'shadow' });
    expect({ rules, nativeSlices, agentTaints }).toEqual({
      rules: [],
      nativeSlices: 'Watched',
      agentTaints: new Map(),
    });
  });

  it('the part in one mode has the identical list of rules each time, because an index is keyed by it', () => {
    const snapshot = world();
    const modes: Modes = { native: 'own', paced: 'off' };
    expect(partIn('own', snapshot, modes).rules).toBe(partIn('own', snapshot, modes).rules);
    expect(partIn('shadow', snapshot, { native: 'own', paced: 'shadow' }).rules.map(({ name }) => name)).toEqual([
      'paced',
    ]);
  });
});

describe('the plan of a source before it evicts again', () => {
  it.each([
    ['native', { pods: 2, namespaces: 1, origins: ['DeviceTaintRule native', 'ResourceSlice s'] }],
    ['paced', { pods: 2, namespaces: 1, origins: ['DeviceTaintSlice agent', 'PacedTaintRule paced'] }],
  ] as const)('the plan of %s taints counts its pods by rule and slice', (source, { pods, namespaces, origins }) => {
    const expected = origins.map((origin) => ({ origin, pods: 1 }));
    expect(modePlanOf(tallyMode(nothingTallied, { source, snapshot: world(), hash: hashOf }), now)).toEqual({
      at: now,
      pods,
      namespaces,
      origins: expected,
    });
  });

  it('the plan of a source names at most fifty origins, those with most pods first, and omits terminating pods', () => {
    const rules = Array.from({ length: 51 }, (_, i) =>
      aRule(`r${String(i).padStart(2, '0')}`, now, { deviceSelector: { device: 'b' } }),
    );
    const snapshot = snapshotOf({
      pods: [aPod('a'), aPod('b', { namespace: 'other' }), aPod('c', { deletionTimestamp: now })],
      claims: [aClaim('a', 'a'), aClaim('b', 'b', { namespace: 'other' }), aClaim('c', 'b')],
      slices: [aSlice('s', { devices: [{ name: 'a' }, { name: 'b' }] })],
      rules: [...rules, aRule('z', now)],
    });
    const plan = modePlanOf(tallyMode(nothingTallied, { source: 'native', snapshot, hash: hashOf }), now);
    expect(plan).toMatchObject({ pods: 2, namespaces: 2 });
    expect(plan.origins).toHaveLength(50);
    expect(plan.origins.slice(0, 3)).toEqual([
      { origin: 'DeviceTaintRule z', pods: 2 },
      { origin: 'DeviceTaintRule r00', pods: 1 },
      { origin: 'DeviceTaintRule r01', pods: 1 },
    ]);
  });

  it('the tally of a source keeps at most the 300 origins with most pods and 10,000 namespaces', () => {
    const origins = Array.from({ length: 301 }, (_, i) => [`r${i}`, i + 5] as const);
    const namespaces = new Set(Array.from({ length: 9_999 }, (_, i) => i));
    const before = { pods: 7, namespaces, byOrigin: new Map(origins) };
    const by = { source: 'native', snapshot: world() } as const;
    const tally = tallyMode(before, { ...by, hash: () => -1 });
    expect(tally.pods).toBe(9);
    expect([...tally.byOrigin]).toHaveLength(300);
    expect([...tally.byOrigin.keys()][0]).toBe('r300');
    expect(tally.byOrigin.has('r0')).toBe(false);
    expect(tally.namespaces.size).toBe(10_000);
    expect(tallyMode(tally, { ...by, hash: () => -2 }).namespaces).toEqual(tally.namespaces);
  });

  it.each([
    [{ pods: 0, namespaces: 0, origins: [] }, '0 pods in 0 namespaces'],
    [{ pods: 1, namespaces: 1, origins: [{ origin: 'a', pods: 1 }] }, '1 pod in 1 namespace: a 1'],
    [
      {
        pods: 3,
        namespaces: 2,
        origins: [
          { origin: 'a', pods: 2 },
          { origin: 'b', pods: 1 },
        ],
      },
      '3 pods in 2 namespaces: a 2, b 1',
    ],
  ])('the plan of a source with %j is described as %j', (plan, text) => {
    expect(describeModePlan({ at: now, ...plan })).toBe(text);
  });
});

describe('modes', () => {
  it.each<[Mode, Mode, boolean]>([
    ['off', 'shadow', true],
    ['shadow', 'own', true],
    ['off', 'own', true],
    ['own', 'own', false],
    ['own', 'off', false],
    ['shadow', 'off', false],
  ])('the mode %s does less than the mode %s: %s', (a, b, less) => {
    expect(isLower(a, b)).toBe(less);
  });

  it.each<[Modes, Partial<Modes> | undefined, Modes]>([
    [{ native: 'own', paced: 'own' }, undefined, { native: 'own', paced: 'own' }],
    [{ native: 'own', paced: 'shadow' }, { native: 'off' }, { native: 'off', paced: 'shadow' }],
    [
      { native: 'off', paced: 'own' },
      { native: 'own', paced: 'shadow' },
      { native: 'off', paced: 'shadow' },
    ],
  ])('the lower modes of %j and %j are %j', (a, b, expected) => {
    expect(lowest(a, b)).toEqual(expected);
  });

  it.each([
    [{ kind: 'Rule', name: 'r', uid: 'u', generation: 1 }, 'native'],
    [{ kind: 'Rule', ruleKind: 'PacedTaintRule', name: 'r', uid: 'u', generation: 1 }, 'paced'],
    [{ kind: 'Slice', name: 's', index: 0 }, 'native'],
    [{ kind: 'Slice', sliceKind: 'DeviceTaintSlice', name: 's', index: 0 }, 'paced'],
  ] as const)('a taint of %j belongs to the source %s', (origin, source) => {
    expect(sourceOf(origin)).toBe(source);
  });

  it('the modes are described source by source', () => {
    expect(describeModes({ native: 'shadow', paced: 'own' })).toBe('native shadow, paced own');
  });

  it('a source that evicts no pod has a hold that says so', () => {
    const where = 'for PacedTaintRules and DeviceTaintSlices in this cluster: no pod is evicted because of this.';
    expect(unowned('off')).toEqual({ reason: 'SluiceOff', message: `Sluice is switched off ${where}` });
    expect(unowned('shadow')).toEqual({ reason: 'SluiceShadow', message: `Sluice only decides and compares ${where}` });
  });
});
