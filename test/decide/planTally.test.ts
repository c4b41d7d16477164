// A plan that is counted page by page has the same figures as one of all pods.
import { describe, expect, it } from 'vitest';
import type { Found } from '../../lib/decide/livePlan.ts';
import { nothingPlanned, type PlanTally, summaryOf, tallyPlan } from '../../lib/decide/planTally.ts';
import type { BudgetedPod, PlannedDevice } from '../../lib/model/plan.ts';
import { ruleLimiter } from '../../lib/model/rule.ts';
import { driver, pool, rule, t0 } from '../support/builders.ts';

const paced = (perSecond: string) =>
  rule({ annotations: { 'sluice.dev/evictions-per-second': perSecond, 'sluice.dev/burst': '1' } });
const limiter = ruleLimiter(paced('1'));

interface Going {
  readonly name: string;
  readonly tolerated?: number;
  readonly order?: string;
  readonly devices?: readonly PlannedDevice[];
  readonly paused?: true;
  readonly namespace?: string;
}

function going({
  name,
  tolerated = 0,
  order = '1',
  devices = [],
  namespace = 'default',
  ...paused
}: Going): Found & { readonly budgeted: BudgetedPod } {
  const planned = {
    pod: { namespace, name, uid: name },
    node: 'node-1',
    claims: [{ name: 'claim', devices }],
    tolerated,
    order,
    ...paused,
  };
  const budgeted = { ...planned, headroom: { kind: 'None' as const } };
  return { kind: 'Planned', planned, budgeted, listings: [{ limiter, dueAt: t0 + tolerated }] };
}

const counted = (...pages: readonly (readonly Going[])[]): PlanTally =>
  pages.reduce((tally, page) => tallyPlan(tally, { found: page.map(going), undecided: 0 }), nothingPlanned);
const takes = (tally: PlanTally, perSecond = '1') =>
  summaryOf(tally, { taints: [paced(perSecond)], free: [], now: t0 }).takes;

describe('a plan that is counted page by page', () => {
  const names = Array.from({ length: 12 }, (_, i) => `pod-${String(i).padStart(2, '0')}`);

  it('a plan shows the ten pods that are evicted first, whatever page they are on', () => {
    const [last, first] = [names.slice(6).reverse(), names.slice(0, 6)].map((some) => some.map((name) => ({ name })));
    expect(counted(last ?? [], first ?? []).first.map(({ pod }) => pod.name)).toEqual(names.slice(0, 10));
  });

  it('a plan keeps one device of each driver and class over all pages', () => {
    const of = (device: string, deviceClassName?: string) =>
      ({ driver, pool, device, ...(deviceClassName === undefined ? {} : { deviceClassName }) }) as const;
    const tally = counted(
      [{ name: 'a', devices: [of('1', 'large')] }],
      [{ name: 'b', devices: [of('2', 'large'), of('3', 'small')] }],
      [{ name: 'c', devices: [of('4')] }],
    );
    expect([...tally.devices.values()].map(({ deviceClassName }) => deviceClassName)).toEqual([
      'large',
      'small',
      undefined,
    ]);
  });

  it('a plan counts pods that are due together as one entry and keeps the first of them', () => {
    const alike = (...order: readonly string[]) => {
      const { alike: found } = counted(...order.map((one) => [{ name: `pod-${one}`, order: one }]));
      return [...found.values()].map(({ one, pods }) => [one.planned.pod.name, pods]);
    };
    expect(alike('1', '2', '3')).toEqual([['pod-1', 3]]);
    expect(alike('3', '1', '2')).toEqual([['pod-1', 3]]);
  });

  it('a plan counts pods that are due at different times separately', () => {
    const { alike } = counted([{ name: 'a' }, { name: 'b' }, { name: 'c', tolerated: 5000 }]);
    expect([...alike.values()].map(({ pods }) => pods)).toEqual([2, 1]);
  });

  it('a plan counts the pods of paused namespaces on all pages, and has no such figure without one', () => {
    const paused = true as const;
    const tally = counted([{ name: 'a', paused }, { name: 'b' }], [{ name: 'c', paused }]);
    const summary = (of: PlanTally) => summaryOf(of, { taints: [paced('1')], free: [], now: t0 });
    expect(summary(tally)).toMatchObject({ pods: 3, paused: 2 });
    expect(summary(counted([{ name: 'b' }]))).not.toHaveProperty('paused');
  });

  it('the time of a plan counts no pod of a paused namespace, and a plan of such pods alone says that none is evicted now', () => {
    const paused = true as const;
    const half = counted([{ name: 'a', paused }, { name: 'b' }], [{ name: 'c', paused }, { name: 'd' }]);
    const all = counted([{ name: 'a', paused }], [{ name: 'b', paused }]);
    expect(takes(half)).toBe(1000);
    const summary = (of: PlanTally) => summaryOf(of, { taints: [paced('1')], free: [], now: t0 });
    expect(summary(half)).not.toHaveProperty('held');
    expect(summary(all)).toMatchObject({ pods: 2, paused: 2, takes: 0, held: 'their namespaces are paused' });
  });

  it('a plan counts each namespace once, whatever page its pods are on', () => {
    const pages = counted([{ name: 'a' }, { name: 'b', namespace: 'other' }], [{ name: 'c' }]);
    expect([...pages.namespaces]).toEqual(['default', 'other']);
  });

  it('a plan takes one token for each pod', () => {
    expect(takes(counted([{ name: 'a' }], [{ name: 'b' }, { name: 'c' }]))).toBe(2000);
  });

  it('a plan takes as long whatever page the pods with the longest toleration are on', () => {
    const [soon, late] = [{ name: 'a' }, { name: 'b', tolerated: 10_000 }];
    expect(takes(counted([late], [soon]))).toBe(10_000);
    expect(takes(counted([soon], [late]))).toBe(10_000);
  });

  it('a plan has no duration when its rate is 0', () => {
    const summary = summaryOf(counted([{ name: 'a' }]), { taints: [paced('0')], free: [], now: t0 });
    expect(summary).not.toHaveProperty('takes');
    expect(summary).toMatchObject({ pods: 1, namespaces: 1, undecided: 0, beyondBudgets: 0, unbudgeted: 0 });
  });
});
