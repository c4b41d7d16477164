// A PacedTaintRule taken apart, and the times from which its taints count.
import { describe, expect, it } from 'vitest';
import { actsSinceAfter, effectOf, seenTaints, taintRulesOf } from '../../lib/decide/ruleTaints.ts';
import { parseRuleRef, ruleLimiter, ruleRef } from '../../lib/model/rule.ts';
import { describeOrigin, refOf } from '../../lib/model/verdict.ts';
import { rule, t0, taint } from '../support/builders.ts';
import { pacedRule } from '../support/pacedBuilders.ts';

const bad = { key: 'example.com/bad', effect: 'NoExecute' };
const other = { key: 'example.com/other', effect: 'NoExecute' };

describe('the taints of a rule', () => {
  it('are the native one itself', () => {
    const native = rule();
    expect(taintRulesOf(native)).toEqual([native]);
  });

  it('are one for each of a PacedTaintRule, with all else that the rule says', () => {
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

  it("have the time that was written down for key, effect and the spec's time", () => {
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

  it('have the expressions of the class that the selector names', () => {
    const classes = new Map([['c', ['x']]]);
    const of = (deviceSelector: object) => taintRulesOf(pacedRule({ deviceSelector }), classes)[0]?.deviceClass;
    expect(of({ deviceClassName: 'c' })).toEqual(['x']);
    expect(of({ deviceClassName: 'd' })).toBeUndefined();
    expect(of({})).toBeUndefined();
    const { deviceSelector: _, ...none } = pacedRule();
    expect(taintRulesOf(none, classes)[0]).not.toHaveProperty('deviceClass');
  });
});

describe('the time that is written down', () => {
  it.each<[string, object, readonly object[], object]>([
    ['is now at the first sight of a taint without one', {}, [], { ...bad, timeAdded: t0 }],
    ['stays', {}, [{ ...bad, timeAdded: 7 }], { ...bad, timeAdded: 7 }],
    ['is that of the spec', { timeAdded: 7 }, [], { ...bad, timeAdded: 7, specTimeAdded: 7 }],
    [
      'stays with that of the spec',
      { timeAdded: 7 },
      [{ ...bad, timeAdded: 9, specTimeAdded: 7 }],
      { ...bad, timeAdded: 9, specTimeAdded: 7 },
    ],
    [
      "follows an edit of the spec's time",
      { timeAdded: 8 },
      [{ ...bad, timeAdded: 7, specTimeAdded: 7 }],
      { ...bad, timeAdded: 8, specTimeAdded: 8 },
    ],
    [
      'is now where the effect changed and the time did not',
      { timeAdded: 7 },
      [{ ...bad, effect: 'None', timeAdded: 7, specTimeAdded: 7 }],
      { ...bad, timeAdded: t0, specTimeAdded: 7 },
    ],
    [
      "is the spec's where both changed",
      { timeAdded: 8 },
      [{ ...bad, effect: 'None', timeAdded: 7, specTimeAdded: 7 }],
      { ...bad, timeAdded: 8, specTimeAdded: 8 },
    ],
    [
      "is the spec's where another key had the time",
      { timeAdded: 7 },
      [{ ...other, effect: 'None', timeAdded: 7, specTimeAdded: 7 }],
      { ...bad, timeAdded: 7, specTimeAdded: 7 },
    ],
    [
      'is now where the effect changed and no time was given',
      {},
      [{ ...bad, effect: 'None', timeAdded: 7 }],
      { ...bad, timeAdded: t0 },
    ],
  ])('the time at which a taint was added is written down once: %s', (_, taint, seen, wanted) => {
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

  it('of a native rule is that of its taint', () => {
    expect(effectOf(rule({ taint: { key: 'k', effect: 'NoSchedule' } }))).toBe('NoSchedule');
  });
});

describe('the name of a rule among all kinds', () => {
  it.each([
    [{ kind: 'DeviceTaintRule', name: 'a.b' }, 'a.b'],
    [{ kind: 'PacedTaintRule', name: 'a.b' }, 'PacedTaintRule/a.b'],
  ] as const)('%o is %s, both ways', (named, ref) => {
    expect(ruleRef(named)).toBe(ref);
    expect(parseRuleRef(ref)).toEqual(named);
  });

  it('is that of an origin, too, and people read its kind', () => {
    const native = { kind: 'Rule', name: 'a', uid: 'u', generation: 1 } as const;
    expect([refOf(native), describeOrigin(native)]).toEqual(['a', 'DeviceTaintRule a']);
    const paced = { ...native, ruleKind: 'PacedTaintRule' } as const;
    expect([refOf(paced), describeOrigin(paced)]).toEqual(['PacedTaintRule/a', 'PacedTaintRule a']);
    const slice = { kind: 'Slice', name: 's', index: 0 } as const;
    expect([refOf(slice), describeOrigin(slice)]).toEqual([undefined, 'ResourceSlice s']);
  });

  it('is not its bucket: a PacedTaintRule has one for each taint', () => {
    expect(ruleLimiter(rule({ uid: 'u' }))).toBe('rule|u');
    expect(taintRulesOf(pacedRule({ uid: 'u', taints: [bad, other] })).map(ruleLimiter)).toEqual([
      'rule|u|example.com/bad|NoExecute',
      'rule|u|example.com/other|NoExecute',
    ]);
  });
});

describe('since when a taint evicts', () => {
  const native = (effect: string) => rule({ taint: taint({ key: 'k', effect }) });
  const two = pacedRule({
    taints: [
      { key: 'a', effect: 'NoExecute' },
      { key: 'b', effect: 'None' },
    ],
  });

  it.each([
    ['of a native rule that evicts is remembered', native('NoExecute'), undefined, { k: 7 }],
    ['of one that does not is not', native('None'), undefined, {}],
    ['keeps the first moment', native('NoExecute'), { k: 3 }, { k: 3 }],
    ['of another key is none', native('NoExecute'), { other: 3 }, { k: 7 }],
    ['is remembered of the evicting taints of a PacedTaintRule alone', two, { a: 3, b: 4 }, { a: 3 }],
  ])('a taint evicts from the time on that is known of it: %s', (_, of, known, expected) => {
    expect(actsSinceAfter(of, known, 7)).toEqual(expected);
  });

  it.each([
    ['goes with a native rule', { ...native('NoExecute'), actsSince: { k: 3 } }, [3]],
    ['not while it does not evict', { ...native('None'), actsSince: { k: 3 } }, [undefined]],
    ['not where it is not remembered', native('NoExecute'), [undefined]],
    ['goes with the taint of its key', { ...two, actsSince: { a: 3, b: 4 } }, [3, undefined]],
  ])('the time from which a taint evicts depends on its effect: %s', (_, of, expected) => {
    const taints = taintRulesOf(of);
    expect(taints.map(({ actingSince }) => actingSince)).toEqual(expected);
    expect(taints.filter((one) => 'actingSince' in one)).toHaveLength(expected.filter(Boolean).length);
    expect(taints.some((one) => 'actsSince' in one)).toBe(false);
  });
});
