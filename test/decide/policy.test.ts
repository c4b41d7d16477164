// Which policy applies to a taint, how it changes the rate, and when its windows are open.
import { describe, expect, it } from 'vitest';
import { approvalNeed, awaitingApproval, isOver } from '../../lib/decide/approval.ts';
import { policyFor, policyHold, unusableFor, withPolicy } from '../../lib/decide/policy.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { isNever, nextTurn, type Openness, opennessOf } from '../../lib/decide/window.ts';
import {
  type EvictionPolicy,
  type EvictionWindow,
  type PolicySelector,
  parsePolicyRef,
  policyRef,
} from '../../lib/model/policy.ts';
import { ruleLimiter } from '../../lib/model/rule.ts';
import { upstreamSettings } from '../../lib/model/snapshot.ts';
import { longestDuration } from '../../lib/model/time.ts';
import { driver, rule, t0 } from '../support/builders.ts';
import { evictionPolicy, taintRule } from '../support/pacedBuilders.ts';

const subject = { key: 'example.com/bad', driver, source: 'PacedTaintRule' } as const;
const named = (name: string, taints: PolicySelector) => evictionPolicy({ name, taints });

describe('the selector of a policy', () => {
  it.each([
    [{}, true],
    [{ keys: ['example.com/bad'] }, true],
    [{ keys: ['x', 'example.com/*'] }, true],
    [{ keys: ['*'] }, true],
    [{ keys: ['example.com/ba'] }, false],
    [{ keys: ['example.com/bad*'] }, true],
    [{ keys: ['example.com/worse*'] }, false],
    [{ keys: [] }, false],
    [{ drivers: [driver] }, true],
    [{ drivers: ['other'] }, false],
    [{ drivers: ['other', driver] }, true],
    [{ sources: ['PacedTaintRule'] }, true],
    [{ sources: ['DeviceTaintRule', 'ResourceSlice'] }, false],
    [{ keys: ['example.com/bad'], drivers: ['other'] }, false],
  ] as const)('a policy with the selector %o applies to the taint: %s', (taints, isFor) => {
    expect(policyFor(subject, [named('p', taints)]) !== undefined).toBe(isFor);
  });

  it('a policy for a driver does not apply to a taint whose driver is unknown', () => {
    const any = { ...subject, driver: undefined };
    expect(policyFor(any, [named('p', { drivers: [driver] })])).toBeUndefined();
    expect(policyFor(any, [named('p', {})])?.name).toBe('p');
  });
});

