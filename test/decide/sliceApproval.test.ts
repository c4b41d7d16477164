// What a policy asks of people before taints in slices evict, and what it says of it.
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

describe('a taint in slices needs an approval', () => {
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
  ] as const)('under %o: %s, and has to have it: %s', (said, need, unmet) => {
    const policy = said && evictionPolicy(said);
    expect(sliceApprovalNeed(policy)).toBe(need);
    if (policy) expect(isSliceUnmet(policy, matched)).toBe(unmet);
  });

  it('from the policy that was asked, not from another of its name', () => {
    expect(sliceOfferId({ uid: 'u' }, limiter)).toBe(`u|${limiter}`);
  });
});

describe('a policy says of taints in slices', () => {
  const policy = evictionPolicy({ limits: { maxPods: 5 } });

  it('nothing where none waits', () => {
    expect(slicesWaiting(policy, [])).toBeUndefined();
    expect(policyHeld(policy, { parts: [undefined], kept: ['x'] })).toBeUndefined();
  });

  it('its figures, and the command', () => {
    expect(policyHeld(policy, { parts: [slicesWaiting(policy, [held()])], kept: ['x', 'a'] })).toEqual({
      reason: 'OverLimits',
      message:
        'k:NoExecute of d: Over the limits of EvictionPolicy policy (maxPods 5, 2 pods evicted): 4 pods in 3 namespaces would be evicted. To evict the pods: kubectl annotate --overwrite evictionpolicy policy sluice.dev/approve=x,a',
    });
  });

  it('what was approved and is too little now', () => {
    const outgrown = { digest: 'o', generation: 1, pods: 3 };
    const said = slicesWaiting(policy, [held({ need: 'Policy', outgrown })]);
    expect(said?.reason).toBe('PlanGrew');
    expect(said?.text).toBe(
      'k:NoExecute of d: EvictionPolicy policy asks for an approval: 4 pods in 3 namespaces would be evicted. Approved were 3 pods, 6 match now.',
    );
    expect(slicesWaiting(policy, [held({ need: 'Policy' })])?.reason).toBe('AwaitingApproval');
  });

  it('five of many, with the digests of these', () => {
    const many = Array.from({ length: 7 }, (_, i) => held({ digest: `x${i}` }));
    const said = slicesWaiting(policy, many);
    expect(said?.text).toContain('would be evicted. k:NoExecute of d');
    expect(said?.text.endsWith(' And 2 more taints.')).toBe(true);
    expect(said?.digests).toEqual(['x0', 'x1', 'x2', 'x3', 'x4']);
    expect(slicesWaiting(policy, many.slice(0, 5))?.text).not.toContain('more taints');
  });

  it('waves first, and both with one command', () => {
    const wave = { reason: 'ObserverInDoubt', text: 'A wave.', digests: ['w'] } as const;
    const said = policyHeld(policy, { parts: [wave, slicesWaiting(policy, [held()])], kept: [] });
    expect(said?.reason).toBe('ObserverInDoubt');
    expect(said?.message).toMatch(/^A wave\. k:NoExecute of d: Over .* sluice\.dev\/approve=w,a$/);
  });
});

it('policies that count pods of taints in slices are reported, each once, and no others', () => {
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
