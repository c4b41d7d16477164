// Texts and throttling of the condition, and texts of Events.
import { describe, expect, it } from 'vitest';
import { type RuleFacts, ruleCondition } from '../../lib/decide/condition.ts';
import {
  describeReason,
  formatCancellation,
  formatClaimProblem,
  formatEviction,
  stopHelp,
} from '../../lib/decide/eventText.ts';
import type { Ledger } from '../../lib/model/eviction.ts';
import type { RuleCondition } from '../../lib/model/status.ts';
import type { Reason } from '../../lib/model/verdict.ts';
import { claim as aClaim, atSecond, driver, pod, pool, rule, t0, taint } from '../support/builders.ts';

const none = rule({ taint: taint({ effect: 'None' }) });
const noSchedule = rule({ taint: taint({ effect: 'NoSchedule' }) });
const taintsOf = (...effects: string[]) => ({
  kind: 'PacedTaintRule' as const,
  generation: 1,
  taints: effects.map((effect) => taint({ effect })),
});
const mixed = taintsOf('NoExecute', 'None');
const allActing = taintsOf('NoExecute', 'NoExecute');
const counts = { published: 3, allocated: 2, pods: 1, namespaces: 1 };
const once = 'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.';

function facts(overrides: Partial<RuleFacts> = {}): RuleFacts {
  return { rule: rule(), pending: { pods: 0, namespaces: 0 }, evicted: 0, now: t0, ...overrides };
}

function text(overrides: Partial<RuleFacts>): string {
  const plan = ruleCondition(facts(overrides));
  if (plan.kind !== 'Write') return plan.kind;
  return `${plan.condition.status} ${plan.condition.reason}: ${plan.condition.message}`;
}

describe('the content of the condition', () => {
  it.each<[string, Partial<RuleFacts>]>([
    ['False NotStarted: ', {}],
    ['True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.', { pending: { pods: 1, namespaces: 1 } }],
    [
      'True PodsPendingEviction: 2 pods need to be evicted in 2 different namespaces. 1 pod evicted since starting the controller.',
      { pending: { pods: 2, namespaces: 2 }, evicted: 1 },
    ],
    ['True PodsPendingEviction: 3 pods need to be evicted in 1 namespace.', { pending: { pods: 3, namespaces: 1 } }],
    ['False Completed: 1 pod evicted since starting the controller.', { evicted: 1 }],
    ['False Completed: 1 pod evicted since starting the controller.', { evicted: 1, mode: 'own' }],
    [
      'False SluiceOff: Sluice is switched off for PacedTaintRules and DeviceTaintSlices in this cluster: no pod is evicted because of this. 1 pod evicted since starting the controller.',
      { evicted: 1, mode: 'off', pending: { pods: 1, namespaces: 1 } },
    ],
    [
      'False SluiceShadow: Sluice only decides and compares for PacedTaintRules and DeviceTaintSlices in this cluster: no pod is evicted because of this.',
      { mode: 'shadow' },
    ],
    ['False OtherEffect: Eviction only happens for the NoExecute effect.', { rule: noSchedule, mode: 'off' }],
    ['False Completed: 2 pods evicted since starting the controller.', { evicted: 2 }],
    [
      `False NoEffect: 3 published devices selected. 2 allocated devices selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. ${once}`,
      { rule: none, preview: counts },
    ],
    [
      `False NoEffect: 1 published device selected. 1 allocated device selected. 0 pods would be evicted in 0 different namespaces if the effect was NoExecute. ${once} 2 pods evicted since starting the controller.`,
      { rule: none, evicted: 2, preview: { published: 1, allocated: 1, pods: 0, namespaces: 0 } },
    ],
    [
      'True PodsPendingEviction: 2 pods need to be evicted in 1 namespace. The plan of the rule has 3 pods in 2 different namespaces. 1 pod evicted since starting the controller.',
      { rule: mixed, pending: { pods: 2, namespaces: 1 }, plan: { pods: 3, namespaces: 2 }, evicted: 1 },
    ],
    [
      'False NotStarted: The plan of the rule has 1 pod in 1 namespace.',
      { rule: mixed, plan: { pods: 1, namespaces: 1 } },
    ],
    [
      'True PodsPendingEviction: 2 pods need to be evicted in 1 namespace.',
      { rule: mixed, pending: { pods: 2, namespaces: 1 } },
    ],
    [
      'True PodsPendingEviction: 2 pods need to be evicted in 1 namespace.',
      { pending: { pods: 2, namespaces: 1 }, plan: { pods: 2, namespaces: 1 } },
    ],
    ['False NotStarted: ', { rule: allActing, plan: { pods: 2, namespaces: 1 } }],
    ['False OtherEffect: Eviction only happens for the NoExecute effect.', { rule: noSchedule }],
    [
      'False OtherEffect: Eviction only happens for the NoExecute effect. 1 pod evicted since starting the controller.',
      { rule: noSchedule, evicted: 1, pending: { pods: 5, namespaces: 5 } },
    ],
    [
      'False OtherEffect: Eviction only happens for the NoExecute effect.',
      { rule: rule({ taint: taint({ effect: 'x' }) }) },
    ],
  ])('the condition reports the progress of a rule: %s', (expected, of) => {
    expect(text(of)).toBe(expected);
  });

  it('the condition of a rule with effect None is not written before its preview exists', () => {
    expect(ruleCondition(facts({ rule: none }))).toEqual({ kind: 'Same' });
  });

  it('the condition has the generation of the rule and the time of the change', () => {
    expect(ruleCondition(facts({ rule: rule({ generation: 4 }), now: 5 }))).toEqual({
      kind: 'Write',
      condition: {
        type: 'EvictionInProgress',
        status: 'False',
        reason: 'NotStarted',
        message: '',
        observedGeneration: 4,
        lastTransitionTime: 5,
      },
    });
  });
});

