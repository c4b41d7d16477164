// What a plan shows of its pods, its duration and free devices.

import { describe, expect, it } from 'vitest';
import { actingRule, planGround, planOnePod, planRule } from '../../lib/decide/livePlan.ts';
import { countSkipped } from '../../lib/decide/skipped.ts';
import type { Namespace } from '../../lib/model/namespace.ts';
import type { Pod, ResourceClaim, ResourceSlice } from '../../lib/model/objects.ts';
import type { TaintRule } from '../../lib/model/rule.ts';
import { type SnapshotObjects, snapshotOf, upstreamSettings } from '../../lib/model/snapshot.ts';
import {
  allocated,
  claim,
  driver,
  pod,
  pool,
  reservedFor,
  result,
  rule,
  slice,
  t0,
  taint,
  toleration,
} from '../support/builders.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';

const anEvictionPolicy = evictionPolicy();

const asking = rule({ taint: taint({ effect: 'None', timeAdded: t0 - 1 }) });

function world(overrides: Partial<SnapshotObjects> = {}) {
  return snapshotOf({ pods: [pod()], claims: [claim()], slices: [], rules: [asking], ...overrides });
}

/** A pod with a claim of its own, on a device with the name of the pod. */
function using(name: string, of: { pod?: Partial<Pod>; claim?: Partial<ResourceClaim> } = {}) {
  const user = pod({ name, resourceClaims: [{ name: 'device', resourceClaimName: `${name}-claim` }], ...of.pod });
  const held = allocated(result({ device: name }));
  return { pod: user, claim: claim({ name: `${name}-claim`, ...reservedFor(user), ...held, ...of.claim }) };
}

function plan(users: readonly ReturnType<typeof using>[], of: TaintRule = asking) {
  const [pods, claims] = [users.map((one) => one.pod), users.map((one) => one.claim)];
  return planRule([of], world({ pods, claims, rules: [of] }), t0);
}

describe('a rule in its plan', () => {
  it('a rule that does not evict is planned as NoExecute from now on', () => {
    expect(actingRule(asking, t0 + 5).taint).toEqual(taint({ timeAdded: t0 + 5 }));
  });

  it('a rule that evicts already is planned with its own time', () => {
    expect(actingRule(rule({ taint: taint({ timeAdded: t0 - 9 }) }), t0).taint.timeAdded).toBe(t0 - 9);
  });

  const standing = { 'sluice.dev/paused': 'true' };
  const policy = { ...anEvictionPolicy, limits: { maxPods: 1 } };
  it.each<[string, TaintRule, 'Standing' | 'PerhapsUnapproved' | undefined]>([
    ['with effect None has one', rule({ taint: taint({ effect: 'None' }) }), 'Standing'],
    ['with effect NoExecute has none', rule(), undefined],
    ['with effect NoSchedule has none', rule({ taint: taint({ effect: 'NoSchedule' }) }), undefined],
    [
      'with effect NoSchedule has none when held',
      rule({ taint: taint({ effect: 'NoSchedule' }), annotations: standing }),
      undefined,
    ],
    ['without an effect has none', rule({ taint: taint({ effect: '' }) }), undefined],
    ['that is held has one', rule({ annotations: standing }), 'Standing'],
    ['that is held by its policy has one', { ...rule(), policy: { ...anEvictionPolicy, paused: true } }, 'Standing'],
    ['with an unreadable expiry has one', rule({ annotations: { 'sluice.dev/expires-at': 'soon' } }), 'Standing'],
    [
      'that has expired has none',
      rule({ annotations: { 'sluice.dev/expires-at': '2020-01-01T00:00:00Z' } }),
      undefined,
    ],
    ['with an empty selector may await an approval', rule({ deviceSelector: {} }), 'PerhapsUnapproved'],
    ['with limits may await an approval', { ...rule(), policy }, 'PerhapsUnapproved'],
    ['that may need an approval and is held has one', { ...rule({ annotations: standing }), policy }, 'Standing'],
  ])('only a rule that does not evict yet has a live plan: a rule %s', (_, of, expected) => {
    expect(planGround(of, { settings: { holdEmptySelector: true }, now: t0 })).toBe(expected);
  });

  it('a rule with an empty selector has no live plan when empty selectors are not held', () => {
    const everything = rule({ deviceSelector: {} });
    expect(planGround(everything, { settings: { holdEmptySelector: false }, now: t0 })).toBeUndefined();
  });
});

