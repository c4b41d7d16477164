// A PacedTaintRule split into one rule per taint, and the times from which its taints count.
import { describe, expect, it } from 'vitest';
import { actsSinceAfter, effectOf, seenTaints, taintRulesOf } from '../../lib/decide/ruleTaints.ts';
import { parseRuleRef, ruleLimiter, ruleRef } from '../../lib/model/rule.ts';
import { describeOrigin, refOf } from '../../lib/model/verdict.ts';
import { rule, t0, taint } from '../support/builders.ts';
import { pacedRule } from '../support/pacedBuilders.ts';

const bad = { key: 'example.com/bad', effect: 'NoExecute' };
const other = { key: 'example.com/other', effect: 'NoExecute' };

describe('the taints of a rule', () => {
  it('a native rule is its own single taint rule', () => {
    const native = rule();
    expect(taintRulesOf(native)).toEqual([native]);
  });

  it('a PacedTaintRule is split into one rule per taint, each with all other fields', () => {
    const paced = pacedRule({
      taints: [{ ...bad, burst: 3 }, other],
      priority: 5,
      pods: { maxPriority: 1 },
      paused: true,
    });
    const { taints: _, seen: __, ...common } = paced;
    expect(taintRulesOf(paced)).toEqual([
      { ...common, taint: { ...bad, burst: 3 } },
      { ...common, taint: other },
    ]);
  });

  it('a taint has the time that was recorded for its key, its effect and the time in the spec', () => {
    const timeOf = (
      taint: object,
      ...seen: Parameters<typeof pacedRule>[0] extends infer _ ? readonly object[] : never
    ) => taintRulesOf(pacedRule({ taints: [{ ...bad, ...taint }], seen: seen as never }))[0]?.taint.timeAdded;
    expect(timeOf({})).toBeUndefined();
    expect(timeOf({}, { ...bad, timeAdded: 7 })).toBe(7);
    expect(timeOf({}, { ...other, timeAdded: 7 })).toBeUndefined();
    expect(timeOf({}, { ...bad, effect: 'None', timeAdded: 7 })).toBeUndefined();
    expect(timeOf({}, { ...bad, timeAdded: 7, specTimeAdded: 7 })).toBeUndefined();
    expect(timeOf({ timeAdded: 7 })).toBeUndefined();
    expect(timeOf({ timeAdded: 7 }, { ...bad, timeAdded: 9, specTimeAdded: 7 })).toBe(9);
    expect(timeOf({ timeAdded: 8 }, { ...bad, timeAdded: 9, specTimeAdded: 7 })).toBeUndefined();
  });

  it('a taint has the expressions of the DeviceClass that the selector names', () => {
    const classes = new Map([['c', ['x']]]);
    const of = (deviceSelector: object) => taintRulesOf(pacedRule({ deviceSelector }), classes)[0]?.deviceClass;
    expect(of({ deviceClassName: 'c' })).toEqual(['x']);
    expect(of({ deviceClassName: 'd' })).toBeUndefined();
    expect(of({})).toBeUndefined();
    const { deviceSelector: _, ...none } = pacedRule();
    expect(taintRulesOf(none, classes)[0]).not.toHaveProperty('deviceClass');
  });
});

describe('the recorded time of a taint', () => {
  it.each<[string, object, readonly object[], object]>([
    ['is now when a taint without a time is first seen', {}, [], { ...bad, timeAdded: t0 }],
    ['is kept', {}, [{ ...bad, timeAdded: 7 }], { ...bad, timeAdded: 7 }],
    ['is that of the spec', { timeAdded: 7 }, [], { ...bad, timeAdded: 7, specTimeAdded: 7 }],
    [
      'is kept while the time in the spec is unchanged',
      { timeAdded: 7 },
      [{ ...bad, timeAdded: 9, specTimeAdded: 7 }],
      { ...bad, timeAdded: 9, specTimeAdded: 7 },
    ],
    [
      'follows an edit of the time in the spec',
      { timeAdded: 8 },
      [{ ...bad, timeAdded: 7, specTimeAdded: 7 }],
      { ...bad, timeAdded: 8, specTimeAdded: 8 },
    ],
    [
      'is now when the effect changed and the time did not',
      { timeAdded: 7 },
      [{ ...bad, effect: 'None', timeAdded: 7, specTimeAdded: 7 }],
      { ...bad, timeAdded: t0, specTimeAdded: 7 },
    ],
    [
      'is that of the spec when both changed',
      { timeAdded: 8 },
      [{ ...bad, effect: 'None', timeAdded: 7, specTimeAdded: 7 }],
      { ...bad, timeAdded: 8, specTimeAdded: 8 },
    ],
    [
      'is that of the spec when another key had the time',
      { timeAdded: 7 },
      [{ ...other, effect: 'None', timeAdded: 7, specTimeAdded: 7 }],
      { ...bad, timeAdded: 7, specTimeAdded: 7 },
    ],
    [
      'is now when the effect changed and the spec has no time',
      {},
      [{ ...bad, effect: 'None', timeAdded: 7 }],
      { ...bad, timeAdded: t0 },
    ],
  ])('the recorded time of a taint %s', (_, taint, seen, wanted) => {
    const rule = pacedRule({ taints: [{ ...bad, ...taint }], seen: seen as never });
    expect(seenTaints(rule, t0)).toEqual([wanted]);
  });
});