describe('a write of the condition', () => {
  const stored: RuleCondition = {
    type: 'EvictionInProgress',
    status: 'False',
    reason: 'Completed',
    message: '1 pod evicted since starting the controller.',
    observedGeneration: 1,
    lastTransitionTime: t0,
  };
  const now = atSecond(60);

  it('an unchanged condition is not written, however old it is', () => {
    expect(ruleCondition(facts({ evicted: 1, previous: stored, now }))).toEqual({ kind: 'Same' });
    expect(ruleCondition(facts({ evicted: 1, previous: stored }))).toEqual({ kind: 'Same' });
  });

  it.each([
    ['status', { status: 'True' as const }],
    ['reason', { reason: 'NotStarted' }],
    ['message', { message: '2 pods evicted since starting the controller.' }],
    ['generation', { observedGeneration: 0 }],
  ])('the condition is written with a new time when its %s differs', (_, other) => {
    const condition = { ...stored, lastTransitionTime: now };
    expect(ruleCondition(facts({ evicted: 1, previous: { ...stored, ...other }, now }))).toEqual({
      kind: 'Write',
      condition,
    });
  });

  it('the condition is throttled for ten seconds after the last change', () => {
    const changed = (at: number) => ruleCondition(facts({ evicted: 2, previous: stored, now: at }));
    const until = atSecond(10);
    expect(changed(t0)).toEqual({ kind: 'Throttled', until });
    expect(changed(atSecond(10) - 1)).toEqual({ kind: 'Throttled', until });
    expect(changed(atSecond(10)).kind).toBe('Write');
  });

  it('the condition is not throttled by one of an older generation or with a time that is ahead or invalid', () => {
    const written = (previous: RuleCondition) => ruleCondition(facts({ evicted: 2, previous })).kind;
    expect(written({ ...stored, observedGeneration: 0 })).toBe('Write');
    expect(written({ ...stored, lastTransitionTime: t0 + 1 })).toBe('Write');
    expect(written({ ...stored, lastTransitionTime: Number.NaN })).toBe('Write');
  });
});

