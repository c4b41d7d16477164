// Eviction modes: how labels and policies decide how a pod is evicted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backoffAfter,
  delayedBy,
  describeWay,
  type ModeSources,
  requestFor,
  retryAfter,
  waysUnder,
  wayToGo,
} from '../../lib/decide/mode.ts';
import type { EvictionMode } from '../../lib/model/policy.ts';
import { farFuture } from '../../lib/model/time.ts';
import { evictionPolicy, taintRule } from '../support/pacedBuilders.ts';

const due = 1_800_000_000_000;
const minute = 60_000;

function labels(mode?: string, deadline?: string): Record<string, string> {
  return {
    ...(mode === undefined ? {} : { 'sluice.dev/eviction-mode': mode }),
    ...(deadline === undefined ? {} : { 'sluice.dev/eviction-deadline': deadline }),
  };
}

const labelled = (mode?: string, deadline?: string): ModeSources => ({ pod: { labels: labels(mode, deadline) } });

describe('the mode of a pod', () => {
  it.each([
    [undefined, undefined, due, 'Delete', 'Delete'],
    ['Delete', undefined, due, 'Delete', 'Delete'],
    ['Evict', undefined, due, 'Evict', 'Delete'],
    ['Evict', '90s', due, 'Evict', 'Delete'],
    ['WaitForCompletion', undefined, due + 60 * minute, 'Delete', 'Delete'],
    ['WaitForCompletion', '5m', due + 5 * minute, 'Delete', 'Delete'],
    ['Skip', undefined, farFuture, 'Delete', 'Delete'],
    ['evict', undefined, farFuture, 'Delete', 'Delete'],
    ['', undefined, farFuture, 'Delete', 'Delete'],
    ['Evict', 'soon', farFuture, 'Delete', 'Delete'],
    ['Delete', '1d', farFuture, 'Delete', 'Delete'],
    ['Evict', '8785h', farFuture, 'Delete', 'Delete'],
    ['Evict', 'in 90s', farFuture, 'Delete', 'Delete'],
    ['Evict', '90s or so', farFuture, 'Delete', 'Delete'],
  ])(
    'a pod labelled %s with deadline %s is due at %d, first by %s and an hour later by %s',
    (mode, deadline, at, first, late) => {
      const way = wayToGo(labelled(mode, deadline));
      expect(delayedBy(() => way, [{ limiter: 'rule|x', dueAt: due }])).toEqual([{ limiter: 'rule|x', dueAt: at }]);
      expect(requestFor(way, { due, now: due })).toBe(first);
      expect(requestFor(way, { due, now: due + 60 * minute })).toBe(late);
    },
  );

  it.each(['Delete', 'Evict', 'WaitForCompletion', 'evict'])(
    'a pod labelled %s in a paused namespace is not due, and says nothing of its mode',
    (mode) => {
      const namespace = { name: 'team-a', annotations: { 'pause.sluice.dev/audit': '' } };
      const way = wayToGo({ ...labelled(mode), namespace });
      expect(way).toEqual({ mode: 'Skip', deadline: 0, paused: 'Its namespace team-a is paused by audit.' });
      expect(delayedBy(() => way, [{ limiter: 'rule|x', dueAt: due }])).toEqual([
        { limiter: 'rule|x', dueAt: farFuture },
      ]);
      expect(describeWay(way)).toBeUndefined();
    },
  );

  it('the mode Evict uses the Eviction API before the deadline and deletes from the deadline on', () => {
    const way = wayToGo(labelled('Evict', '90s'));
    expect(requestFor(way, { due, now: due + 89_999 })).toBe('Evict');
    expect(requestFor(way, { due, now: due + 90_000 })).toBe('Delete');
  });

  it('a mode or deadline that cannot be read keeps the pod and is named', () => {
    expect(wayToGo(labelled('evict')).problem).toBe(
      'its label sluice.dev/eviction-mode is "evict", which is not Delete, Evict, WaitForCompletion or Skip: it stays until that is fixed',
    );
    expect(describeWay(wayToGo(labelled('Evict', 'soon')))).toBe(
      'its label sluice.dev/eviction-deadline is "soon", which is not a duration such as 90s, 45m or 2h of at most 8784h: it stays until that is fixed',
    );
    expect(describeWay(wayToGo(labelled('Skip')))).toBe(
      'its label sluice.dev/eviction-mode is Skip: it is never evicted',
    );
    expect(describeWay(wayToGo(labelled()))).toBeUndefined();
    expect(describeWay(wayToGo(labelled('Delete')))).toBeUndefined();
  });

  it('a mode is described with its deadline and with the label or policy that sets it', () => {
    expect(describeWay(wayToGo(labelled('Evict', '90s')))).toBe(
      'it is evicted when its disruption budgets allow it, at the latest 90 s after it was due (its label sluice.dev/eviction-mode is Evict)',
    );
    const policy = { name: 'p', mode: 'WaitForCompletion' } as const;
    expect(describeWay(wayToGo({ pod: {}, policy }))).toBe(
      'it may finish first, and is deleted at the latest 3600 s after it was due (mode of EvictionPolicy p is WaitForCompletion)',
    );
  });

  it('a blocked pod is retried with a back-off of up to five minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 1000].map((times) => backoffAfter(times) / 1000)).toEqual([
      10, 20, 40, 80, 160, 300, 300, 300,
    ]);
  });

  it('a pod that the API server failed to evict is retried with a back-off of up to a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 1000].map((times) => retryAfter(times) / 1000)).toEqual([6, 12, 24, 48, 60, 60, 60]);
  });
});