describe('the effect of a rule', () => {
  it.each([
    [['NoExecute'], 'NoExecute'],
    [['None', 'NoExecute'], 'NoExecute'],
    [['NoSchedule', 'None'], 'None'],
    [['NoSchedule'], 'NoSchedule'],
    [[], 'None'],
  ])('the effect of a rule with taints %o is %s', (effects, effect) => {
    expect(effectOf({ taints: effects.map((one) => ({ key: 'k', effect: one })) })).toBe(effect);
  });

  it('the effect of a native rule is that of its taint', () => {
    expect(effectOf(rule({ taint: { key: 'k', effect: 'NoSchedule' } }))).toBe('NoSchedule');
  });
});

describe('the reference of a rule', () => {
  it.each([
    [{ kind: 'DeviceTaintRule', name: 'a.b' }, 'a.b'],
    [{ kind: 'PacedTaintRule', name: 'a.b' }, 'PacedTaintRule/a.b'],
  ] as const)('the rule %o has the reference %s, which is parsed back to it', (named, ref) => {
    expect(ruleRef(named)).toBe(ref);
    expect(parseRuleRef(ref)).toEqual(named);
  });

  it('the origin of a reason has the reference of its rule and a text with its kind', () => {
    const native = { kind: 'Rule', name: 'a', uid: 'u', generation: 1 } as const;
    expect([refOf(native), describeOrigin(native)]).toEqual(['a', 'DeviceTaintRule a']);
    const paced = { ...native, ruleKind: 'PacedTaintRule' } as const;
    expect([refOf(paced), describeOrigin(paced)]).toEqual(['PacedTaintRule/a', 'PacedTaintRule a']);
    const slice = { kind: 'Slice', name: 's', index: 0 } as const;
    expect([refOf(slice), describeOrigin(slice)]).toEqual([undefined, 'ResourceSlice s']);
  });

  it('a native rule has one limiter, a PacedTaintRule one for each taint', () => {
    expect(ruleLimiter(rule({ uid: 'u' }))).toBe('rule|u');
    expect(taintRulesOf(pacedRule({ uid: 'u', taints: [bad, other] })).map(ruleLimiter)).toEqual([
      'rule|u|example.com/bad|NoExecute',
      'rule|u|example.com/other|NoExecute',
    ]);
  });
});

describe('the time since which a taint evicts', () => {
  const native = (effect: string) => rule({ taint: taint({ key: 'k', effect }) });
  const two = pacedRule({
    taints: [
      { key: 'a', effect: 'NoExecute' },
      { key: 'b', effect: 'None' },
    ],
  });

  it.each([
    ['is now for a native rule with NoExecute', native('NoExecute'), undefined, { k: 7 }],
    ['is not kept for a native rule with None', native('None'), undefined, {}],
    ['is the first one', native('NoExecute'), { k: 3 }, { k: 3 }],
    ['is now when only another key is known', native('NoExecute'), { other: 3 }, { k: 7 }],
    ['is kept only for the NoExecute taints of a PacedTaintRule', two, { a: 3, b: 4 }, { a: 3 }],
  ])('the time since which a taint evicts %s', (_, of, known, expected) => {
    expect(actsSinceAfter(of, known, 7)).toEqual(expected);
  });

  it.each([
    ['a native rule with NoExecute', { ...native('NoExecute'), actsSince: { k: 3 } }, [3]],
    ['not a native rule with None', { ...native('None'), actsSince: { k: 3 } }, [undefined]],
    ['not a rule without such a time', native('NoExecute'), [undefined]],
    ['only the taint of its key', { ...two, actsSince: { a: 3, b: 4 } }, [3, undefined]],
  ])('a taint that evicts has the time since which it does: %s', (_, of, expected) => {
    const taints = taintRulesOf(of);
    expect(taints.map(({ actingSince }) => actingSince)).toEqual(expected);
    expect(taints.filter((one) => 'actingSince' in one)).toHaveLength(expected.filter(Boolean).length);
    expect(taints.some((one) => 'actsSince' in one)).toBe(false);
  });
});
