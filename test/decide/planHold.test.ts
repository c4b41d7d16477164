// What holds the pods of a plan, as a rule, its policy, a stop and a condition tell it.
import { describe, expect, it } from 'vitest';
import { approvalAhead, heldText, planHold, toldHold } from '../../lib/decide/planHold.ts';
import { rule, t0, taint } from '../support/builders.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';

const free = rule({ taint: taint() });
const paused = rule({ taint: taint(), annotations: { 'sluice.dev/paused': 'true' } });
const windows = [{ schedule: '0 22 * * *', duration: 3_600_000 }];
const outside = { ...free, policy: evictionPolicy({ name: 'night', windows }) };
const condition = (of: { type?: string; status?: 'True' | 'False'; reason?: string }) => ({
  type: 'sluice.dev/Held',
  status: 'True' as const,
  reason: 'Canary',
  message: 'Canary of EvictionPolicy a: 1 of 2 pods evicted.',
  observedGeneration: 1,
  lastTransitionTime: t0,
  ...of,
});

describe('the hold of a plan', () => {
  it('a plan is held while every taint of its rule is', () => {
    expect(planHold([paused, paused], { now: t0 })).toBe('Paused by sluice.dev/paused');
    expect(planHold([paused, free], { now: t0 })).toBe(undefined);
    expect(planHold([free, paused], { now: t0 })).toBe(undefined);
  });

  it('a plan outside the windows of its policy says when they open', () => {
    expect(planHold([outside], { now: t0 })).toMatch(/^Outside the windows of EvictionPolicy night: they open at .*Z$/);
  });

  it('a plan under a stop is held, whatever else holds it', () => {
    expect(planHold([paused], { now: t0, stopped: 'x' })).toBe('all evictions of the cluster are stopped');
    expect(heldText(undefined, { stopped: 'x', told: 'y.' })).toBe('all evictions of the cluster are stopped');
  });

  it('a hold that only a condition tells is the hold of a plan that nothing else holds', () => {
    expect(planHold([free], { now: t0, told: 'Canary. Of a.' })).toBe('Canary. Of a');
    expect(planHold([paused], { now: t0, told: 'Canary of a.' })).toBe('Paused by sluice.dev/paused');
  });
});

describe('the hold that a condition tells', () => {
  it.each(['Canary', 'ObserverInDoubt'])('a condition Held with reason %s tells its message', (reason) => {
    expect(toldHold([condition({ type: 'Other' }), condition({ reason })])).toBe(condition({}).message);
  });

  it.each([
    ['of another type', condition({ type: 'sluice.dev/Pacing' })],
    ['that is not True', condition({ status: 'False' })],
    ['that the rule itself shows', condition({ reason: 'OutsideWindow' })],
  ])('a condition %s tells no hold', (_, one) => expect(toldHold([one])).toBe(undefined));

  it('a condition that asks for an approval tells that the rule waits for one', () => {
    expect(toldHold([condition({ reason: 'OverLimits' })])).toBe('it waits for an approval');
  });
});

describe('the approval of a rule that has no condition yet', () => {
  const settings = { holdEmptySelector: true };
  const matched = { waiting: 3, namespaces: 2 };
  const under = (more: Parameters<typeof evictionPolicy>[0]) => ({ ...free, policy: evictionPolicy(more) });
  const everything = rule({ taint: taint(), deviceSelector: {} });
  it.each([
    ['whose policy asks for one waits for it', [under({ approval: 'Required' })], true],
    ['with one taint of several whose policy asks for one waits for it', [free, under({ approval: 'Required' })], true],
    ['with an empty selector waits for it', [everything], true],
    ['with more pods than its limits allow waits for it', [under({ limits: { maxPods: 2 } })], true],
    ['with more namespaces than its limits allow waits for it', [under({ limits: { maxNamespaces: 1 } })], true],
    ['within its limits does not wait', [under({ limits: { maxPods: 3, maxNamespaces: 2 } })], false],
    ['with a limit in percent alone is not judged', [under({ limits: { maxPercent: 1 } })], false],
    ['without policy does not wait', [free], false],
  ] as const)('a rule without a condition: one %s', (_, taints, waits) => {
    expect(approvalAhead(taints, { settings, matched })).toBe(waits ? 'it waits for an approval' : undefined);
  });

  it('a rule with an empty selector does not wait when empty selectors are not held', () => {
    expect(approvalAhead([everything], { settings: { holdEmptySelector: false }, matched })).toBe(undefined);
  });
});
