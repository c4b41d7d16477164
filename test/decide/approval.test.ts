// Which rules need an approval, what an approval is of, and how far it reaches.
import { describe, expect, it } from 'vitest';
import { approvalNeed, awaitingApproval, covers } from '../../lib/decide/approval.ts';
import { approveAnnotation, awaitsApproval } from '../../lib/model/hold.ts';
import { defaultSettings, upstreamSettings } from '../../lib/model/snapshot.ts';
import { rule, taint } from '../support/builders.ts';

const offer = (pods: number, generation = 1) => ({ digest: 'd', generation, pods });

describe('a rule needs an approval', () => {
  it.each<[string, ReturnType<typeof rule>, boolean]>([
    ['if its selector is empty', rule({ deviceSelector: {} }), true],
    ['not if it names a driver', rule({ deviceSelector: { driver: 'd' } }), false],
    ['not if it names a pool', rule({ deviceSelector: { pool: 'p' } }), false],
    ['not if it names a device', rule({ deviceSelector: { device: 'd' } }), false],
    ['not if it evicts no pod', rule({ deviceSelector: {}, taint: taint({ effect: 'NoSchedule' }) }), false],
  ])('a rule needs an approval where its policy asks for one: %s', (_, one, needed) => {
    expect(approvalNeed(one, defaultSettings) !== undefined).toBe(needed);
    expect(approvalNeed(one, upstreamSettings)).toBeUndefined();
  });

  it('not without a selector, which reaches no pod', () => {
    const { deviceSelector: _, ...without } = rule();
    expect(approvalNeed(without, defaultSettings)).toBeUndefined();
  });
});

describe('an approval covers', () => {
  it.each([
    ['what was planned', offer(100), 100, true],
    ['less than was planned', offer(100), 3, true],
    ['a tenth more', offer(100), 110, true],
    ['no more than a tenth', offer(100), 111, false],
    ['nothing more where less than ten were planned', offer(9), 10, false],
    ['no pod where no pod was planned', offer(0), 1, false],
    ['nothing of another generation', offer(100, 2), 100, false],
    ['nothing that was never shown', undefined, 0, false],
  ])('an approval covers what was planned and a tenth more: %s', (_, given, matched, covered) => {
    expect(covers(given, { generation: 1 }, matched)).toBe(covered);
  });
});

describe('what a rule says while it waits', () => {
  const matched = { waiting: 20, namespaces: 3, evicted: 4 };
  const reach = 'An empty selector reaches every device: 20 pods in 3 namespaces would be evicted.';
  const how = ' To evict them: kubectl annotate --overwrite devicetaintrule rule sluice.dev/approve=0123456789ab';

  it('is how far it reaches, and the command that lets it', () => {
    expect(
      awaitingApproval(rule(), { need: 'EmptySelector', matched, digest: '0123456789ab', approved: undefined }),
    ).toEqual({
      reason: 'AwaitingApproval',
      message: `${reach}${how}`,
    });
    expect(how).toContain(`${approveAnnotation}=`);
  });

  it('is also how far the plan has grown since it was approved, evicted pods included', () => {
    expect(
      awaitingApproval(rule(), { need: 'EmptySelector', matched, digest: '0123456789ab', approved: offer(20) }),
    ).toEqual({
      reason: 'PlanGrew',
      message: `${reach} Approved were 20 pods, 24 match now.${how}`,
    });
  });
});

describe('an approval that does not count', () => {
  const matched = { waiting: 20, namespaces: 3, evicted: 4 };
  const of = (by: object) =>
    awaitingApproval(rule({ generation: 3 }), {
      need: 'EmptySelector',
      matched,
      digest: '0123456789ab',
      approved: undefined,
      ...by,
    }).message;

  it('was given for no plan that was offered', () => {
    expect(of({ given: 'abc' })).toContain(
      'would be evicted. sluice.dev/approve=abc does not match any plan offered for this rule. To evict them:',
    );
    expect(of({})).toContain('would be evicted. To evict them:');
  });

  it('is of an earlier generation', () => {
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
] as const)('an approval ends a hold because of %s: %s', (reason, ends) => {
  expect(awaitsApproval({ reason })).toBe(ends);
  expect(awaitsApproval(undefined)).toBe(false);
});
