// Which rules need an approval, which plan an approval is for, and how many pods it covers.
import { describe, expect, it } from 'vitest';
import { approvalNeed, awaitingApproval, covers } from '../../lib/decide/approval.ts';
import { approveAnnotation, awaitsApproval } from '../../lib/model/hold.ts';
import { defaultSettings, upstreamSettings } from '../../lib/model/snapshot.ts';
import { rule, taint } from '../support/builders.ts';

const offer = (pods: number, generation = 1) => ({ digest: 'd', generation, pods });

describe('the need for an approval', () => {
  it.each<[string, ReturnType<typeof rule>, boolean]>([
    ['an empty selector', rule({ deviceSelector: {} }), true],
    ['a selector with a driver', rule({ deviceSelector: { driver: 'd' } }), false],
    ['a selector with a pool', rule({ deviceSelector: { pool: 'p' } }), false],
    ['a selector with a device', rule({ deviceSelector: { device: 'd' } }), false],
    [
      'an empty selector with effect NoSchedule',
      rule({ deviceSelector: {}, taint: taint({ effect: 'NoSchedule' }) }),
      false,
    ],
  ])('only an empty selector with effect NoExecute needs an approval by default: %s', (_, one, needed) => {
    expect(approvalNeed(one, defaultSettings) !== undefined).toBe(needed);
    expect(approvalNeed(one, upstreamSettings)).toBeUndefined();
  });

  it('a rule without a selector needs no approval because it selects no device', () => {
    const { deviceSelector: _, ...without } = rule();
    expect(approvalNeed(without, defaultSettings)).toBeUndefined();
  });
});

describe('the reach of an approval', () => {
  it.each([
    ['as many pods as were planned', offer(100), 100, true],
    ['fewer pods than were planned', offer(100), 3, true],
    ['a tenth more', offer(100), 110, true],
    ['not more than a tenth', offer(100), 111, false],
    ['not one more when fewer than ten were planned', offer(9), 10, false],
    ['no pod when none was planned', offer(0), 1, false],
    ['no plan of another generation', offer(100, 2), 100, false],
    ['no plan that was never offered', undefined, 0, false],
  ])('an approval covers what was planned and a tenth more: %s', (_, given, matched, covered) => {
    expect(covers(given, { generation: 1 }, matched)).toBe(covered);
  });
});

describe('the message of a rule that awaits approval', () => {
  const matched = { waiting: 20, namespaces: 3, evicted: 4 };
  const reach = 'An empty selector reaches every device: 20 pods in 3 namespaces would be evicted.';
  const how = ' To evict them: kubectl annotate --overwrite devicetaintrule rule sluice.dev/approve=0123456789ab';

  it('the message gives the number of pods and namespaces and the command to approve', () => {
    expect(
      awaitingApproval(rule(), { need: 'EmptySelector', matched, digest: '0123456789ab', approved: undefined }),
    ).toEqual({
      reason: 'AwaitingApproval',
      message: `${reach}${how}`,
    });
    expect(how).toContain(`${approveAnnotation}=`);
  });

  it('the message of a plan that grew gives the approved and the current number of pods, evicted ones included', () => {
    expect(
      awaitingApproval(rule(), { need: 'EmptySelector', matched, digest: '0123456789ab', approved: offer(20) }),
    ).toEqual({
      reason: 'PlanGrew',
      message: `${reach} Approved were 20 pods, 24 match now.${how}`,
    });
  });
});

describe('an invalid approval', () => {
  const matched = { waiting: 20, namespaces: 3, evicted: 4 };
  const of = (by: object) =>
    awaitingApproval(rule({ generation: 3 }), {
      need: 'EmptySelector',
      matched,
      digest: '0123456789ab',
      approved: undefined,
      ...by,
    }).message;

  it('an approval that matches no offered plan is named in the message', () => {
    expect(of({ given: 'abc' })).toContain(
      'would be evicted. sluice.dev/approve=abc does not match any plan offered for this rule. To evict them:',
    );
    expect(of({})).toContain('would be evicted. To evict them:');
  });

  it('an approval of an earlier generation is reported as outdated', () => {
    const approved = { digest: 'x', generation: 2, pods: 20 };
    expect(of({ approved, given: 'x' })).toContain(
      ' The approval is outdated: it is of generation 2 of the rule, which is of 3 now. To evict them:',
    );
  });
});

it.each([
  ['AwaitingApproval', true],
  ['PlanGrew', true],
  ['OverLimits', true],
  ['PolicyGone', true],
  ['Paused', false],
  ['ObserverInDoubt', false],
] as const)('an approval ends a hold with the reason %s: %s', (reason, ends) => {
  expect(awaitsApproval({ reason })).toBe(ends);
  expect(awaitsApproval(undefined)).toBe(false);
});
