// Taints of allocated devices, verdicts with their reasons, and previews.
import { describe, expect, it } from 'vitest';
import { evaluate, evaluatePod, isCounted, preview } from '../../lib/decide/evaluate.ts';
import { rulesFor } from '../../lib/decide/ruleIndex.ts';
import { evicts, taintsOf } from '../../lib/decide/taint.ts';
import { deviceKey } from '../../lib/model/identity.ts';
import { createRecall } from '../../lib/model/recall.ts';
import { type SnapshotObjects, snapshotOf, upstreamSettings } from '../../lib/model/snapshot.ts';
import { farFuture } from '../../lib/model/time.ts';
import {
  allocated,
  atSecond,
  claim,
  driver,
  pod,
  pool,
  reservedFor,
  result,
  rule,
  slice,
  t0,
  taint,
  taintedSlice,
  tolerating,
  toleration,
  unallocated,
} from '../support/builders.ts';
import { taintRule } from '../support/pacedBuilders.ts';

const device = { driver, pool, device: 'instance' };
const untimed = { key: 'example.com/bad', effect: 'NoExecute' };

function snapshot(objects: Partial<SnapshotObjects>) {
  return snapshotOf({ pods: [], claims: [], slices: [], rules: [], ...objects });
}

describe('the taints of a device', () => {
  const { timeAdded: _, ...timeless } = taint();
  it.each([
    ['a NoExecute PacedTaintRule without a time', taintRule({ taint: untimed }), true],
    [
      'a PacedTaintRule with effect None and without a time',
      taintRule({ taint: { ...untimed, effect: 'None' } }),
      false,
    ],
    ['a NoExecute PacedTaintRule with a time', taintRule(), false],
    ['a NoExecute DeviceTaintRule without a time', rule({ taint: timeless }), false],
  ])(
    'only a NoExecute PacedTaintRule whose time is not yet recorded is about to taint a device: %s',
    (_name, one, isPassing) => {
      expect(taintsOf(device, snapshot({ rules: [one] })).isPassing).toBe(isPassing);
    },
  );

  it.each([
    ['NoExecute without a time', untimed, true],
    ['effect None without a time', { ...untimed, effect: 'None' }, false],
    ['NoExecute with a time', { ...untimed, timeAdded: t0 }, false],
  ])(
    'only a NoExecute taint of an agent whose time is not yet recorded is about to taint a device: %s',
    (_name, one, isPassing) => {
      const agentTaints = new Map([[deviceKey(device), [{ slice: 'agent', index: 0, taint: one }]]]);
      expect(taintsOf(device, { ...snapshot({}), agentTaints }).isPassing).toBe(isPassing);
    },
  );

  it('a taint has the description that its PacedTaintRule gives, if any', () => {
    const described = taintRule({ taint: { ...taintRule().taint, description: 'fans at 100 %' } });
    const [one] = taintsOf(device, snapshot({ rules: [described] })).taints;
    expect(one?.taint).toStrictEqual({ ...taintRule().taint, description: 'fans at 100 %' });
    const [other] = taintsOf(device, snapshot({ rules: [taintRule()] })).taints;
    expect(other?.taint).toStrictEqual(taintRule().taint);
  });

  it('the taints of a device are those of rules by name, then those of its slice in order', () => {
    const rules = [rule({ name: 'b' }), rule({ name: 'a', deviceSelector: { device: 'instance' } })];
    const slices = [taintedSlice([taint({ key: 'x' }), taint({ key: 'y' })])];
    expect(taintsOf(device, snapshot({ rules, slices })).taints.map((one) => one.origin)).toEqual([
      { kind: 'Rule', name: 'a', uid: 'a-uid', generation: 1 },
      { kind: 'Rule', name: 'b', uid: 'b-uid', generation: 1 },
      { kind: 'Slice', name: 'slice', index: 0 },
      { kind: 'Slice', name: 'slice', index: 1 },
    ]);
  });

  it('the taints of a device are only those with the effect NoExecute', () => {
    const others = ['None', 'NoSchedule', 'PreferNoSchedule', 'noexecute', ''];
    const rules = others.map((effect) => rule({ name: `r-${effect}`, taint: taint({ effect }) }));
    const slices = [taintedSlice(others.map((effect) => taint({ effect })))];
    expect(taintsOf(device, snapshot({ rules, slices })).taints).toEqual([]);
    expect(evicts(taint())).toBe(true);
  });

  it('the taints of a device exclude those of another device, pool or driver', () => {
    const { pools, rules, recall } = snapshot({ slices: [taintedSlice()] });
    expect(taintsOf({ ...device, device: 'x' }, { pools, rules, recall }).taints).toEqual([]);
    expect(taintsOf({ ...device, pool: 'x' }, { pools, rules, recall }).taints).toEqual([]);
    expect(taintsOf({ ...device, driver: 'x' }, { pools, rules, recall }).taints).toEqual([]);
  });

  it('the taints of a device are those of every slice that publishes it in one generation', () => {
    const twice = [taintedSlice([taint({ key: 'x' })]), taintedSlice([taint({ key: 'y' })], { name: 'other' })];
    expect(taintsOf(device, snapshot({ slices: twice })).taints.map((one) => one.taint.key)).toEqual(['y', 'x']);
  });
});

