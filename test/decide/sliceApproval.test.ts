// Approvals that a policy requires before taints in slices evict, and the texts about them.
import { describe, expect, it } from 'vitest';
import {
  type HeldSlice,
  isSliceUnmet,
  policiesCounting,
  policyHeld,
  sliceApprovalNeed,
  sliceOfferId,
  slicesWaiting,
} from '../../lib/decide/sliceApproval.ts';
import { evictionPolicy, taintRule } from '../support/pacedBuilders.ts';

const limiter = 'slice|d|k||NoExecute';
const matched = { waiting: 4, evicted: 2, namespaces: 3 };
const held = (more: Partial<HeldSlice> = {}): HeldSlice => ({
  limiter,
  need: 'Limits',
  matched,
  digest: 'a',
  outgrown: undefined,
  ...more,
});

describe('the need of a slice taint for an approval', () => {
  it.each([
    [undefined, undefined, false],
    [{}, undefined, false],
    [{ approval: 'Required' }, 'Policy', true],
    [{ limits: { maxPods: 5 } }, 'Limits', true],
    [{ limits: { maxPods: 6 } }, 'Limits', false],
    [{ limits: { maxNamespaces: 2 } }, 'Limits', true],
    [{ limits: { maxPercent: 50 } }, 'Limits', true],
    [{ limits: { maxPerNode: { count: 1 } } }, undefined, false],
    [{ approval: 'Required', limits: { maxPods: 6 } }, 'Policy', true],
  ] as const)('a slice taint under %o has the need %s, still unmet: %s', (said, need, unmet) => {
    const policy = said && evictionPolicy(said);
    expect(sliceApprovalNeed(policy)).toBe(need);
    if (policy) expect(isSliceUnmet(policy, matched)).toBe(unmet);
  });

  it('an offer for a slice taint has the UID of its policy in its name', () => {
    expect(sliceOfferId({ uid: 'u' }, limiter)).toBe(`u|${limiter}`);
  });
});

describe('the hold of a policy for taints in slices', () => {
  const policy = evictionPolicy({ limits: { maxPods: 5 } });

  it('a policy without a held slice taint has no hold', () => {
    expect(slicesWaiting(policy, [])).toBeUndefined();
    expect(policyHeld(policy, { parts: [undefined], kept: ['x'] })).toBeUndefined();
  });

  it('the hold of a policy gives the figures of a slice taint and the approval command', () => {
    expect(policyHeld(policy, { parts: [slicesWaiting(policy, [held()])], kept: ['x', 'a'] })).toEqual({
      reason: 'OverLimits',
      message:
        'k:NoExecute of d: Over the limits of EvictionPolicy policy (maxPods 5, 2 pods evicted): 4 pods in 3 namespaces would be evicted. To evict the pods: kubectl annotate --overwrite evictionpolicy policy sluice.dev/approve=x,a',
    });
  });

  it('the hold of a policy gives the approved and the current number of pods when a plan grew', () => {
    const outgrown = { digest: 'o', generation: 1, pods: 3 };
    const said = slicesWaiting(policy, [held({ need: 'Policy', outgrown })]);
    expect(said?.reason).toBe('PlanGrew');
    expect(said?.text).toBe(
      'k:NoExecute of d: EvictionPolicy policy asks for an approval: 4 pods in 3 namespaces would be evicted. Approved were 3 pods, 6 match now.',
    );
    expect(slicesWaiting(policy, [held({ need: 'Policy' })])?.reason).toBe('AwaitingApproval');
  });

  it('the hold of a policy names five slice taints at most and only their digests', () => {
    const many = Array.from({ length: 7 }, (_, i) => held({ digest: `x${i}` }));
    const said = slicesWaiting(policy, many);
    expect(said?.text).toContain('would be evicted. k:NoExecute of d');
    expect(said?.text.endsWith(' And 2 more taints.')).toBe(true);
    expect(said?.digests).toEqual(['x0', 'x1', 'x2', 'x3', 'x4']);
    expect(slicesWaiting(policy, many.slice(0, 5))?.text).not.toContain('more taints');
  });

  it('the hold of a policy names waves before slice taints and approves both with one command', () => {
    const wave = { reason: 'ObserverInDoubt', text: 'A wave.', digests: ['w'] } as const;
    const said = policyHeld(policy, { parts: [wave, slicesWaiting(policy, [held()])], kept: [] });
    expect(said?.reason).toBe('ObserverInDoubt');
    expect(said?.message).toMatch(/^A wave\. k:NoExecute of d: Over .* sluice\.dev\/approve=w,a$/);
  });
});

it('only policies that count the pods of taints in slices are reported, each once', () => {
  const policies = [
    evictionPolicy({ name: 'a', taints: { keys: ['k'] }, limits: { maxPods: 1 } }),
    evictionPolicy({ name: 'b', taints: { keys: ['l'] } }),
  ];
  const ledger = (...limiters: readonly string[]) => ({
    listings: limiters.map((one) => ({ limiter: one, dueAt: 0 })),
  });
  const ledgers = [ledger(limiter, 'slice|d|l||NoExecute', 'rule|u'), undefined, ledger('slice|e|k||NoExecute')];
  expect([...policiesCounting(ledgers, { rules: [], policies })]).toEqual(['EvictionPolicy/a']);
  const rules = [taintRule({ policy: evictionPolicy({ name: 'a', limits: { maxPods: 1 } }) })];
  expect(policiesCounting([ledger('rule|paced-uid|example.com/bad|NoExecute')], { rules, policies }).size).toBe(0);
  expect(policiesCounting([ledger('slice|d|nobodys||NoExecute')], { rules: [], policies }).size).toBe(0);
});