describe('several policies for a taint', () => {
  it.each([
    ['an exact key over a prefix', { keys: ['example.com/bad*'] }, { keys: ['example.com/bad'] }],
    ['a longer prefix over a shorter one', { keys: ['example.*'] }, { keys: ['example.com/*'] }],
    ['any key over none', {}, { keys: ['*'] }],
    ['the best of its own patterns', { keys: ['example.com/*'] }, { keys: ['*', 'example.com/bad'] }],
    [
      'no weight for a pattern that does not match',
      { keys: ['example.com/*', 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz'] },
      { keys: ['example.com/bad'] },
    ],
    ['a key over a driver', { drivers: [driver] }, { keys: ['*'] }],
    ['a driver over a source', { sources: ['PacedTaintRule'] }, { drivers: [driver] }],
    ['a source over nothing', {}, { sources: ['PacedTaintRule'] }],
  ] as const)('the most specific of several policies applies: %s', (_, wide, narrow) => {
    const policies = [named('a', wide), named('b', narrow)];
    expect(policyFor(subject, policies)?.name).toBe('b');
    expect(policyFor(subject, policies.toReversed())?.name).toBe('b');
  });

  it('the first by name of two equally specific policies with different settings applies and names its rival', () => {
    const different = [named('b', {}), { ...named('a', {}), burst: 2 }];
    for (const policies of [different, different.toReversed()])
      expect(policyFor(subject, policies)).toEqual({ ...named('a', {}), burst: 2, rival: 'b' });
  });

  it('a pause annotation is a setting of a policy, another annotation is not', () => {
    const annotated = (annotations: Record<string, string>) => [named('a', {}), { ...named('b', {}), annotations }];
    expect(policyFor(subject, annotated({ 'pause.sluice.dev/audit': '' }))?.rival).toBe('b');
    expect(policyFor(subject, annotated({ 'sluice.dev/approve': 'x' }))?.rival).toBeUndefined();
  });

  it('a more specific policy has no rival, however many less specific ones differ', () => {
    const policies = [
      { ...named('b', {}), burst: 3 },
      named('c', { keys: [subject.key] }),
      { ...named('a', {}), burst: 2 },
    ];
    expect(policyFor(subject, policies)).toEqual(named('c', { keys: [subject.key] }));
  });

  it('a policy with a rival holds its taints with PoliciesContradict', () => {
    const hold = policyHold({ ...named('a', {}), rival: 'b', paused: true }, t0);
    expect(hold?.reason).toBe('PoliciesContradict');
    expect(hold?.message).toMatch(/^EvictionPolicies a and b are equally specific/);
  });

  it('the first by name of two policies with equal settings applies', () => {
    expect(policyFor(subject, [named('b', {}), named('a', {})])?.name).toBe('a');
  });
});

describe('the policy of a rule', () => {
  it.each([
    [taintRule(), { sources: ['PacedTaintRule'] }, true],
    [
      rule({ taint: { key: 'k', effect: 'NoExecute' } }),
      { sources: ['DeviceTaintRule'], keys: ['k'], drivers: [driver] },
      true,
    ],
    [rule({ deviceSelector: {} }), { drivers: [driver] }, false],
    [(({ deviceSelector: _, ...rest }) => rest)(rule()), { sources: ['DeviceTaintRule'] }, true],
  ] as const)('a rule has the policy that selects it, case %#', (one, taints, has) => {
    const policy = named('p', taints);
    expect(withPolicy(one, [policy])).toEqual(has ? { ...one, policy } : one);
  });
});

describe('the rate under a policy', () => {
  const of = (policy: Partial<EvictionPolicy>, own: object = {}, annotations?: Record<string, string>) => {
    const base = taintRule({ taint: { ...taintRule().taint, ...own } });
    return { ...base, ...(annotations ? { annotations } : {}), policy: evictionPolicy(policy) };
  };
  it.each([
    ['is that of the policy', of({ evictionsPerSecond: 2, burst: 3 }), { perSecond: 2, burst: 3 }],
    [
      'is its own when it has one',
      of({ evictionsPerSecond: 2, burst: 3 }, { evictionsPerSecond: 4, burst: 5 }),
      { perSecond: 4, burst: 5 },
    ],
    [
      'is that of the annotation when there is one',
      of({ evictionsPerSecond: 2 }, {}, { 'sluice.dev/evictions-per-second': '7' }),
      { perSecond: 7, burst: 10 },
    ],
    ['is capped', of({ maxEvictionsPerSecond: 3 }, { evictionsPerSecond: 100 }), { perSecond: 3, burst: 10 }],
    ['is capped when nothing else is set', of({ maxEvictionsPerSecond: 3 }), { perSecond: 3, burst: 10 }],
    ['is 0 with a cap of 0', of({ maxEvictionsPerSecond: 0 }), { perSecond: 0, burst: 10 }],
    ['is 0 while the policy is paused', of({ paused: true }), { perSecond: 0, burst: 0 }],
    ['is 0 when the rate of the policy is out of range', of({ evictionsPerSecond: 1e9 }), { perSecond: 0, burst: 0 }],
    ['is 0 when the cap is out of range', of({ maxEvictionsPerSecond: 1e-9 }), { perSecond: 0, burst: 0 }],
    ['is 0 when the burst is out of range', of({ burst: 0.5 }), { perSecond: 0, burst: 0 }],
  ])('the rate of a taint under a policy %s', (_, one, wanted) => {
    expect(rateOf(ruleLimiter(one), { rules: [one] }, t0)).toEqual(wanted);
  });

  it.each([
    [`slice|${driver}|example.com/bad||NoExecute`, { sources: ['ResourceSlice'] }, { perSecond: 2, burst: 10 }],
    [`slice|${driver}|example.com/bad||NoExecute`, { sources: ['DeviceTaintSlice'] }, { perSecond: 10, burst: 10 }],
    [`slice|${driver}|example.com/bad||NoExecute|7/`, { sources: ['DeviceTaintSlice'] }, { perSecond: 7, burst: 10 }],
    [`slice|${driver}|example.com/bad||NoExecute|/4`, { sources: ['DeviceTaintSlice'] }, { perSecond: 2, burst: 4 }],
    [`slice|${driver}|example.com/bad||NoExecute|/4`, { sources: ['ResourceSlice'] }, { perSecond: 10, burst: 4 }],
    [`slice|other|example.com/bad||NoExecute`, { drivers: [driver] }, { perSecond: 10, burst: 10 }],
    [`slice|${driver}|example.com/bad||NoExecute`, { keys: ['example.com/*'] }, { perSecond: 2, burst: 10 }],
  ] as const)(
    'the limiter %s has its effective rate under a policy with the selector %o',
    (limiter, taints, wanted) => {
      const policies = [evictionPolicy({ taints, evictionsPerSecond: 2 })];
      expect(rateOf(limiter, { rules: [], policies }, t0)).toEqual(wanted);
    },
  );

  it('a slice taint has rate 0 while its policy is paused', () => {
    const policies = [evictionPolicy({ paused: true })];
    expect(rateOf(`slice|${driver}|k||NoExecute`, { rules: [], policies }, t0)).toEqual({ perSecond: 0, burst: 0 });
  });
});

it('the reference of a policy is not that of a rule', () => {
  expect(policyRef('p')).toBe('EvictionPolicy/p');
  expect(parsePolicyRef('EvictionPolicy/p')).toBe('p');
  expect(parsePolicyRef('PacedTaintRule/p')).toBeUndefined();
});

describe('the windows of a policy', () => {
  const at = (text: string) => Date.parse(text);
  const hours = 3_600_000;
  const night = { schedule: '0 22 * * *', duration: 8 * hours };
  const noon = { schedule: '0 12 * * *', duration: 30 * 60_000 };
  const quarterPast = { schedule: '15 12 * * *', duration: 60 * 60_000 };
  it.each([
    ['are open at their start', [night], '2026-11-21T22:00:00Z', { kind: 'Open' }],
    ['are open across midnight', [night], '2026-11-22T05:59:59Z', { kind: 'Open' }],
    [
      'are closed at their end',
      [night],
      '2026-11-22T06:00:00Z',
      { kind: 'Closed', opensAt: at('2026-11-22T22:00:00Z') },
    ],
    [
      'are closed before their start',
      [night],
      '2026-11-21T21:59:59Z',
      { kind: 'Closed', opensAt: at('2026-11-21T22:00:00Z') },
    ],
    [
      'are open in their time zone',
      [{ ...night, timeZone: 'America/New_York' }],
      '2026-11-22T03:00:00Z',
      { kind: 'Open' },
    ],
    [
      'are closed outside of their hours in that time zone',
      [{ ...night, timeZone: 'America/New_York' }],
      '2026-11-21T22:00:00Z',
      { kind: 'Closed', opensAt: at('2026-11-22T03:00:00Z') },
    ],
    ['add up', [night, { schedule: '0 12 * * *', duration: hours }], '2026-11-21T12:30:00Z', { kind: 'Open' }],
    [
      'open at the earliest of them',
      [night, { schedule: '0 12 * * *', duration: hours }],
      '2026-11-21T11:00:00Z',
      { kind: 'Closed', opensAt: at('2026-11-21T12:00:00Z') },
    ],
    [
      'are never open with duration 0',
      [{ ...night, duration: 0 }],
      '2026-11-21T22:30:00Z',
      { kind: 'Closed', opensAt: at('2026-11-22T22:00:00Z') },
    ],
    [
      'are open with the longest duration',
      [{ schedule: '0 0 1 1 *', duration: longestDuration }],
      '2026-12-31T23:59:59Z',
      { kind: 'Open' },
    ],
    ['are never open when the list is empty', [], '2026-11-21T22:00:00Z', { kind: 'Closed' }],
    ...['30 2', '30-31 2', '31 4,6,9,11', '30,31 FEB'].map((day): [string, EvictionWindow[], string, Openness] => [
      `are never open on a day that no month has (${day})`,
      [{ schedule: `0 0 ${day} *`, duration: hours }],
      '2026-11-21T22:00:00Z',
      { kind: 'Closed' },
    ]),
    ...[
      ['29 2', '2028-02-29T00:00:00Z'],
      ['30 2,3', '2027-03-30T00:00:00Z'],
      ['1,30 2', '2027-02-01T00:00:00Z'],
      ['30,1 2', '2027-02-01T00:00:00Z'],
    ].map(([day = '', opensAt = '']): [string, EvictionWindow[], string, Openness] => [
      `open on a day that some month or year has (${day})`,
      [{ schedule: `0 0 ${day} *`, duration: hours }],
      '2026-11-21T22:00:00Z',
      { kind: 'Closed', opensAt: at(opensAt) },
    ]),
  ])('the windows of a policy %s', (_, windows, now, wanted) => {
    expect(opennessOf(windows, at(now))).toStrictEqual(wanted);
  });

  it.each([
    [
      { schedule: 'whenever', duration: hours },
      /^spec\.windows\[1\]: schedule "whenever" is no cron expression of five fields: /,
    ],
    [{ schedule: '0 0 22 * * 1', duration: hours }, /is no cron expression of five fields/],
    [
      { ...night, timeZone: 'Europe/Nowhere' },
      /^spec\.windows\[1\]: time zone "Europe\/Nowhere" does not exist: use an IANA name such as Europe\/Berlin$/,
    ],
    [{ ...night, duration: longestDuration + 1 }, /^spec\.windows\[1\]: duration is longer than 8784h$/],
    [{ ...night, duration: Number.NaN }, /^spec\.windows\[1\]: duration is longer than 8784h$/],
  ])('one unusable window makes all windows unusable: %o', (window, why) => {
    expect(opennessOf([night, window], t0)).toEqual({ kind: 'Unusable', why: expect.stringMatching(why) });
  });

  it.each<[string, EvictionWindow[], string, string | undefined]>([
    ['open next', [noon], '2026-11-21T11:00:00Z', '2026-11-21T12:00:00Z'],
    ['open next with the earlier one', [noon, quarterPast], '2026-11-21T13:30:00Z', '2026-11-22T12:00:00Z'],
    ['close next', [noon], '2026-11-21T12:00:00Z', '2026-11-21T12:30:00Z'],
    ['close next with the later one', [noon, quarterPast], '2026-11-21T12:20:00Z', '2026-11-21T13:15:00Z'],
    ['close next in any order', [quarterPast, noon], '2026-11-21T12:20:00Z', '2026-11-21T13:15:00Z'],
    ['neither open nor close if there is none', [], '2026-11-21T12:00:00Z', undefined],
    [
      'neither open nor close if one is unusable',
      [noon, { ...noon, schedule: 'x' }],
      '2026-11-21T12:10:00Z',
      undefined,
    ],
  ])('the windows of a policy %s', (_, windows, now, turn) => {
    expect(nextTurn(windows, at(now))).toBe(turn === undefined ? undefined : at(turn));
  });

  it('the windows of a policy are read correctly after a thousand others', () => {
    const others = Array.from({ length: 1100 }, (_, i) => ({
      schedule: `${i % 60} ${Math.floor(i / 60)} * * *`,
      duration: hours,
    }));
    opennessOf(others, t0);
    const newYork = { ...night, timeZone: 'America/New_York' };
    expect(opennessOf([newYork], at('2026-11-22T03:00:00Z'))).toEqual({ kind: 'Open' });
    expect(opennessOf([newYork], at('2026-11-21T22:00:00Z')).kind).toBe('Closed');
    expect(opennessOf([{ ...night, schedule: '0 0 22 * * 1' }], t0).kind).toBe('Unusable');
  });
});

describe('the hold of a policy', () => {
  it.each([
    [{}, undefined],
    [{ paused: true }, { reason: 'Paused', message: 'Paused by EvictionPolicy policy.' }],
    [{ annotations: { 'sluice.dev/paused': 'false', 'sluice.dev/approve': 'x' } }, undefined],
    [
      { annotations: { 'pause.sluice.dev/audit': 'until Monday', 'pause.sluice.dev/a': '' } },
      { reason: 'Paused', message: 'Paused by EvictionPolicy policy: a; audit (until Monday).' },
    ],
    [
      { paused: true, annotations: { 'sluice.dev/paused': 'true' } },
      { reason: 'Paused', message: 'Paused by EvictionPolicy policy: sluice.dev/paused.' },
    ],
    [
      { unreadable: 'x' },
      { reason: 'PolicyUnusable', message: 'EvictionPolicy policy cannot be read, so no pod is evicted: x.' },
    ],
    [{ windows: [{ schedule: '* * * * *', duration: 60_000 }] }, undefined],
    [
      { windows: [] },
      { reason: 'OutsideWindow', message: 'Outside the windows of EvictionPolicy policy: they never open.' },
    ],
    [
      { windows: [{ schedule: '0 0 1 1 *', duration: 60_000 }] },
      {
        reason: 'OutsideWindow',
        message: 'Outside the windows of EvictionPolicy policy: they open at 2028-01-01T00:00:00Z.',
        until: Date.UTC(2028, 0, 1),
      },
    ],
  ] as const)(
    'a policy holds its taints while it is paused, unreadable or outside of its windows: %o',
    (policy, hold) => {
      expect(policyHold(evictionPolicy(policy), t0)).toEqual(hold);
    },
  );

  it('a policy with an unusable window holds its taints and names the window', () => {
    const hold = policyHold(evictionPolicy({ windows: [{ schedule: 'x', duration: 1 }] }), t0);
    expect(hold).toEqual({
      reason: 'PolicyUnusable',
      message: expect.stringMatching(
        /^EvictionPolicy policy cannot be used, so no pod is evicted: spec\.windows\[0\]: schedule "x"/,
      ),
    });
  });
});

describe('the need for an approval', () => {
  const under = (policy: Partial<EvictionPolicy>) => taintRule({ name: 'r', policy: evictionPolicy(policy) });
  const matched = { waiting: 4, evicted: 2, namespaces: 3 };
  it.each([
    [{}, undefined],
    [{ approval: 'Required' }, 'Policy'],
    [{ limits: { maxPods: 1 } }, 'Limits'],
    [{ limits: { maxNamespaces: 1 } }, 'Limits'],
    [{ limits: { maxPercent: 1 } }, 'Limits'],
    [{ limits: { maxPerNode: { count: 1 }, maxPerWorkload: { count: 1 } } }, undefined],
    [{ limits: {} }, undefined],
    [{ approval: 'Required', limits: { maxPods: 1 } }, 'Policy'],
  ] as const)('a rule under a policy with %o needs an approval: %s', (policy, need) => {
    expect(approvalNeed(under(policy), upstreamSettings)).toBe(need);
    expect(approvalNeed({ ...under(policy), taint: { key: 'k', effect: 'None' } }, upstreamSettings)).toBeUndefined();
  });

  it.each([
    [{}, false],
    [{ maxPods: 6 }, false],
    [{ maxPods: 5 }, true],
    [{ maxNamespaces: 3 }, false],
    [{ maxNamespaces: 2 }, true],
    [{ maxPods: 6, maxNamespaces: 2 }, true],
    // Of 20 pods that use the driver, and 2 that were evicted.
    [{ maxPercent: 28 }, false],
    [{ maxPercent: 27 }, false],
    [{ maxPercent: 22 }, true],
    [{ maxPods: 5, maxPercent: 100 }, true],
    [{ maxPerNode: { count: 1 }, maxPerWorkload: { percent: 1 } }, false],
  ])('a plan exceeds the limits %o: %s', (limits, over) => {
    expect(isOver(limits, { ...matched, consumers: { pods: 20, using: 'driver d' } })).toBe(over);
  });

  it.each([
    [1, 1, false],
    [2, 1, true],
    [2, 199, false],
    [3, 199, true],
  ])('a limit of one percent is exceeded by %i pods of %i: %s', (waiting, pods, over) => {
    const few = { waiting, namespaces: 1, evicted: 0, consumers: { pods, using: 'any device' } };
    expect(isOver({ maxPercent: 1 }, few)).toBe(over);
  });

  it('a limit in percent is exceeded when the total is not counted', () => {
    expect(isOver({ maxPercent: 100 }, matched)).toBe(true);
    expect(isOver({ maxPods: 100 }, matched)).toBe(false);
  });

  it.each([
    [
      'Policy',
      {},
      'AwaitingApproval',
      'EvictionPolicy policy asks for an approval: 4 pods in 3 namespaces would be evicted.',
    ],
    [
      'Limits',
      { limits: { maxPods: 5, maxNamespaces: 2 } },
      'OverLimits',
      'Over the limits of EvictionPolicy policy (maxPods 5, maxNamespaces 2, 2 pods evicted): 4 pods in 3 namespaces would be evicted.',
    ],
    [
      'Limits',
      { limits: { maxPercent: 10, maxPerNode: { count: 1 } } },
      'OverLimits',
      'Over the limits of EvictionPolicy policy (maxPercent 10: 3 of 22 pods that use DeviceClass gpu, 2 pods evicted): 4 pods in 3 namespaces would be evicted.',
    ],
  ] as const)(
    'a rule that needs an approval by %s gives the reason and the command',
    (need, policy, reason, message) => {
      const counted = { ...matched, consumers: { pods: 20, using: 'DeviceClass gpu' } };
      const how = ' To evict them: kubectl annotate --overwrite pacedtaintrule r sluice.dev/approve=d';
      expect(awaitingApproval(under(policy), { need, matched: counted, digest: 'd', approved: undefined })).toEqual({
        reason,
        message: `${message}${how}`,
      });
      const approved = { digest: 'd', generation: 1, pods: 1 };
      expect(awaitingApproval(under(policy), { need, matched: counted, digest: 'd', approved }).reason).toBe(
        'PlanGrew',
      );
    },
  );

  it.each([
    [{ waiting: 4, namespaces: 1, evicted: 0 }, 'maxPercent 10'],
    [
      { waiting: 4, namespaces: 1, evicted: 0, consumers: { pods: 31, using: 'any device' } },
      'maxPercent 10: 4 of 31 pods that use any device',
    ],
  ])('the message over maxPercent gives the figures as far as they are known: %o', (of, figures) => {
    const policy = under({ limits: { maxPercent: 10 } });
    const { message } = awaitingApproval(policy, { need: 'Limits', matched: of, digest: 'd', approved: undefined });
    expect(message).toContain(`(${figures}): 4 pods in 1 namespaces`);
  });
});

it('a policy with a number out of range holds its taints and names the field', () => {
  expect(policyHold(evictionPolicy({ evictionsPerSecond: 1e9 }), t0)).toEqual({
    reason: 'PolicyUnusable',
    message: expect.stringMatching(
      /^EvictionPolicy policy cannot be used, so no pod is evicted: .*evictionsPerSecond.*\.$/,
    ),
  });
});

it('policies that differ only in name and annotations are no rivals', () => {
  const twins = [
    evictionPolicy({ name: 'a', uid: 'a' }),
    evictionPolicy({ name: 'b', uid: 'b', annotations: { x: 'y' } }),
  ];
  expect(policyFor(subject, twins)).toEqual(twins[0]);
});

describe('a schedule', () => {
  it.each([
    ['0 0 30 2 *', true],
    ['0 0 31 4 *', true],
    ['10 22 31 11 *', true],
    ['0 0 30,31 2 *', true],
    ['0 0 30-31 2 *', true],
    ['  0 0 30  2  * ', true],
    ['0 0 31 2,4,6 *', true],
    ['10 22 31 * *', false],
    ['0 0 30 2,3 *', false],
    ['0 0 30 4 *', false],
    ['0 0 31 12 *', false],
    ['0 0 29 2 *', false],
    ['0 0 29,30 2 *', false],
    ['0 0 1,30 2 *', false],
    ['0 0 30 2 1', false],
    ['0 0 30 2 */2', false],
    ['30 31 * 2 *', false],
  ])('the schedule "%s" names only days that its months do not have: %s', (schedule, wanted) => {
    expect(isNever(schedule)).toBe(wanted);
  });

  it('a schedule that names such days by a step never opens either', () => {
    const window = { schedule: '0 0 30-31/1 2 *', duration: 1000 };
    expect(opennessOf([window], Date.UTC(2027, 0, 15))).toStrictEqual({ kind: 'Closed' });
  });
});

describe('a policy that only pauses', () => {
  const paused = { 'pause.sluice.dev/manual': 'ada' };
  const only = evictionPolicy({ name: 'only', taints: { keys: [subject.key] }, pauseOnly: true, annotations: paused });
  const hold = { reason: 'Paused', message: 'Paused by EvictionPolicy only: manual (ada).' };

  it('it pauses a taint that has no other policy', () => {
    const found = policyFor(subject, [only]);
    expect(found && policyHold(found, t0)).toEqual(hold);
  });

  it('the settings of a paused taint come from the policy that applies without it, however wide', () => {
    const wide = evictionPolicy({ name: 'wide', evictionsPerSecond: 2 });
    const found = policyFor(subject, [wide, only]);
    expect(found).toEqual({ ...wide, pausedBeside: hold });
    expect(found && policyHold(found, t0)).toEqual(hold);
  });

  it('the policy to edit is the unusable one, that with the settings before one that only pauses', () => {
    const wide = named('wide', {});
    const broken = { ...wide, unreadable: 'burst is no number' };
    const brokenPause = { ...only, unreadable: 'pauseOnly cannot be combined with burst' };
    expect(unusableFor(subject, [wide, brokenPause])?.name).toBe('only');
    expect(unusableFor(subject, [brokenPause])?.name).toBe('only');
    expect(unusableFor(subject, [broken, brokenPause])?.name).toBe('wide');
    expect(unusableFor(subject, [wide])?.name).toBe('wide');
    expect(unusableFor(subject, [])).toBeUndefined();
  });

  it('it does not contradict a policy that is as specific', () => {
    const same = named('same', { keys: [subject.key] });
    expect(policyFor(subject, [same, only])).toEqual({ ...same, pausedBeside: hold });
  });

  it('it has no effect on a taint that it does not select, or once it is not paused any more', () => {
    const wide = named('wide', {});
    expect(policyFor({ ...subject, key: 'other' }, [wide, only])).toEqual(wide);
    const { annotations: _, ...resumed } = only;
    expect(policyFor(subject, [wide, resumed])).toEqual(wide);
    expect(policyFor(subject, [resumed])).toBeUndefined();
  });

  it('its spec.paused counts as its annotations do, and the first by name of several is named', () => {
    const { annotations: _, ...rest } = only;
    const other = { ...rest, name: 'a', uid: 'a', paused: true } as const;
    const found = policyFor(subject, [only, other]);
    expect(found && policyHold(found, t0)?.message).toBe('Paused by EvictionPolicy a.');
  });

  it('one that is not paused any more does not hide one that is, whatever their names', () => {
    const { annotations: _, ...resumed } = only;
    expect(policyFor(subject, [{ ...resumed, name: 'a', uid: 'a' }, only])?.pausedBeside).toEqual(hold);
  });

  it('it holds its taints while it cannot be read', () => {
    const found = policyFor(subject, [named('wide', {}), { ...only, annotations: {}, unreadable: 'why' }]);
    expect(found?.name).toBe('wide');
    expect(found && policyHold(found, t0)?.reason).toBe('PolicyUnusable');
  });

  it('it holds nothing after it was deleted', () => {
    expect(policyFor(subject, [{ ...only, deserted: ['x'], isGone: true }])).toBeUndefined();
  });
});
