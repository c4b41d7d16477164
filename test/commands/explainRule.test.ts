// What `why rule` and `describe rule` quote of a rule's status.
import { describe, expect, it } from 'vitest';
import { pictureOf } from '../../lib/commands/cluster/assemble.ts';
import { explainPod } from '../../lib/commands/cluster/verdicts.ts';
import { explainRule } from '../../lib/commands/explainRule.ts';
import { poolsOf } from '../../lib/model/snapshot.ts';
import { allocated, claim, driver, pod, result, slice } from '../support/builders.ts';
import { evictionPolicy, pacedRule } from '../support/pacedBuilders.ts';

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

it.each([
  ['device.drivr == "x"', /selectors\[0\] cannot be used, so the rule selects nothing: line 1, column \d+: ./],
  [
    `device.attributes["${driver}"].healthy == false`,
    /selectors\[0\] fails on every device that it is evaluated on, so the rule selects nothing: ./,
  ],
])('why a rule and why a pod say that the expression %s selects nothing', (selector, text) => {
  const held = claim(allocated(result({ device: 'instance' })));
  const one = pod();
  const { snapshot, rules } = pictureOf({
    pods: [one],
    claims: new Map([[`${held.namespace}/${held.name}`, held]]),
    pools: poolsOf([slice({ devices: [{ name: 'instance' }] })]),
    rules: [pacedRule({ name: 'bad', deviceSelector: { selectors: [selector] } })],
    policies: [],
    classes: [],
    taintSlices: [],
    namespaces: [],
    hasPodGroups: false,
  });
  const [uid] = snapshot.rules.map((rule) => rule.uid);
  const rule = { kind: 'PacedTaintRule', metadata: { name: 'bad', uid } };
  const about = explainRule(rule, { snapshot, rules, problems: [] }, now);
  expect(about[0]).toBe('PacedTaintRule bad: reaches no pod');
  expect(about.join('\n')).toMatch(text);
  const kept = explainPod(one, { snapshot }, now).join('\n');
  expect(kept).toContain('kept');
  expect(kept).toContain('PacedTaintRule bad: spec.deviceSelector.selectors[0]');
  expect(kept).toMatch(text);
});

describe('why a rule that waits for an approval', () => {
  const held = claim(allocated(result({ device: 'instance' })));
  const one = pod();
  const policy = evictionPolicy({ name: 'careful', approval: 'Required' });
  const { snapshot, rules } = pictureOf({
    pods: [one],
    claims: new Map([[`${held.namespace}/${held.name}`, held]]),
    pools: poolsOf([slice({ devices: [{ name: 'instance' }] })]),
    rules: [pacedRule({ name: 'bad' })],
    policies: [policy],
    classes: [],
    taintSlices: [],
    namespaces: [],
    hasPodGroups: false,
  });
  const [uid] = snapshot.rules.map((rule) => rule.uid);
  const head = (annotations: Record<string, string>, ...conditions: readonly object[]) => {
    const metadata = { name: 'bad', uid, generation: 1, annotations };
    const rule = { kind: 'PacedTaintRule', metadata, status: { conditions } };
    return explainRule(rule, { snapshot, rules, problems: [] }, now)[0];
  };
  const condition = (type: string, status: string, reason: string) => ({
    ...{ type, status, reason, message: 'x', observedGeneration: 1, lastTransitionTime: '2026-11-26T17:04:10Z' },
  });
  const waits = /: is held; would evict 1 pod in 1 namespace at once when not held$/;
  const evicts = /: evicts 1 pod in 1 namespace at once$/;

  it.each([
    ['waits before its first condition', head({}), waits],
    ['waits while its condition says so', head({}, condition('sluice.dev/Held', 'True', 'AwaitingApproval')), waits],
    [
      'waits after a wrong approval',
      head({ 'sluice.dev/approve': '0' }, condition('sluice.dev/Held', 'True', 'PlanGrew')),
      waits,
    ],
    ['evicts once approved', head({ 'sluice.dev/approve': '0' }), evicts],
    [
      'evicts where its conditions tell of no hold',
      head({}, condition('sluice.dev/Pacing', 'True', 'Evicting')),
      evicts,
    ],
  ])('the headline says that it %s', (_, said, text) => expect(said).toMatch(text));
});
