// Several rules on one device: which taints apply, from when and to which pods.
import { describe, expect, it } from 'vitest';
import { approvalNeed, awaitingApproval } from '../../lib/decide/approval.ts';
import { evaluatePod } from '../../lib/decide/evaluate.ts';
import { expiryOf, holdOf } from '../../lib/decide/hold.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { rulesOn, taintsOf } from '../../lib/decide/taint.ts';
import { ruleLimiter, type TaintRule } from '../../lib/model/rule.ts';
import { defaultSettings, snapshotOf, upstreamSettings } from '../../lib/model/snapshot.ts';
import { claim, driver, pod, rule, slice, t0, taint, taintedSlice } from '../support/builders.ts';
import { instance, taintRule } from '../support/pacedBuilders.ts';

const world = (rules: readonly TaintRule[], slices = [slice()]) => snapshotOf({ pods: [], claims: [], slices, rules });
const named = (name: string, more: Partial<TaintRule> = {}) => taintRule({ name, uid: `${name}-uid`, ...more });
const namesOn = (...rules: readonly TaintRule[]) => rulesOn(instance, world(rules)).rules.map((one) => one.rule.name);

describe('two PacedTaintRules with the same key and effect on a device', () => {
  const other = { key: 'example.com/other', effect: 'NoExecute', timeAdded: t0 };
  it.each([
    ['the rule of higher priority', [named('a', { priority: 1 }), named('b', { priority: 2 })], ['b']],
    ['a rule with any priority before one without', [named('a'), named('b', { priority: -5 })], ['b']],
    [
      'the older rule when neither has a priority',
      [named('a', { creationTimestamp: 9 }), named('b', { creationTimestamp: 8 })],
      ['b'],
    ],
    [
      'the older rule of equal priority',
      [named('a', { priority: 3, creationTimestamp: 9 }), named('b', { priority: 3, creationTimestamp: 8 })],
      ['b'],
    ],
    ['the first rule by name of equal age', [named('b'), named('a')], ['a']],
    ['both when the keys differ', [named('a'), named('b', { taint: other })], ['a', 'b']],
    [
      'both when the effects differ',
      [named('a'), named('b', { taint: { ...taintRule().taint, effect: 'NoSchedule' } })],
      ['a', 'b'],
    ],
    ['both taints of one rule', [named('a'), named('a', { taint: other })], ['a', 'a']],
    [
      'a rule that does not select the device replaces nothing',
      [named('a'), named('b', { priority: 9, deviceSelector: { driver: 'x' } })],
      ['a'],
    ],
    [
      'a native rule is not replaced',
      [rule({ name: 'n', taint: taintRule().taint }), named('a', { priority: 9 })],
      ['a', 'n'],
    ],
    [
      'a native rule that comes first replaces nothing',
      [rule({ name: '0', taint: taintRule().taint }), named('a'), named('b')],
      ['0', 'a'],
    ],
    [
      'a native rule replaces nothing',
      [rule({ name: 'n', taint: taintRule().taint }), named('a'), named('b')],
      ['a', 'n'],
    ],
  ])('only one of two PacedTaintRules with the same key and effect applies to a device: %s', (_, rules, names) => {
    expect(namesOn(...rules)).toEqual(names);
    expect(namesOn(...rules.toReversed())).toEqual(names);
  });
});

describe('the taints of a PacedTaintRule', () => {
  it('the taint of a PacedTaintRule has its kind, value, time and pod scope', () => {
    const pods = { namespaces: ['x'] };
    const own = { key: 'k', value: 'v', effect: 'NoExecute', timeAdded: t0, evictionsPerSecond: 1, description: 'why' };
    expect(taintsOf(instance, world([named('a', { taint: own, pods })])).taints).toEqual([
      {
        origin: { kind: 'Rule', ruleKind: 'PacedTaintRule', name: 'a', uid: 'a-uid', generation: 1 },
        taint: { key: 'k', value: 'v', effect: 'NoExecute', timeAdded: t0, description: 'why' },
        pods,
      },
    ]);
  });

  it('the taint of a PacedTaintRule evicts only with effect NoExecute and after its time is recorded', () => {
    expect(taintsOf(instance, world([named('a', { taint: { key: 'k', effect: 'NoExecute' } })])).taints).toEqual([]);
    expect(
      taintsOf(instance, world([named('a', { taint: { ...taintRule().taint, effect: 'NoSchedule' } })])).taints,
    ).toEqual([]);
  });

  it.each([
    [t0 + 60_000, t0 + 60_000],
    [t0 - 60_000, t0],
  ])('the taint of a PacedTaintRule acts no earlier than the taint that its selector requires', (timeAdded, wanted) => {
    const rules = [named('a', { deviceSelector: { deviceTaints: [{ key: 'xid' }] } })];
    const slices = [taintedSlice([taint({ key: 'xid', effect: 'None', timeAdded })])];
    expect(taintsOf(instance, world(rules, slices)).taints[0]?.taint).toEqual({
      ...taintRule().taint,
      timeAdded: wanted,
    });
  });

  it('a taint that cannot be decided keeps the pod with a reason, unless another one evicts it', () => {
    const rules = [named('a', { deviceSelector: { driver, selectors: ['true'] } })];
    const claims = new Map([['default/claim', claim()]]);
    const snapshot = { ...world(rules, []), claims };
    const why =
      'PacedTaintRule a: device some-driver|worker|instance is in no ResourceSlice with its attributes, or twice in one';
    expect(taintsOf(instance, snapshot)).toEqual({ taints: [], undecided: [why], isPassing: false });
    const one = pod();
    const mine = new Map([[`${one.namespace}/claim`, claim({ namespace: one.namespace })]]);
    expect(evaluatePod(one, { ...snapshot, claims: mine })).toEqual({ kind: 'Unknown', why });
    const both = { ...snapshot, claims: mine, rules: [...rules, named('b')] };
    expect(evaluatePod(one, both).kind).toBe('EvictAt');
  });

  it('the taints of a PacedTaintRule reach only pods in scope and are separate reasons', () => {
    const one = pod();
    const claims = new Map([[`${one.namespace}/claim`, claim({ namespace: one.namespace })]]);
    const taints = ['k', 'l'].map((key) => ({ key, effect: 'NoExecute', timeAdded: t0 }));
    const rules = taints.map((own) => named('a', { taint: own }));
    const verdict = evaluatePod(one, { ...world(rules), claims });
    expect(verdict.kind === 'EvictAt' && verdict.because.map((reason) => reason.taint.key)).toEqual(['k', 'l']);
    const scoped = rules.map((own) => ({ ...own, pods: { namespaces: ['elsewhere'] } }));
    expect(evaluatePod(one, { ...world(scoped), claims })).toEqual({ kind: 'Keep' });
  });
});