describe('an Event', () => {
  const device = { driver, pool, device: 'instance' };
  const claim = { namespace: 'default', name: 'claim' };
  const byRule: Reason = {
    origin: { kind: 'Rule', name: 'bad', uid: 'u', generation: 1 },
    taint: taint(),
    device,
    claim,
    at: t0,
  };
  const bySlice: Reason = {
    ...byRule,
    origin: { kind: 'Slice', name: 'slice', index: 0 },
    taint: { key: 'k', effect: 'NoExecute' },
  };
  const ledger: Ledger = { podUid: '1234', state: 'Deleting', listings: [], because: [byRule, bySlice], order: '' };
  const ofRule = 'DeviceTaintRule bad: taint example.com/taint=tainted:NoExecute on device some-driver/worker/instance';
  const ofSlice = 'ResourceSlice slice: taint k:NoExecute on device some-driver/worker/instance';
  const reference = { namespace: 'default', name: 'pod', uid: '1234' };

  it('the text of a reason names rule or slice, taint and device', () => {
    expect(describeReason(byRule)).toBe(ofRule);
    expect(describeReason(bySlice)).toBe(ofSlice);
    expect(describeReason({ ...bySlice, taint: taint({ value: '' }) })).toContain('taint example.com/taint:NoExecute');
  });

  it('an Event begins with upstream’s text and then names each reason once', () => {
    expect(formatEviction({ pod: pod(), ledger, at: t0 })).toMatchObject({
      type: 'Normal',
      reason: 'DeviceTaintManagerEviction',
      message: `Marking for deletion: ${ofRule}; ${ofSlice}${stopHelp}`,
      at: t0,
    });
    const again = { ...ledger, because: [byRule, byRule] };
    expect(formatCancellation({ pod: reference, ledger: again, at: t0, attempt: 1 })).toMatchObject({
      regarding: reference,
      type: 'Normal',
      reason: 'DeviceTaintManagerEviction',
      message: `Cancelling deletion: ${ofRule}`,
      at: t0,
    });
  });

  it('an Event about a claim states the problem and has one name per problem and annotation text', () => {
    const of = (annotation: string, why = 'no JSON') =>
      formatClaimProblem(
        aClaim({ annotations: { 'sluice.dev/reserved-for': annotation } }),
        { reason: 'ReservedForMalformed', why },
        t0,
      );
    const { name, ...rest } = of('{');
    expect(rest).toEqual({
      regarding: { kind: 'ResourceClaim', namespace: 'default', name: 'claim', uid: 'claim-uid' },
      type: 'Warning',
      reason: 'ReservedForMalformed',
      message: 'no JSON',
      at: t0,
    });
    expect(name).toMatch(/^claim\.[0-9a-f]{16}$/);
    expect(new Set([name, of('{').name, of('[').name, of('{', 'no object').name]).size).toBe(3);
  });

  it('an Event of an eviction ends with the kubectl command that stops all evictions, one of a cancellation does not', () => {
    expect(stopHelp).toMatch(
      /^\. To stop all evictions in this cluster: echo '\{.*"kind":"EvictionStop".*\}' \| kubectl create -f -$/,
    );
    expect(formatCancellation({ pod: reference, ledger, at: t0, attempt: 1 }).message).not.toContain('EvictionStop');
  });

  it('an Event without a known reason is upstream’s text and the stop command', () => {
    expect(formatEviction({ pod: pod(), ledger: { ...ledger, because: [] }, at: t0 }).message).toBe(
      `Marking for deletion${stopHelp}`,
    );
  });

  it('an Event has at most 1024 characters, and its reasons are cut before the stop command', () => {
    const of = (length: number) => {
      const because = [{ ...byRule, origin: { ...byRule.origin, name: 'x'.repeat(length) } }] as readonly Reason[];
      return formatEviction({ pod: pod(), ledger: { ...ledger, because }, at: t0 }).message;
    };
    const rest = 'Marking for deletion: '.length + ofRule.length - 'bad'.length + stopHelp.length;
    expect(of(1024 - rest)).toContain(`instance${stopHelp}`);
    expect(of(1024 - rest)).toHaveLength(1024);
    expect(of(1024 - rest + 1)).toHaveLength(1024);
    expect(of(1024 - rest + 1).endsWith(`...${stopHelp}`)).toBe(true);
  });

  it('an Event has one name per pod, purpose and attempt, of at most 253 characters', () => {
    const named = (overrides: object, attempt?: number) => {
      const of = { pod: { ...reference, ...overrides }, ledger, at: t0 };
      return (attempt === undefined ? formatEviction(of) : formatCancellation({ ...of, attempt })).name;
    };
    expect(named({})).toBe(named({}));
    expect(named({})).toMatch(/^pod\.[0-9a-f]{16}$/);
    // Literal, because a new version must give a repeated step the same name.
    expect([named({}), named({}, 1)]).toEqual(['pod.194fd3d4d2e57336', 'pod.c4a093061d00ad80']);
    const many = Array.from({ length: 500 }, (_, i) => named({ uid: `uid-${i}` }));
    expect(many.filter((name) => !/^pod\.[0-9a-f]{16}$/.test(name))).toEqual([]);
    const names = [named({}), named({ uid: 'x' }), named({}, 1), named({}, 2), named({ name: 'other' })];
    expect(new Set(names).size).toBe(5);
    expect(named({ name: 'x'.repeat(253) })).toHaveLength(253);
  });
});