function namespaceWith(more: Partial<Namespace>): Namespace {
  const { namespace: name } = pod();
  return {
    kind: 'Namespace',
    name,
    uid: 'uid-namespace',
    resourceVersion: '1',
    creationTimestamp: t0,
    generation: 1,
    ...more,
  } as Namespace;
}

describe('a planned pod', () => {
  it.each<[string, Namespace, readonly (true | undefined)[]]>([
    [
      'a paused namespace is in the plan, as paused',
      namespaceWith({ annotations: { 'pause.sluice.dev/q': '' } }),
      [true],
    ],
    ['another namespace is in the plan, as not paused', namespaceWith({ annotations: { other: '' } }), [undefined]],
    [
      'a paused namespace whose mode is Skip is not in the plan',
      namespaceWith({ annotations: { 'sluice.dev/paused': 'true' }, labels: { 'sluice.dev/eviction-mode': 'Skip' } }),
      [],
    ],
  ])('a pod of %s', (_, namespace, paused) => {
    const user = pod();
    const claims = [claim({ ...reservedFor(user), ...allocated(result()) })];
    const around = { ...world({ pods: [user], claims }), namespaces: new Map([[namespace.name, namespace]]) };
    const { pods } = planRule([asking], around, t0);
    expect(pods.map((one) => one.paused)).toEqual(paused);
  });

  it('the time of a plan counts no pod that is kept because its namespace is paused', () => {
    const users = ['a', 'b', 'c'].map((name) => pod({ name, uid: name, namespace: `team-${name}` }));
    const claims = users.map((user) =>
      claim({ namespace: user.namespace, ...reservedFor(user), ...allocated(result()) }),
    );
    const slow = { ...asking, annotations: { 'sluice.dev/evictions-per-second': '1', 'sluice.dev/burst': '1' } };
    const takes = (...paused: readonly string[]) => {
      const annotations = { 'pause.sluice.dev/q': '' };
      const namespaces = new Map(paused.map((name) => [name, { ...namespaceWith({ annotations }), name }]));
      return planRule([slow], { ...world({ pods: users, claims }), namespaces }, t0).takes;
    };
    expect([takes(), takes('team-a'), takes('team-a', 'team-b', 'team-c')]).toEqual([2000, 1000, 0]);
  });

  it('a planned pod has its owner, priority, node and, by claim, the devices that the rule reaches', () => {
    const user = pod({
      controller: { apiVersion: 'batch/v1', kind: 'Job', name: 'train', uid: 'job' },
      priority: 7,
      resourceClaims: [
        { name: 'b', resourceClaimName: 'b' },
        { name: 'a', resourceClaimName: 'a' },
        { name: 'c', resourceClaimName: 'c' },
      ],
    });
    const forever = result({ device: 'kept', tolerations: [toleration({ operator: 'Exists', value: '' })] });
    const claims = [
      claim({ name: 'b', ...reservedFor(user), ...allocated(result({ device: 'x' }), forever) }),
      claim({ name: 'a', ...reservedFor(user), ...allocated(result({ device: 'y' }), result({ driver: 'other' })) }),
      claim({ name: 'c', ...reservedFor(user), ...allocated(result({ driver: 'other' })) }),
    ];
    const { pods, rule: of, at, namespaces, undecided } = planRule([asking], world({ pods: [user], claims }), t0);
    const { order, ...rest } = pods[0] ?? {};
    expect(order).toMatch(/^\d{10}\.\d{13}$/);
    expect(rest).toEqual({
      pod: { namespace: 'default', name: 'pod', uid: '1234' },
      node: 'worker',
      owner: { kind: 'Job', name: 'train' },
      priority: 7,
      claims: [
        { name: 'a', devices: [{ driver, pool, device: 'y' }] },
        { name: 'b', devices: [{ driver, pool, device: 'x' }] },
      ],
      tolerated: 0,
    });
    expect({ of, at, namespaces, undecided }).toEqual({
      of: { name: 'rule', uid: 'rule-uid', generation: 1 },
      at: t0,
      namespaces: 1,
      undecided: 0,
    });
  });

  it('a planned pod without owner and priority has neither field', () => {
    expect(Object.keys(plan([using('a')]).pods[0] ?? {}).sort()).toEqual([
      'claims',
      'node',
      'order',
      'pod',
      'tolerated',
    ]);
  });

  it.each([
    ['terminating', pod({ deletionTimestamp: t0 })],
    ['not scheduled', pod({ nodeName: '' })],
    ['without the claim', pod({ resourceClaims: [] })],
  ])('a pod that is %s is not planned', (_, user) => {
    const snapshot = world({ pods: [user] });
    expect(planRule([asking], snapshot, t0).pods).toEqual([]);
    expect(planOnePod([asking], user, { snapshot, now: t0 })).toBeUndefined();
  });

  it('a pod that cannot be decided is counted separately and not listed', () => {
    const tolerations = [toleration({ tolerationSeconds: Number.NaN })];
    const unclear = using('a', { claim: allocated(result({ tolerations })) });
    expect(plan([unclear, using('b')])).toMatchObject({ undecided: 1, pods: [{ pod: { name: 'b' } }] });
    const snapshot = world({ pods: [unclear.pod], claims: [unclear.claim] });
    expect(planOnePod([asking], unclear.pod, { snapshot, now: t0 })).toEqual({ kind: 'Undecided' });
  });

  it('a rule reaches a device without tolerations even with emptyEffectTolerates', () => {
    const settings = { ...upstreamSettings, emptyEffectTolerates: true };
    const plain = { ...asking, taint: { key: 'k', effect: 'None' } };
    expect(planRule([plain], world({ settings }), t0).pods[0]?.claims).toHaveLength(1);
  });

  it('a plan ignores other rules and taints in slices', () => {
    const elsewhere = { ...asking, deviceSelector: { driver: 'other' } };
    const slices = [slice({ devices: [{ name: 'instance', taints: [taint()] }] })];
    expect(planRule([elsewhere], world({ slices, rules: [rule({ name: 'else' })] }), t0).pods).toEqual([]);
  });
});

