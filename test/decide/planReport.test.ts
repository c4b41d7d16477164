// The budgets, figures and texts of a plan.
import { describe, expect, it } from 'vitest';
import { type NamespaceBudgets, planCondition, summarize, withBudgets } from '../../lib/decide/planReport.ts';
import type { BudgetedPod, DisruptionBudget, Headroom, PlannedPod, PlanSummary } from '../../lib/model/plan.ts';

function planned(name: string, namespace = 'ns'): PlannedPod {
  return { pod: { namespace, name, uid: name }, node: 'n', claims: [], tolerated: 0, order: '0' };
}

function budget(name: string, allowed: number, ...pods: string[]): DisruptionBudget {
  return { namespace: 'ns', name, allowed, pods };
}

const known = (...budgets: DisruptionBudget[]): NamespaceBudgets => ({ kind: 'Known', budgets });

describe('a pod’s headroom', () => {
  const of = (found: NamespaceBudgets | undefined, ...names: string[]): readonly Headroom[] =>
    withBudgets(
      names.map((name) => planned(name)),
      new Map(found ? [['ns', found]] : []),
    ).map(({ headroom }) => headroom);

  it.each<[string, NamespaceBudgets | undefined, Headroom]>([
    ['none when no budget selects the pod', known(budget('b', 1, 'other')), { kind: 'None' }],
    ['its budget', known(budget('b', 1, 'a')), { kind: 'Budget', name: 'b', allowed: 1 }],
    [
      'the tightest of several',
      known(budget('w', 2, 'a'), budget('t', 0, 'a'), budget('m', 1, 'a')),
      { kind: 'Budget', name: 't', allowed: 0 },
    ],
    [
      'the first by name of equal ones',
      known(budget('b', 1, 'a'), budget('a', 1, 'a'), budget('c', 1, 'a')),
      { kind: 'Budget', name: 'a', allowed: 1 },
    ],
    [
      'unknown when the budgets cannot be read',
      { kind: 'Unknown', why: 'forbidden' },
      { kind: 'Unknown', why: 'forbidden' },
    ],
    ['unknown when the budgets were not read', undefined, { kind: 'Unknown', why: 'its namespace was not read' }],
  ])('a pod’s headroom is that of its disruption budgets: %s', (_, found, expected) => {
    expect(of(found, 'a')).toEqual([expected]);
  });

  it('a budget of another namespace does not apply to a pod', () => {
    const budgets = new Map([
      ['ns', known(budget('b', 0, 'a'))],
      ['else', known()],
    ]);
    const pods = withBudgets([planned('a', 'else'), planned('a')], budgets);
    expect(pods.map(({ headroom }) => headroom.kind)).toEqual(['None', 'Budget']);
    expect(pods[1]).toEqual({ ...planned('a'), headroom: { kind: 'Budget', name: 'b', allowed: 0 } });
  });
});

describe('the figures of a plan', () => {
  const plan = {
    rule: { name: 'r', uid: 'u', generation: 3 },
    at: 5,
    namespaces: 2,
    undecided: 4,
    free: [{ driver: 'd', free: 1 }],
  };
  const at = (namespace: string, headroom: Headroom): BudgetedPod => ({ ...planned('p', namespace), headroom });
  const limited = (namespace: string, name: string, allowed: number) =>
    at(namespace, { kind: 'Budget', name, allowed });

  it('the figures of a plan count all pods', () => {
    const pods = [at('a', { kind: 'None' }), at('a', { kind: 'Unknown', why: '' }), limited('a', 'b', 1)];
    expect(summarize({ ...plan, takes: 9 }, pods)).toEqual({
      pods: 3,
      namespaces: 2,
      undecided: 4,
      beyondBudgets: 0,
      unbudgeted: 1,
      free: plan.free,
      takes: 9,
    });
    expect('takes' in summarize(plan, pods)).toBe(false);
  });

  it('the figures of a plan count the pods of paused namespaces', () => {
    const pod = at('a', { kind: 'None' });
    expect(summarize(plan, [{ ...pod, paused: true }, pod])).toMatchObject({ pods: 2, paused: 1 });
  });

  it('a plan says that no pod is evicted now while the namespaces of all its pods are paused', () => {
    const pod = at('a', { kind: 'None' });
    expect(summarize(plan, [{ ...pod, paused: true }]).held).toBe('their namespaces are paused');
    for (const pods of [[{ ...pod, paused: true as const }, pod], [pod], []])
      expect(summarize(plan, pods)).not.toHaveProperty('held');
  });

  it.each<[string, readonly BudgetedPod[], number]>([
    ['as many as allowed', [limited('a', 'b', 2), limited('a', 'b', 2)], 0],
    ['one more than allowed', [limited('a', 'b', 1), limited('a', 'b', 1)], 1],
    ['each budget separately', [limited('a', 'b', 1), limited('a', 'c', 1), limited('z', 'b', 1)], 0],
    ['no pod allowed', [limited('a', 'b', 0), limited('a', 'c', 0)], 2],
    ['a negative number allows no pod', [limited('a', 'b', -3)], 1],
    ['a pod without a budget', [at('a', { kind: 'None' })], 0],
  ])('a plan counts the pods beyond disruption budgets: %s', (_, pods, expected) => {
    expect(summarize(plan, pods).beyondBudgets).toBe(expected);
  });
});

