// Transitions of the ledger of one pod.
import { describe, expect, it } from 'vitest';
import { epochsOf } from '../../lib/decide/epoch.ts';
import { type PlanInput, planLedger } from '../../lib/decide/plan.ts';
import type { EvictionState, Ledger } from '../../lib/model/eviction.ts';
import type { Reason, Verdict } from '../../lib/model/verdict.ts';
import { atSecond, driver, pod, pool, rule, t0, taint } from '../support/builders.ts';

const reason: Reason = {
  origin: { kind: 'Rule', name: 'rule', uid: 'u', generation: 1 },
  taint: taint(),
  device: { driver, pool, device: 'instance' },
  claim: { namespace: 'default', name: 'claim' },
  at: t0,
};
const evict: Verdict = { kind: 'EvictAt', at: t0, because: [reason] };
const keep: Verdict = { kind: 'Keep' };
const unknown: Verdict = { kind: 'Unknown', why: 'no time' };
const order = '2147483648.8200003599999';

function ledger(state: EvictionState, overrides: Partial<Ledger> = {}): Ledger {
  const isOpen = state === 'Pending' || state === 'Deleting';
  return {
    podUid: '1234',
    state,
    listings: isOpen ? [{ limiter: 'rule|u', dueAt: t0 }] : [],
    because: [reason],
    order,
    ...overrides,
  };
}

function plan(input: Partial<PlanInput>) {
  return planLedger({
    pod: pod(),
    gone: false,
    verdict: evict,
    ledger: undefined,
    ruleSet: { rules: [] },
    now: t0,
    ...input,
  });
}

const pending = { kind: 'List', ledger: ledger('Pending') };
const unchanged = { kind: 'Unchanged' };

describe('a pod to be evicted', () => {
  it.each([
    ['is listed when it has no ledger', undefined, pending],
    ['is unchanged when pending', ledger('Pending'), unchanged],
    ['is listed again after a cancellation', ledger('Cancelled'), pending],
    ['is listed under its own UID after another pod of its name', ledger('Evicted', { podUid: 'x' }), pending],
    [
      'is listed again when its listings change',
      ledger('Pending', { listings: [{ limiter: 'rule|u', dueAt: 5 }] }),
      pending,
    ],
    ['is listed again when its reasons change', ledger('Pending', { because: [] }), pending],
    ['is listed again when its order changes', ledger('Pending', { order: '1' }), pending],
    ['is left to the evictor while deleting', ledger('Deleting', { leaseUntil: 5 }), unchanged],
    ['is unchanged once evicted', ledger('Evicted'), unchanged],
    ['is unchanged once gone', ledger('Gone'), unchanged],
  ])('a pod to be evicted %s', (_, before, expected) => {
    expect(plan({ ledger: before })).toEqual(expected);
  });

  const later = [{ limiter: 'rule|u', dueAt: atSecond(60) }];
  it.each<[string, Ledger, object]>([
    [
      'is listed for later while its disruption budgets block it',
      ledger('Pending', { blocked: { until: atSecond(60), times: 1 } }),
      { kind: 'List', ledger: ledger('Pending', { listings: later, blocked: { until: atSecond(60), times: 1 } }) },
    ],
    [
      'is listed for later after the API server failed to evict it',
      ledger('Pending', { failed: { until: atSecond(60), times: 2 } }),
      { kind: 'List', ledger: ledger('Pending', { listings: later, failed: { until: atSecond(60), times: 2 } }) },
    ],
    ['is unchanged once that time is over', ledger('Pending', { blocked: { until: t0 - 1, times: 1 } }), unchanged],
    ['keeps the time of its record', ledger('Pending', { openedAt: t0 - 5 }), unchanged],
    ['drops that time after a cancellation', ledger('Cancelled', { openedAt: t0 - 5 }), pending],
    [
      'drops the block after a cancellation',
      ledger('Cancelled', { blocked: { until: atSecond(60), times: 1 } }),
      pending,
    ],
  ])('a pod to be evicted that has a ledger %s', (_, before, expected) => {
    expect(plan({ ledger: before })).toEqual(expected);
  });

  it('a ledger is unchanged when the table returns its members in another order', () => {
    const { podUid, state, ...rest } = ledger('Pending');
    expect(plan({ ledger: { ...rest, state, podUid } })).toEqual(unchanged);
  });
});