it('a taint without a value has no value field', () => {
  const [found] = taintsOf(instance, world([named('a')])).taints;
  expect(found?.taint).not.toHaveProperty('value');
});

describe('the rate of a taint', () => {
  const rate = (own: object, annotations?: Record<string, string>) => {
    const paced = named('a', { taint: { ...taintRule().taint, ...own }, ...(annotations ? { annotations } : {}) });
    return rateOf(ruleLimiter(paced), { rules: [paced] }, t0);
  };
  const annotated = { 'sluice.dev/evictions-per-second': '3', 'sluice.dev/burst': '4' };
  it.each([
    ['is its own', { evictionsPerSecond: 0.5, burst: 2 }, annotated, { perSecond: 0.5, burst: 2 }],
    ['is that of the annotations when it has none', {}, annotated, { perSecond: 3, burst: 4 }],
    ['is the default when nothing is set', {}, undefined, { perSecond: 10, burst: 10 }],
    ['may be zero', { evictionsPerSecond: 0 }, annotated, { perSecond: 0, burst: 4 }],
    ['is 0 when it is above the range of the API', { evictionsPerSecond: 1e9 }, annotated, { perSecond: 0, burst: 4 }],
    ['is 0 when it is below the range of the API', { evictionsPerSecond: 1e-9 }, annotated, { perSecond: 0, burst: 4 }],
  ])('the rate of a taint %s', (_, own, annotations, wanted) => {
    expect(rate(own, annotations)).toEqual(wanted);
  });
});

it('a rule expires at the earlier of field and annotation', () => {
  const [first, second] = ['2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z'];
  for (const [expiresAt, annotated] of [
    [first, second],
    [second, first],
  ] as const)
    expect(expiryOf({ expiresAt, annotations: { 'sluice.dev/expires-at': annotated } })).toBe(Date.parse(first));
});

describe('a hold in the spec', () => {
  it('the message of a hold names spec.paused beside the pause annotations', () => {
    expect(holdOf({ paused: true, annotations: { 'pause.sluice.dev/x': '' } }, t0)?.message).toBe(
      'Paused by spec.paused; x.',
    );
  });

  it.each([
    [{ expiresAt: '2000-01-01T00:00:00Z' }, 'Expired', 'Expired at 2000-01-01T00:00:00Z: no pod is evicted any more.'],
    [
      { expiresAt: 'soon' },
      'ExpiryUnreadable',
      'spec.expiresAt is "soon", which is not an RFC 3339 time: no pod is evicted until it is fixed or removed.',
    ],
    [
      { expiresAt: '2999-01-01T00:00:00Z', annotations: { 'sluice.dev/expires-at': '2000-01-01T00:00:00Z' } },
      'Expired',
      'Expired at 2000-01-01T00:00:00Z: no pod is evicted any more.',
    ],
  ])('a rule with %o is held with the reason %s', (rule, reason, message) => {
    expect(holdOf(rule, t0)).toEqual({ reason, message });
  });
});

describe('the approval of a selector', () => {
  it.each([
    [{ all: true }, true],
    [{}, true],
    [{ selectors: [] }, true],
    [{ pool: undefined } as never, true],
    [{ selectors: ['true'] }, false],
    [{ deviceClassName: 'c' }, false],
    [{ deviceTaints: [{ key: 'k' }] }, false],
    [{ pool: 'p' }, false],
  ] as const)('a PacedTaintRule with the selector %o needs an approval: %s', (deviceSelector, needed) => {
    expect(approvalNeed(taintRule({ deviceSelector }), defaultSettings)).toBe(needed ? 'EmptySelector' : undefined);
    expect(approvalNeed(taintRule({ deviceSelector }), upstreamSettings)).toBeUndefined();
  });

  it('the approval command names the kind of the rule', () => {
    const by = {
      need: 'EmptySelector' as const,
      matched: { waiting: 2, namespaces: 1, evicted: 0 },
      digest: 'd',
      approved: undefined,
    };
    expect(awaitingApproval(taintRule({ name: 'a' }), by).message).toBe(
      'A selector of all devices reaches every device: 2 pods in 1 namespaces would be evicted. To evict them: kubectl annotate --overwrite pacedtaintrule a sluice.dev/approve=d',
    );
  });
});