describe('the order of a plan', () => {
  const held = (seconds: number) => ({
    claim: allocated(result({ tolerations: [toleration({ tolerationSeconds: seconds })] })),
  });

  it('the order of a plan is by tolerated time, then priority and age, then name', () => {
    const users = [
      using('late', held(60)),
      using('important', { pod: { priority: 9 } }),
      using('old', { pod: { creationTimestamp: 0 } }),
      using('b', { pod: { creationTimestamp: t0 } }),
      using('a', { pod: { creationTimestamp: t0 } }),
    ];
    const names = ['a', 'b', 'old', 'important', 'late'];
    expect(plan(users).pods.map((one) => one.pod.name)).toEqual(names);
    expect(plan(users.toReversed()).pods.map((one) => one.pod.name)).toEqual(names);
    expect(plan(users).pods.at(-1)?.tolerated).toBe(60_000);
  });

  it('a plan counts each namespace once', () => {
    const users = ['x', 'x', 'y'].map((namespace, i) => using(`p${i}`, { pod: { namespace }, claim: { namespace } }));
    expect(plan(users).namespaces).toBe(2);
  });
});

describe('the duration of a plan', () => {
  const paced = (rate: string, burst: string) => ({
    ...asking,
    annotations: { 'sluice.dev/evictions-per-second': rate, 'sluice.dev/burst': burst },
  });
  const many = (n: number, seconds: number) =>
    Array.from({ length: n }, (_, i) =>
      using(`${seconds}-${i}`, {
        claim: allocated(result({ tolerations: seconds > 0 ? [toleration({ tolerationSeconds: seconds })] : [] })),
      }),
    );

  it.each([
    ['no pods take no time', paced('1', '1'), [], 0],
    ['a burst is evicted at once', paced('1', '5'), many(5, 0), 0],
    ['one pod each period after the burst', paced('2', '5'), many(9, 0), 2000],
    ['a rule without annotations has rate 10 and burst 10', asking, many(15, 0), 500],
    ['the pod with the longest toleration is the last', paced('1', '5'), [...many(2, 0), ...many(1, 60)], 60_000],
    ['pods that are due later wait behind the backlog', paced('1', '1'), [...many(4, 0), ...many(2, 2)], 5000],
    ['a due time in the past counts as now', paced('1', '1'), many(1, -5), 0],
  ])('a plan estimates how long its evictions take: %s', (_, of, users, expected) => {
    expect(plan(users, of).takes).toBe(expected);
  });

  it('the duration of a plan is unknown when the rate is 0', () => {
    expect('takes' in plan(many(1, 0), paced('0', '1'))).toBe(false);
  });

  it('the duration of a plan is that of the rate without the hold of the rule', () => {
    const held = { ...paced('1', '1'), taint: taint() };
    const annotations = { ...held.annotations, 'sluice.dev/paused': 'true' };
    expect(plan(many(3, 0), { ...held, annotations }).takes).toBe(2000);
  });

  it('the duration of a plan is unknown under a policy that cannot be read', () => {
    const unreadable = {
      ...paced('1', '1'),
      policy: { ...anEvictionPolicy, unreadable: 'spec.burst is not a number' },
    };
    expect('takes' in plan(many(1, 0), unreadable)).toBe(false);
  });

  const one = (key: string, evictionsPerSecond: number): TaintRule => ({
    ...asking,
    kind: 'PacedTaintRule',
    taint: { key, effect: 'None', evictionsPerSecond, burst: 1 },
  });
  const takes = (taints: [TaintRule, ...TaintRule[]], users: readonly ReturnType<typeof using>[]) => {
    const [pods, claims] = [users.map(({ pod }) => pod), users.map(({ claim }) => claim)];
    return planRule(taints, world({ pods, claims, rules: taints }), t0).takes;
  };

  it.each<[string, readonly number[], number | undefined]>([
    ['one taint evicts at its own rate', [1], 3000],
    ['each pod takes the earlier token of two taints', [1, 1], 1000],
    ['a slower second taint shortens it a little', [1, 0.5], 2000],
    ['a second taint with rate 0 changes nothing', [1, 0], 3000],
    ['no estimate when all rates are 0', [0, 0], undefined],
  ])('a plan of several taints estimates how long its evictions take: %s', (_, [first = 0, ...rest], expected) => {
    const taints: [TaintRule, ...TaintRule[]] = [one('t0', first), ...rest.map((rate, i) => one(`t${i + 1}`, rate))];
    expect(takes(taints, many(4, 0))).toBe(expected);
  });

  const policed = (key: string, rate: number, policy: Parameters<typeof evictionPolicy>[0]): TaintRule => ({
    ...one(key, rate),
    policy: evictionPolicy(policy),
  });

  it('a taint whose policy has mode Skip plans no pod and shortens no plan', () => {
    const skipping = policed('t0', 1, { mode: 'Skip' });
    const users = many(3, 0);
    expect(takes([skipping], users)).toBe(0);
    const [pods, claims] = [users.map(({ pod: user }) => user), users.map(({ claim: held }) => held)];
    expect(planRule([skipping], world({ pods, claims, rules: [skipping] }), t0).pods).toEqual([]);
    expect(countSkipped([skipping], world({ pods, claims, rules: [skipping] }), t0)).toBe(3);
    expect(countSkipped([skipping, one('t1', 1)], world({ pods, claims, rules: [skipping] }), t0)).toBe(0);
    const ended = pods.map((user) => ({ ...user, deletionTimestamp: t0 }));
    expect(countSkipped([skipping], world({ pods: ended, claims, rules: [skipping] }), t0)).toBe(0);
    expect(countSkipped([skipping], world({ pods, claims: [], rules: [skipping] }), t0)).toBe(0);
    expect(takes([skipping, one('t1', 1)], users)).toBe(2000);
  });

  const ofJob = (name: string, job: string, seconds = 0) =>
    using(name, {
      pod: { controller: { apiVersion: 'batch/v1', kind: 'Job', name: job, uid: job } },
      claim: allocated(
        result({
          tolerations:
            seconds > 0 ? [toleration({ key: 't0', operator: 'Exists', value: '', tolerationSeconds: seconds })] : [],
        }),
      ),
    });

  it.each([
    ['pods of one workload share a token', [ofJob('a', 'x'), ofJob('b', 'x'), ofJob('c', 'x')], 0],
    ['each workload takes a token', [ofJob('a', 'x'), ofJob('b', 'x'), ofJob('c', 'y'), ofJob('d', 'y')], 1000],
    ['a pod that is due later shares no earlier token', [ofJob('a', 'x'), ofJob('b', 'x', 5)], 5000],
  ])('a plan with groupBy Workload estimates how long its evictions take: %s', (_, users, expected) => {
    expect(takes([policed('t0', 1, { groupBy: 'Workload' })], users)).toBe(expected);
  });

  it('a planned pod has each device that one of two taints reaches, with the DeviceClass if it has one', () => {
    const user = using('a', {
      claim: allocated(
        result({ device: 'x', tolerations: [toleration({ key: 't1', operator: 'Exists', value: '' })] }),
        result({ device: 'y', deviceClassName: 'large' }),
      ),
    });
    const taints: [TaintRule, TaintRule] = [one('t0', 1), one('t1', 1)];
    const { pods } = planRule(taints, world({ pods: [user.pod], claims: [user.claim], rules: taints }), t0);
    expect(pods[0]?.claims[0]?.devices).toStrictEqual([
      { driver, pool, device: 'x' },
      { driver, pool, device: 'y', deviceClassName: 'large' },
    ]);
  });

  it('a pod that tolerates the only taint with a rate leaves the plan without a duration', () => {
    const tolerant = using('tolerant', {
      claim: allocated(result({ tolerations: [toleration({ key: 't1', operator: 'Exists', value: '' })] })),
    });
    const users = [...many(2, 0), tolerant];
    expect(takes([one('t0', 0), one('t1', 1)], many(2, 0))).toBe(1000);
    expect(takes([one('t0', 0), one('t1', 1)], users)).toBeUndefined();
  });
});