interface Saying {
  readonly mode?: string;
  readonly deadline?: string;
}

function sources(pod: Saying, namespace: Saying | undefined, policy: Saying | undefined): ModeSources {
  return {
    pod: { labels: labels(pod.mode, pod.deadline) },
    ...(namespace ? { namespace: { name: 'team-a', labels: labels(namespace.mode, namespace.deadline) } } : {}),
    ...(policy
      ? {
          policy: {
            name: 'p',
            ...(policy.mode === undefined ? {} : { mode: policy.mode as EvictionMode }),
            ...(policy.deadline === undefined ? {} : { modeDeadline: Number(policy.deadline) }),
          },
        }
      : {}),
  };
}

describe('the source of the mode', () => {
  it.each<[string, Saying, Saying | undefined, Saying | undefined, string, number]>([
    ['no label and no policy', {}, undefined, undefined, 'Delete', 60],
    ['a namespace and a policy without a mode', {}, {}, {}, 'Delete', 60],
    ['only the policy', {}, undefined, { mode: 'Evict' }, 'Evict', 60],
    ['the policy with its deadline', {}, {}, { mode: 'Evict', deadline: '300000' }, 'Evict', 5],
    ['the namespace over the policy', {}, { mode: 'Evict' }, { mode: 'Skip' }, 'Evict', 60],
    ['the pod over both', { mode: 'Delete' }, { mode: 'Skip' }, { mode: 'Evict' }, 'Delete', 60],
    ['the pod, with the deadline of its namespace', { mode: 'Evict' }, { deadline: '5m' }, undefined, 'Evict', 5],
    ['the pod, with the deadline of the policy', { mode: 'Evict' }, {}, { deadline: '300000' }, 'Evict', 5],
    [
      'the namespace, with the deadline of the pod',
      { deadline: '2h' },
      { mode: 'Evict', deadline: '5m' },
      {},
      'Evict',
      120,
    ],
    [
      'the policy, with the deadline of the namespace',
      {},
      { deadline: '5m' },
      { mode: 'Evict', deadline: '1' },
      'Evict',
      5,
    ],
    ['an unreadable mode of the namespace over a policy', {}, { mode: 'no' }, { mode: 'Delete' }, 'Skip', 0],
    ['an unreadable deadline of the namespace', {}, { deadline: 'no' }, { mode: 'Evict' }, 'Skip', 0],
    [
      'the pod over an unreadable namespace',
      { mode: 'Evict', deadline: '5m' },
      { mode: 'x', deadline: 'x' },
      {},
      'Evict',
      5,
    ],
  ])(
    'the label of a pod overrides that of its namespace, which overrides the policy: %s',
    (_, pod, namespace, policy, mode, minutes) => {
      expect(wayToGo(sources(pod, namespace, policy))).toMatchObject({ mode, deadline: minutes * minute });
    },
  );

  it('a label of a namespace is described with the name of the namespace', () => {
    expect(wayToGo(sources({}, { mode: 'never' }, undefined)).problem).toBe(
      'the label sluice.dev/eviction-mode of its namespace team-a is "never", which is not Delete, Evict, WaitForCompletion or Skip: it stays until that is fixed',
    );
    expect(describeWay(wayToGo(sources({}, { mode: 'Skip' }, undefined)))).toBe(
      'the label sluice.dev/eviction-mode of its namespace team-a is Skip: it is never evicted',
    );
  });

  it('a label never evicts a pod before its due time, and one that cannot be read keeps the pod', () => {
    const anyText = fc.oneof(fc.constantFrom('Delete', 'Evict', 'WaitForCompletion', 'Skip', '5m', '0s'), fc.string());
    const saying = fc.record({ mode: anyText, deadline: anyText }, { requiredKeys: [] });
    fc.assert(
      fc.property(saying, saying, (pod, namespace) => {
        const way = wayToGo(sources(pod, namespace, undefined));
        const [listing] = delayedBy(() => way, [{ limiter: 'rule|x', dueAt: due }]);
        expect(listing?.dueAt).toBeGreaterThanOrEqual(due);
        const isRead = ['Delete', 'Evict', 'WaitForCompletion', 'Skip'].includes(
          pod.mode ?? namespace.mode ?? 'Delete',
        );
        if (!isRead) expect(way).toMatchObject({ mode: 'Skip', problem: expect.any(String) });
        if (way.problem !== undefined) expect(listing?.dueAt).toBe(farFuture);
      }),
    );
  });
});

