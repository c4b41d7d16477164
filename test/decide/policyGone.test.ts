// What remains of a deleted policy: the limiters that it held, the need for an approval, and the Event.
import { describe, expect, it } from 'vitest';
import { approvalNeed, awaitingApproval, covers } from '../../lib/decide/approval.ts';
import { policyFor, withPolicy } from '../../lib/decide/policy.ts';
import { desertedKeyOf, ghostOf, policyGoneEvent, policyGoneFor } from '../../lib/decide/policyGone.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { defaultSettings } from '../../lib/model/snapshot.ts';
import { rule } from '../support/builders.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';

const slice = 'slice|gpu.example.com|example.com/ecc||NoExecute';
const one = rule();
const said = evictionPolicy({ paused: true, evictionsPerSecond: 1, deserted: [slice, 'rule|rule-uid@1'] });
const left = [{ ...evictionPolicy(), deserted: [slice, 'rule|rule-uid@1'], isGone: true as const }];

describe('a deleted policy', () => {
  it('a deleted policy selects nothing and keeps only the limiters that it held', () => {
    expect(ghostOf(said)).toEqual(left[0]);
    expect(said.deserted).toContain(desertedKeyOf(one));
    expect(policyFor({ key: 'k', driver: undefined, source: 'DeviceTaintRule' }, left)).toBeUndefined();
    expect(ghostOf(evictionPolicy())).toBeUndefined();
    expect(ghostOf(evictionPolicy({ deserted: [] }))).toBeUndefined();
  });

  it('a deleted policy holds a rule only in the generation that it held', () => {
    expect(withPolicy(one, left)).toEqual({ ...one, policyGone: 'policy' });
    const edited = { ...one, generation: one.generation + 1 };
    expect(withPolicy(edited, left)).toBe(edited);
  });

  it('a deleted policy gives way to any existing policy', () => {
    const other = evictionPolicy({ name: 'other' });
    expect(withPolicy(one, [...left, other])).toEqual({ ...one, policy: other });
    expect(rateOf(slice, { rules: [], policies: [...left, other] }, 0)).toEqual({ perSecond: 10, burst: 10 });
  });

  it('a deleted policy holds the slice taint that it held, and no other', () => {
    expect(rateOf(slice, { rules: [], policies: left }, 0)).toEqual({ perSecond: 0, burst: 0 });
    expect(rateOf(`${slice}x`, { rules: [], policies: left }, 0)).toEqual({ perSecond: 10, burst: 10 });
    expect(policyGoneFor(`${slice}x`, left)).toBeUndefined();
    expect(policyGoneFor(slice, [evictionPolicy({ name: 'living' }), ...left])).toBe('policy');
  });
});

describe('the need for an approval after a policy was deleted', () => {
  const gone = { ...one, policyGone: 'policy' };
  const offer = { digest: 'd', generation: one.generation, pods: 10 };
  const matched = { waiting: 10, namespaces: 1, evicted: 0 };

  it('the need PolicyGone takes precedence over an empty selector', () => {
    expect(approvalNeed({ ...gone, deviceSelector: {} }, defaultSettings)).toBe('PolicyGone');
    expect(approvalNeed(one, defaultSettings)).toBeUndefined();
  });

  it.each([
    ['by an approval given without that policy', { ...offer, without: ['a', 'policy'] }, 10, true],
    ['not by one given without another policy', { ...offer, without: ['other'] }, 10, false],
    ['not by one given before the deletion', offer, 10, false],
    ['not when many more pods match', { ...offer, without: ['policy'] }, 12, false],
    ['not by one of another generation', { ...offer, generation: 9, without: ['policy'] }, 10, false],
  ])('the need for an approval after a policy was deleted is met %s', (_, approved, pods, met) => {
    expect(covers(approved, gone, pods)).toBe(met);
  });

  it('the reason is PolicyGone until a plan that was approved without the policy grows', () => {
    const by = { need: 'PolicyGone', matched, digest: 'd', approved: offer } as const;
    expect(awaitingApproval(gone, by).reason).toBe('PolicyGone');
    expect(awaitingApproval(gone, by).message).toMatch(
      /^EvictionPolicy policy was deleted while pods waited under it, and no other is for the taint: 10 pods .* The approval is outdated: it was given while the policy was there\. To evict them/,
    );
    const grown = { ...by, approved: { ...offer, pods: 1, without: ['policy'] } };
    expect(awaitingApproval(gone, grown).reason).toBe('PlanGrew');
    expect(awaitingApproval(gone, grown).message).toContain('Approved were 1 pods, 10 match now');
  });
});

describe('the Event of a deleted policy', () => {
  const event = (deserted: readonly string[]) => policyGoneEvent({ name: 'policy', uid: 'u', deserted }, 7);

  it('the Event of a deleted policy names each slice taint that it held once', () => {
    expect(event([`${slice}|1/2`, slice])).toEqual({
      name: 'policy.gone-u',
      regarding: { kind: 'EvictionPolicy', name: 'policy', uid: 'u' },
      type: 'Warning',
      reason: 'PolicyGone',
      message:
        'It was deleted while pods waited under it for taints in slices: example.com/ecc:NoExecute of gpu.example.com. They stay: apply a policy that selects these taints, or lift the taints.',
      at: 7,
    });
  });

  it('the Event of a deleted policy names five taints at most', () => {
    const many = Array.from({ length: 6 }, (_, i) => `slice|d|k${i}||NoExecute`);
    expect(event(many)?.message).toContain('k3:NoExecute of d, k4:NoExecute of d and 1 more.');
    expect(event(many.slice(0, 5))?.message).toContain('k4:NoExecute of d. They');
  });

  it('the Event of a deleted policy has a name that the API server accepts, however long its policy name is', () => {
    const long = policyGoneEvent({ name: 'n'.repeat(253), uid: 'u'.repeat(99), deserted: [slice] }, 7);
    expect(long?.name).toBe(`${'n'.repeat(200)}.gone-${'u'.repeat(36)}`);
  });

  it('a deleted policy that held only rules has no Event, because their conditions report it', () => {
    expect(event(['rule|u@1'])).toBeUndefined();
    expect(policyGoneEvent({ name: 'policy', uid: 'u' }, 7)).toBeUndefined();
  });
});
