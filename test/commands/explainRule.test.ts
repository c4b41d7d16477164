// What `why rule` and `describe rule` quote of a rule's status.
import { expect, it } from 'vitest';
import { pictureOf } from '../../lib/commands/cluster/assemble.ts';
import { explainRule } from '../../lib/commands/explainRule.ts';

const now = Date.UTC(2026, 10, 26, 17, 5, 0);

it('a quoted condition has the time since when it holds, because its numbers are older than the others', () => {
  const condition = {
    type: 'EvictionInProgress',
    status: 'True',
    reason: 'PodsPendingEviction',
    message: '2 pods are pending.',
    lastTransitionTime: '2026-11-26T17:04:10Z',
  };
  const rule = { kind: 'DeviceTaintRule', metadata: { name: 'bad', uid: 'u' }, status: { conditions: [condition] } };
  const picture = pictureOf({
    pods: [],
    claims: new Map(),
    pools: new Map(),
    rules: [],
    policies: [],
    classes: [],
    taintSlices: [],
    namespaces: [],
    hasPodGroups: false,
  });
  expect(explainRule(rule, { ...picture, problems: [] }, now)).toEqual([
    'DeviceTaintRule bad: is unreadable or has no taint; it evicts no pod',
    '  its conditions, which follow within seconds:',
    '  EvictionInProgress is True since 17:04:10 UTC (PodsPendingEviction): 2 pods are pending.',
  ]);
});