describe('the modes of a pod under several limiters', () => {
  const policies = [
    evictionPolicy({ name: 'ecc', taints: { keys: ['example.com/ecc'] }, mode: 'Skip' }),
    evictionPolicy({ name: 'agents', taints: { sources: ['DeviceTaintSlice'] }, mode: 'Evict' }),
  ];
  const rules = [taintRule({ policy: evictionPolicy({ mode: 'WaitForCompletion' }) }), taintRule({ uid: 'plain' })];
  const wayOf = (limiter: string) => waysUnder({ namespace: 'team-a' }, { rules, policies })(limiter);

  it.each([
    ['rule|paced-uid|example.com/bad|NoExecute', 'WaitForCompletion'],
    ['rule|plain|example.com/bad|NoExecute', 'Delete'],
    ['slice|gpu.example.com|example.com/ecc||NoExecute', 'Skip'],
    ['slice|gpu.example.com|example.com/hot||NoExecute', 'Delete'],
    ['slice|gpu.example.com|example.com/hot||NoExecute|1/', 'Evict'],
  ])('a pod has the mode of each limiter under that limiter: %s: %s', (limiter, mode) => {
    expect(wayOf(limiter).mode).toBe(mode);
  });

  it('each limiter keeps the pod as its own policy sets', () => {
    const at = (limiter: string) => delayedBy(wayOf, [{ limiter, dueAt: due }])[0]?.dueAt;
    expect(at('rule|paced-uid|example.com/bad|NoExecute')).toBe(due + 60 * minute);
    expect(at('slice|gpu.example.com|example.com/ecc||NoExecute')).toBe(farFuture);
    expect(at('rule|plain|example.com/bad|NoExecute')).toBe(due);
  });

  it('a label of a namespace applies to the pods of that namespace only', () => {
    const skipping = {
      kind: 'Namespace',
      name: 'team-a',
      uid: 'n',
      resourceVersion: '1',
      labels: labels('Skip'),
    } as const;
    const namespaces = new Map([['team-a', skipping]]);
    const limiter = 'rule|plain|example.com/bad|NoExecute';
    expect(waysUnder({ namespace: 'team-a' }, { rules, policies, namespaces })(limiter).mode).toBe('Skip');
    expect(waysUnder({ namespace: 'team-b' }, { rules, policies, namespaces })(limiter).mode).toBe('Delete');
    const { labels: _, ...bare } = skipping;
    const unlabelled = new Map([['team-a', bare]]);
    expect(waysUnder({ namespace: 'team-a' }, { rules, policies, namespaces: unlabelled })(limiter).mode).toBe(
      'Delete',
    );
  });
});