describe('the rules for a device', () => {
  const selectors = [
    {},
    { driver },
    { pool },
    { device: 'instance' },
    { driver, pool },
    { pool, device: 'instance' },
    { driver, pool, device: 'instance' },
    { driver: 'x' },
    { driver: 'x', pool },
    { driver: 'x', device: 'instance' },
    { pool: 'x', device: 'instance' },
    { driver, pool: 'x' },
  ];
  const rules = selectors.map((deviceSelector, i) => rule({ name: `r${i}`, deviceSelector }));

  it('the rules that select a device come in the order of the list', () => {
    expect(rulesFor(device, rules, createRecall()).map((one) => one.name)).toEqual([
      'r0',
      'r1',
      'r2',
      'r3',
      'r4',
      'r5',
      'r6',
    ]);
  });

  it('the rules that select a device come in the order of a reversed list', () => {
    const names = rulesFor(device, rules.toReversed(), createRecall()).map((one) => one.name);
    expect(names).toEqual(['r6', 'r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
  });

  it('a rule without a selector selects no device', () => {
    const { deviceSelector: _, ...none } = rule();
    expect(rulesFor(device, [none], createRecall())).toEqual([]);
  });
});

describe('a verdict', () => {
  it('a verdict names rule, taint, device and claim', () => {
    const verdict = evaluatePod(pod(), snapshot({ claims: [claim()], rules: [rule()] }));
    expect(verdict).toEqual({
      kind: 'EvictAt',
      at: t0,
      because: [
        {
          origin: { kind: 'Rule', name: 'rule', uid: 'rule-uid', generation: 1 },
          taint: taint(),
          device,
          claim: { namespace: 'default', name: 'claim' },
          at: t0,
        },
      ],
    });
  });

  it('a verdict has the earliest time and keeps the later reasons', () => {
    const claims = [claim(tolerating(toleration({ tolerationSeconds: 60 })))];
    const rules = [rule({ taint: taint({ timeAdded: atSecond(-10) }) })];
    const verdict = evaluatePod(pod(), snapshot({ claims, rules, slices: [taintedSlice()] }));
    expect(verdict).toMatchObject({ kind: 'EvictAt', at: atSecond(50) });
    expect(verdict.kind === 'EvictAt' && verdict.because.map((reason) => reason.at)).toEqual([
      atSecond(50),
      atSecond(60),
    ]);
  });

  it('a verdict has one reason per rule, for the device where the rule acts first', () => {
    const devices = [
      result({ device: 'late', tolerations: [toleration({ tolerationSeconds: 60 })] }),
      result({ device: 'early' }),
      result({ device: 'later', tolerations: [toleration({ tolerationSeconds: 90 })] }),
    ];
    const verdict = evaluatePod(pod(), snapshot({ claims: [claim(allocated(...devices))], rules: [rule()] }));
    expect(verdict).toMatchObject({ at: t0, because: [{ device: { device: 'early' } }] });
  });

  it('a verdict names the first device when a rule acts on two at the same time', () => {
    const devices = [result({ device: 'b' }), result({ device: 'a' })];
    const verdict = evaluatePod(pod(), snapshot({ claims: [claim(allocated(...devices))], rules: [rule()] }));
    expect(verdict).toMatchObject({ because: [{ device: { device: 'b' } }] });
  });

  it.each([[['a', 'b']], [['b', 'a']]])(
    'a verdict lists a rule before a slice with devices in the order %j',
    (names) => {
      const slices = [slice({ devices: [{ name: 'a', taints: [taint()] }] })];
      const rules = [rule({ deviceSelector: { device: 'b' } })];
      const claims = [claim(allocated(...names.map((name) => result({ device: name }))))];
      const verdict = evaluatePod(pod(), snapshot({ claims, slices, rules }));
      expect(verdict).toMatchObject({ because: [{ origin: { kind: 'Rule' } }, { origin: { kind: 'Slice' } }] });
    },
  );

  it('a pod whose allocation has no toleration is evicted, even with emptyEffectTolerates', () => {
    const settings = { ...upstreamSettings, emptyEffectTolerates: true };
    const rules = [rule({ taint: taint({ value: '' }) })];
    expect(evaluatePod(pod(), snapshot({ claims: [claim()], rules, settings })).kind).toBe('EvictAt');
  });

  it('a verdict lists rules by name, then taints by driver, pool, device, slice and index', () => {
    const taints = [taint(), taint()];
    const slices = [
      slice({
        name: 's2',
        devices: [
          { name: 'b', taints },
          { name: 'a', taints },
        ],
      }),
      slice({ name: 's1', devices: [{ name: 'b', taints: [taint()] }] }),
    ];
    const rules = [
      rule({ name: 'y', deviceSelector: { device: 'a' } }),
      rule({ name: 'x', deviceSelector: { device: 'b' } }),
    ];
    const claims = [claim(allocated(result({ device: 'b' }), result({ device: 'a' })))];
    const verdict = evaluatePod(pod(), snapshot({ claims, slices, rules }));
    const reasons = verdict.kind === 'EvictAt' ? verdict.because : [];
    expect(
      reasons.map(({ origin, device: on }) =>
        origin.kind === 'Rule' ? origin.name : `${on.device} ${origin.name} ${origin.index}`,
      ),
    ).toEqual(['x', 'y', 'a s2 0', 'a s2 1', 'b s1 0', 'b s2 0', 'b s2 1']);
  });

  it.each([
    ['it is not scheduled', pod({ nodeName: '' }), { kind: 'Keep' }],
    ['it has no claims', pod({ resourceClaims: [] }), { kind: 'Keep' }],
  ])('a pod is kept when %s', (_, of, verdict) => {
    expect(evaluatePod(of, snapshot({ claims: [claim()], rules: [rule()] }))).toEqual(verdict);
  });

  it('a verdict is Unknown and names the taint when the only taint has no time', () => {
    const timeless = { key: 'k', effect: 'NoExecute' };
    const claims = [claim()];
    expect(evaluatePod(pod(), snapshot({ claims, rules: [rule({ taint: timeless })] }))).toEqual({
      kind: 'Unknown',
      why: 'DeviceTaintRule rule: taint k has no timeAdded',
    });
    expect(evaluatePod(pod(), snapshot({ claims, slices: [taintedSlice([timeless])] }))).toEqual({
      kind: 'Unknown',
      why: 'ResourceSlice slice: taint k has no timeAdded',
    });
    const both = { claims, rules: [rule({ taint: timeless })], slices: [taintedSlice([timeless])] };
    expect(evaluatePod(pod(), snapshot(both))).toMatchObject({ why: 'DeviceTaintRule rule: taint k has no timeAdded' });
  });

  it('a pod is evicted for a taint with a time although another one has none', () => {
    const rules = [rule(), rule({ name: 'other', taint: { key: 'k', effect: 'NoExecute' } })];
    expect(evaluatePod(pod(), snapshot({ claims: [claim()], rules }))).toMatchObject({
      kind: 'EvictAt',
      because: [{ origin: { name: 'rule' } }],
    });
  });

  it('a verdict is Unknown while it cannot be read what the claim tolerates, unless a taint reaches the pod by another claim', () => {
    const unread = (name: string, text: string) => ({
      ...claim({ name, ...allocated(result({ tolerations: [] })) }),
      annotations: { 'sluice.dev/tolerations': text },
    });
    const [first, second] = [unread('first', '{'), unread('second', '{"other":[]}')];
    const claimNames = (...names: readonly string[]) => ({
      resourceClaims: names.map((name) => ({ name, resourceClaimName: name })),
    });
    const using = (...claims: readonly ReturnType<typeof claim>[]) =>
      evaluatePod(pod(claimNames(...claims.map(({ name }) => name))), snapshot({ claims, rules: [rule()] }));
    expect(using(first, second)).toEqual({ kind: 'Unknown', why: expect.stringContaining('is not a JSON object') });
    expect(using(second)).toEqual({ kind: 'Unknown', why: expect.stringContaining('names request "other"') });
    const known = claim({ name: 'known' });
    expect(using(first, known)).toMatchObject({ kind: 'EvictAt', because: [{ claim: { name: 'known' } }] });
    expect(evaluatePod(pod(claimNames('first')), snapshot({ claims: [first] }))).toEqual({ kind: 'Keep' });
  });

  it('a verdict is never later than the largest date', () => {
    const rules = [rule({ taint: taint({ timeAdded: farFuture + 1 }) })];
    expect(evaluatePod(pod(), snapshot({ claims: [claim()], rules }))).toMatchObject({ at: farFuture });
  });

  it('every pod has a verdict by UID, and terminating ones are not counted as pending', () => {
    const pods = [pod(), pod({ uid: 'x', deletionTimestamp: t0 }), pod({ uid: 'y', nodeName: '' })];
    const claims = [claim(reservedFor(...pods))];
    const verdicts = evaluate(snapshot({ pods, claims, rules: [rule()] }));
    expect([...verdicts].map(([uid, verdict]) => [uid, verdict.kind])).toEqual([
      ['1234', 'EvictAt'],
      ['x', 'EvictAt'],
      ['y', 'Keep'],
    ]);
    expect(pods.map(isCounted)).toEqual([true, false, true]);
  });
});

describe('a preview', () => {
  const b = pod({ name: 'b', namespace: 'z' });
  const objects: Partial<SnapshotObjects> = {
    pods: [b, pod(), pod({ name: 'gone', uid: '1234', deletionTimestamp: t0 })],
    claims: [
      claim(),
      claim({ namespace: 'z', ...reservedFor(b), ...allocated(result({ device: 'x' }), result({ pool: 'y' })) }),
    ],
    slices: [taintedSlice(), slice({ name: 'old', pool: { name: pool, generation: 0 } })],
    rules: [rule({ name: 'other' })],
  };

  it('a preview counts published and allocated devices, pods and namespaces of one rule', () => {
    const none = rule({ taint: taint({ effect: 'None' }) });
    const { evicted, ...counts } = preview(none, snapshot(objects));
    expect(counts).toEqual({ published: 3, allocated: 3, pods: 2, namespaces: 2 });
    expect(evicted.map((one) => one.name)).toEqual(['pod', 'b']);
  });

  it('a preview counts only the devices that the selector matches', () => {
    const one = rule({ deviceSelector: { device: 'instance' }, taint: taint({ effect: 'None' }) });
    const { evicted: _, ...counts } = preview(one, snapshot(objects));
    expect(counts).toEqual({ published: 1, allocated: 2, pods: 2, namespaces: 2 });
  });

  it('a preview counts no device of an unallocated claim', () => {
    const none = rule({ deviceSelector: {}, taint: taint({ effect: 'None' }) });
    expect(preview(none, snapshot({ claims: [unallocated(claim())] })).allocated).toBe(0);
  });

  it('a preview omits pods that tolerate the rule forever, although a slice evicts them', () => {
    const claims = [claim(tolerating(toleration({ operator: 'Exists', key: 'of-the-rule' })))];
    const none = rule({ taint: taint({ key: 'of-the-rule', effect: 'None' }) });
    expect(preview(none, snapshot({ ...objects, claims })).pods).toBe(0);
  });

  it('a preview of a rule without a selector counts nothing', () => {
    const { deviceSelector: _, ...nil } = rule();
    expect(preview(nil, snapshot(objects))).toEqual({
      published: 0,
      allocated: 0,
      pods: 0,
      namespaces: 0,
      evicted: [],
    });
  });
});

describe('a pod that cannot be decided yet', () => {
  const using = (overrides: Partial<SnapshotObjects> = {}) =>
    snapshot({ pods: [pod()], claims: [claim({ ...allocated(result()), ...reservedFor(pod()) })], ...overrides });

  it('a pod whose claim is unknown has the passing verdict Unknown, whatever taints it', () => {
    const unknown = {
      pods: new Map(),
      claims: new Map([['default/claim', 'the claim is too large']]),
      pools: new Map(),
    };
    expect(evaluatePod(pod(), { ...using({ rules: [rule()] }), unknown })).toEqual({
      kind: 'Unknown',
      why: 'the claim is too large',
      isPassing: true,
    });
  });

  it.each([
    ['a PacedTaintRule', [taintRule({ taint: untimed })], undefined],
    ['an agent', [], new Map([[deviceKey(device), [{ slice: 'agent', index: 0, taint: untimed }]]])],
    [
      'one rule of two',
      [taintRule({ taint: untimed }), taintRule({ name: 'z', deviceSelector: { driver: 'other' } })],
      undefined,
    ],
  ])('a pod is kept for now while the time of the taint by %s is not recorded', (_, rules, agentTaints) => {
    const around = { ...using({ rules }), ...(agentTaints ? { agentTaints } : {}) };
    expect(evaluatePod(pod(), around)).toEqual({ kind: 'Keep', isPassing: true });
  });

  it('a pod is kept for now while the time of the taint on the first of its devices is not recorded', () => {
    const second = result({ pool: 'elsewhere' });
    const claims = [claim({ ...allocated(result(), second), ...reservedFor(pod()) })];
    const rules = [taintRule({ taint: untimed, deviceSelector: { driver, pool } })];
    expect(evaluatePod(pod(), using({ claims, rules }))).toEqual({ kind: 'Keep', isPassing: true });
  });

  it('a pod without a taint is kept for good', () => {
    expect(evaluatePod(pod(), using())).toEqual({ kind: 'Keep' });
  });
});
