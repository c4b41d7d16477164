// What holds the pods of a plan, as a rule, its policy, a stop and a condition tell it.
import { describe, expect, it } from 'vitest';
import { heldText, planHold, toldHold } from '../../lib/decide/planHold.ts';
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
    ['that asks for an approval', condition({ reason: 'AwaitingApproval' })],
    ['that the rule itself shows', condition({ reason: 'OutsideWindow' })],
  ])('a condition %s tells no hold', (_, one) => expect(toldHold([one])).toBe(undefined));
});