describe.each([
  ['to be kept', keep],
  ['that cannot be decided', unknown],
])('a pod %s', (_, verdict) => {
  it.each([
    ['needs no ledger', undefined, { kind: 'Keep' }],
    ['is cancelled when pending', ledger('Pending'), { kind: 'Cancel', ledger: ledger('Cancelled') }],
    ['stays cancelled', ledger('Cancelled'), unchanged],
    ['is not cancelled while deleting', ledger('Deleting'), unchanged],
    ['is not cancelled once evicted', ledger('Evicted'), unchanged],
    ['needs no ledger when another pod of its name had one', ledger('Pending', { podUid: 'x' }), { kind: 'Keep' }],
  ])('a pod that is kept or undecided %s', (_name, before, expected) => {
    expect(plan({ verdict, ledger: before })).toEqual(expected);
  });
});

describe.each<[string, Verdict]>([
  ['to be kept', { ...keep, isPassing: true }],
  ['that cannot be decided', { ...unknown, isPassing: true }],
])('a pod %s for now', (_, verdict) => {
  const untold = ledger('Cancelled', { untold: true });

  it.each([
    ['is cancelled without an Event when pending', verdict, ledger('Pending'), { kind: 'Cancel', ledger: untold }],
    ['stays cancelled without an Event', verdict, untold, unchanged],
    ['gets no second Event', verdict, ledger('Cancelled'), unchanged],
    ['gets its Event once it is kept for good', keep, untold, { kind: 'Cancel', ledger: ledger('Cancelled') }],
  ])('a pod that is kept for now %s', (_name, then, before, expected) => {
    expect(plan({ verdict: then, ledger: before })).toStrictEqual(expected);
  });
});

describe.each([
  ['that was deleted', { gone: true }],
  ['that is terminating', { pod: pod({ deletionTimestamp: t0 }) }],
])('a pod %s', (_, how) => {
  it.each([
    ['needs no ledger', undefined, { kind: 'Keep' }],
    ['is gone when pending', ledger('Pending'), { kind: 'Gone', ledger: ledger('Gone') }],
    ['is gone after a cancellation', ledger('Cancelled'), { kind: 'Gone', ledger: ledger('Gone') }],
    ['is left to the evictor while deleting', ledger('Deleting'), unchanged],
    ['stays evicted', ledger('Evicted'), unchanged],
    ['stays gone', ledger('Gone'), unchanged],
  ])('a pod that was deleted or is terminating %s', (_name, before, expected) => {
    expect(plan({ ...how, ledger: before })).toEqual(expected);
  });
});

it('the epoch of a rule is its generation, that of a slice taint is 0', () => {
  const epochOf = epochsOf([rule({ uid: 'u', generation: 7 })]);
  expect(epochOf('rule|u')).toBe(7);
  expect(epochOf('rule|x')).toBe(0);
  expect(epochOf('slice|d|k|v|NoExecute')).toBe(0);
});

describe('the mode of a pod in its ledger', () => {
  it('a pod whose mode cannot be read is listed with the problem', () => {
    const unreadable = plan({ pod: pod({ labels: { 'sluice.dev/eviction-mode': 'evict' } }) });
    expect(unreadable).toMatchObject({ kind: 'List', ledger: { problem: expect.stringContaining('"evict"') } });
  });

  it('a pod whose mode can be read has no problem', () => {
    const readable = plan({ pod: pod({ labels: { 'sluice.dev/eviction-mode': 'Evict' } }) });
    expect(readable.kind === 'List' && 'problem' in readable.ledger).toBe(false);
  });
});