describe('the condition of a plan', () => {
  const none: PlanSummary = {
    pods: 0,
    namespaces: 0,
    undecided: 0,
    beyondBudgets: 0,
    unbudgeted: 0,
    free: [],
    takes: 0,
  };

  it('the condition of a plan is False while no pod would be evicted', () => {
    expect(planCondition(none, 4)).toEqual({
      type: 'sluice.dev/Plan',
      status: 'False',
      reason: 'NoPodWouldBeEvicted',
      message: '0 pods in 0 namespaces would be evicted.',
      observedGeneration: 4,
    });
  });

  it('the condition of a plan names pods, duration, budgets, free devices and undecided pods', () => {
    const free = [
      { driver: 'gpu', free: 1 },
      { driver: 'nic', free: 3 },
      { deviceClassName: 'large', free: 2 },
    ];
    expect(
      planCondition({ pods: 9, namespaces: 2, undecided: 2, beyondBudgets: 3, unbudgeted: 1, free, takes: 1001 }, 1),
    ).toMatchObject({
      status: 'True',
      reason: 'PodsWouldBeEvicted',
      message:
        '9 pods in 2 namespaces would be evicted. At its rate that takes 2 s. That is 3 pods beyond what disruption budgets allow: in mode Evict these wait, and it takes longer. ' +
        'The disruption budgets of 1 pod could not be read. 1 untainted device of gpu is free. 3 untainted devices of nic are free. 2 untainted devices of class large are free. ' +
        '2 pods cannot be decided and would be kept.',
    });
  });

  it('the condition of a plan says how many of its pods are kept because their namespaces are paused', () => {
    const textOf = (paused: number) =>
      planCondition({ ...none, pods: 3, namespaces: 2, takes: 7000, paused }, 1).message;
    const head = '3 pods in 2 namespaces would be evicted. At its rate that takes 7 s.';
    expect(textOf(1)).toBe(`${head} 1 of them is kept while its namespace is paused.`);
    expect(textOf(2)).toBe(`${head} 2 of them are kept while their namespaces are paused.`);
    const all = { ...none, pods: 3, namespaces: 2, takes: 0, paused: 3, held: 'their namespaces are paused' };
    expect(planCondition(all, 1).message).toBe(
      '3 pods in 2 namespaces would be evicted. None is evicted now: their namespaces are paused. 3 of them are kept while their namespaces are paused.',
    );
    const textWith = (held?: string) => {
      const { held: _, ...rest } = all;
      return planCondition({ ...rest, ...(held === undefined ? {} : { held }) }, 1).message;
    };
    expect(textWith('Paused by audit')).toContain('None is evicted now: Paused by audit.');
    expect(textWith()).toContain('None is evicted now: their namespaces are paused.');
  });

  it('the condition of a plan says what holds all of its pods, and gives the time as that without it', () => {
    const held = 'Paused by audit';
    const summary = { ...none, pods: 1, namespaces: 1, takes: 7000, held };
    expect(planCondition(summary, 1).message).toBe(
      '1 pod in 1 namespace would be evicted. At its rate that takes 7 s when not held. None is evicted now: Paused by audit.',
    );
    expect(planCondition({ ...none, held }, 1).message).toBe('0 pods in 0 namespaces would be evicted.');
  });

  it('the condition of a plan says that a rate of 0 evicts no pod', () => {
    const { takes: _, ...standing } = { ...none, pods: 1, namespaces: 1 };
    expect(planCondition(standing, 1).message).toBe(
      '1 pod in 1 namespace would be evicted. The rate or burst of the rule is 0, so none of them is evicted.',
    );
  });
});
