// What `why rule` and `describe rule` quote of a rule's status.
import { expect, it } from 'vitest';
import { pictureOf } from '../../lib/commands/cluster/assemble.ts';
import { explainPod } from '../../lib/commands/cluster/verdicts.ts';
import { explainRule } from '../../lib/commands/explainRule.ts';
import { poolsOf } from '../../lib/model/snapshot.ts';
import { allocated, claim, driver, pod, result, slice } from '../support/builders.ts';
import { pacedRule } from '../support/pacedBuilders.ts';

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