describe('free devices', () => {
  const elsewhere = { ...asking, deviceSelector: { driver, pool } };
  const free = (overrides: Partial<SnapshotObjects>) => planRule([elsewhere], world(overrides), t0).free;
  const other = (...devices: ResourceSlice['devices']) =>
    slice({ name: 'other', pool: { name: 'other', generation: 1 }, devices });

  it.each([
    ['an untainted device counts', other({ name: 'x' }, { name: 'y' }), 2],
    ['a device with NoSchedule does not', other({ name: 'x', taints: [taint({ effect: 'NoSchedule' })] }), 0],
    ['a device with NoExecute does not', other({ name: 'x', taints: [taint()] }), 0],
    ['a device with None does', other({ name: 'x', taints: [taint({ effect: 'None' })] }), 1],
    ['devices that the rule itself selects do not', slice(), 0],
    ['devices of another driver do not', slice({ driver: 'else', pool: { name: 'other', generation: 1 } }), 0],
  ])('a plan counts the published devices that are free: %s', (_, published, expected) => {
    expect(free({ slices: [published] })).toEqual([{ driver, free: expected }]);
  });

  it.each([
    ['allocated: not free', {}, 0],
    ['allocated with adminAccess only: free', { adminAccess: true }, 1],
  ])('a plan counts an allocated device as free only with adminAccess: %s', (_, overrides, expected) => {
    const taking = claim({ name: 'taking', ...allocated(result({ pool: 'other', device: 'x', ...overrides })) });
    expect(free({ slices: [other({ name: 'x' })], claims: [claim(), taking] })).toEqual([{ driver, free: expected }]);
  });

  it('a plan counts no device as free that another rule taints with NoSchedule', () => {
    const away = rule({ name: 'away', deviceSelector: { pool: 'other' }, taint: taint({ effect: 'NoSchedule' }) });
    expect(free({ slices: [other({ name: 'x' })], rules: [elsewhere, away] })).toEqual([{ driver, free: 0 }]);
  });

  const classes = new Map([
    ['large', ['device.attributes["gpu.example.com"].memory >= 80']],
    ['any', []],
    ['broken', ['device.']],
  ]);
  const asked = (deviceClassName?: string) =>
    claim(allocated(result({ ...(deviceClassName === undefined ? {} : { deviceClassName }) })));
  const sized = (name: string, memory: number) => ({ name, attributes: { 'gpu.example.com/memory': { int: memory } } });
  const ofClass = (deviceClassName: string | undefined, around: readonly ResourceSlice[]) =>
    planRule([elsewhere], { ...world({ claims: [asked(deviceClassName)], slices: around }), classes }, t0).free;

  it.each([
    ['devices of the requested class count', 'large', [{ deviceClassName: 'large', free: 2 }]],
    ['a class without selectors has all devices of any driver', 'any', [{ deviceClassName: 'any', free: 4 }]],
    ['a class with an invalid selector has none', 'broken', [{ deviceClassName: 'broken', free: 0 }]],
    ['devices of the driver count when no class was requested', undefined, [{ driver, free: 3 }]],
    ['devices of the driver count when the class is gone', 'gone', [{ driver, free: 3 }]],
  ])('a plan counts the free devices of a class: %s', (_, deviceClassName, expected) => {
    const published = other(sized('a', 80), sized('b', 40), sized('c', 81));
    const foreign = slice({
      name: 'foreign',
      driver: 'else',
      pool: { name: 'far', generation: 1 },
      devices: [{ name: 'x' }],
    });
    expect(ofClass(deviceClassName, [published, foreign])).toEqual(expected);
  });

  it('free devices are listed by class, then by driver, each once and sorted', () => {
    const user = pod({ resourceClaims: [{ name: 'a', resourceClaimName: 'a' }] });
    const held = claim({
      name: 'a',
      ...reservedFor(user),
      ...allocated(
        result({ device: '1', deviceClassName: 'large' }),
        result({ device: '2' }),
        result({ device: '3', deviceClassName: 'any' }),
        result({ device: '4', deviceClassName: 'large' }),
        result({ device: '5', driver: 'b' }),
      ),
    });
    const wide = { ...asking, deviceSelector: { pool } };
    const { free: found, pods } = planRule([wide], { ...world({ pods: [user], claims: [held] }), classes }, t0);
    expect(found).toEqual([
      { deviceClassName: 'any', free: 0 },
      { deviceClassName: 'large', free: 0 },
      { driver: 'b', free: 0 },
      { driver, free: 0 },
    ]);
    expect(pods[0]?.claims[0]?.devices.map(({ deviceClassName }) => deviceClassName)).toEqual([
      'large',
      undefined,
      'any',
      'large',
      undefined,
    ]);
  });

  it('free devices are counted for each driver in the plan, sorted, and for none when the plan is empty', () => {
    const wide = { ...asking, deviceSelector: { pool } };
    const user = claim({ ...allocated(result({ driver: 'z' }), result({ driver: 'a' })) });
    expect(planRule([wide], world({ claims: [user] }), t0).free).toEqual([
      { driver: 'a', free: 0 },
      { driver: 'z', free: 0 },
    ]);
    expect(planRule([wide], world({ pods: [] }), t0).free).toEqual([]);
  });

  it('an unallocated claim takes no free device', () => {
    const { allocation: _, ...rest } = claim({ name: 'waiting' });
    expect(free({ slices: [other({ name: 'x' })], claims: [claim(), rest] })).toEqual([{ driver, free: 1 }]);
  });
});
