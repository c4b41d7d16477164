// What a plan says of its pods, of time and of free devices, row by row.
import { describe, expect, it } from 'vitest';
import { actingRule, hasPlan, planOnePod, planRule } from '../../lib/decide/livePlan.ts';
import type { DeviceTaintRule, Pod, ResourceClaim, ResourceSlice } from '../../lib/model/objects.ts';
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

const asking = rule({ taint: taint({ effect: 'None', timeAdded: t0 - 1 }) });

function world(overrides: Partial<SnapshotObjects> = {}) {
  return snapshotOf({ pods: [pod()], claims: [claim()], slices: [], rules: [asking], ...overrides });
}

/** A pod with a claim of its own on `device`. */
function using(name: string, of: { pod?: Partial<Pod>; claim?: Partial<ResourceClaim> } = {}) {
  const user = pod({ name, resourceClaims: [{ name: 'device', resourceClaimName: `${name}-claim` }], ...of.pod });
  const held = allocated(result({ device: name }));
  return { pod: user, claim: claim({ name: `${name}-claim`, ...reservedFor(user), ...held, ...of.claim }) };
}

function plan(users: readonly ReturnType<typeof using>[], of: DeviceTaintRule = asking) {
  const [pods, claims] = [users.map((one) => one.pod), users.map((one) => one.claim)];
  return planRule(of, world({ pods, claims, rules: [of] }), t0);
}

describe('the rule as it would act', () => {
  it('a rule that does not evict acts from now on', () => {
    expect(actingRule(asking, t0 + 5).taint).toEqual(taint({ timeAdded: t0 + 5 }));
  });

  it('one that evicts already keeps its time', () => {
    expect(actingRule(rule({ taint: taint({ timeAdded: t0 - 9 }) }), t0).taint.timeAdded).toBe(t0 - 9);
  });

  it.each([
    ['None', true],
    ['NoExecute', false],
    ['NoSchedule', false],
    ['', false],
  ])('effect %j has a live plan: %s', (effect, expected) => {
    expect(hasPlan(rule({ taint: taint({ effect }) }))).toBe(expected);
  });
});

describe('a planned pod', () => {
  it('has its owner, priority, node, and the devices that the rule reaches, by claim', () => {
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
    const { pods, rule: of, at, namespaces, undecided } = planRule(asking, world({ pods: [user], claims }), t0);
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

  it('without owner and priority has neither', () => {
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
  ])('one that is %s is not planned', (_, user) => {
    const snapshot = world({ pods: [user] });
    expect(planRule(asking, snapshot, t0).pods).toEqual([]);
    expect(planOnePod(asking, user, { snapshot, now: t0 })).toBeUndefined();
  });

  it('a pod that cannot be decided is counted apart and not listed', () => {
    const tolerations = [toleration({ tolerationSeconds: Number.NaN })];
    const unclear = using('a', { claim: allocated(result({ tolerations })) });
    expect(plan([unclear, using('b')])).toMatchObject({ undecided: 1, pods: [{ pod: { name: 'b' } }] });
    const snapshot = world({ pods: [unclear.pod], claims: [unclear.claim] });
    expect(planOnePod(asking, unclear.pod, { snapshot, now: t0 })).toBeUndefined();
  });

  it('a device without tolerations is reached, whatever an empty effect is taken for', () => {
    const settings = { ...upstreamSettings, emptyEffectTolerates: true };
    const plain = { ...asking, taint: { key: 'k', effect: 'None' } };
    expect(planRule(plain, world({ settings }), t0).pods[0]?.claims).toHaveLength(1);
  });

  it('neither other rules nor slices are in the plan', () => {
    const elsewhere = { ...asking, deviceSelector: { driver: 'other' } };
    const slices = [slice({ devices: [{ name: 'instance', taints: [taint()] }] })];
    expect(planRule(elsewhere, world({ slices, rules: [rule({ name: 'else' })] }), t0).pods).toEqual([]);
  });
});

describe('the order of a plan', () => {
  const held = (seconds: number) => ({
    claim: allocated(result({ tolerations: [toleration({ tolerationSeconds: seconds })] })),
  });

  it('is that of tolerated time, then of priority and age, then of names', () => {
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

  it('counts namespaces once', () => {
    const users = ['x', 'x', 'y'].map((namespace, i) => using(`p${i}`, { pod: { namespace }, claim: { namespace } }));
    expect(plan(users).namespaces).toBe(2);
  });
});

describe('the time a plan takes', () => {
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
    ['nobody takes no time', paced('1', '1'), [], 0],
    ['a burst goes at once', paced('1', '5'), many(5, 0), 0],
    ['then one each step', paced('2', '5'), many(9, 0), 2000],
    ['a rule without annotations has rate 10 and burst 10', asking, many(15, 0), 500],
    ['who tolerates it longest goes last', paced('1', '5'), [...many(2, 0), ...many(1, 60)], 60_000],
    ['and those that are still in line delay them', paced('1', '1'), [...many(4, 0), ...many(2, 2)], 5000],
    ['a time long past is now', paced('1', '1'), many(1, -5), 0],
  ])('%s', (_, of, users, expected) => {
    expect(plan(users, of).takes).toBe(expected);
  });

  it('is unknown where the rate lets nobody go', () => {
    expect('takes' in plan(many(1, 0), paced('0', '1'))).toBe(false);
  });
});

describe('free devices', () => {
  const elsewhere = { ...asking, deviceSelector: { driver, pool } };
  const free = (overrides: Partial<SnapshotObjects>) => planRule(elsewhere, world(overrides), t0).free;
  const other = (...devices: ResourceSlice['devices']) =>
    slice({ name: 'other', pool: { name: 'other', generation: 1 }, devices });

  it.each([
    ['an untouched one counts', other({ name: 'x' }, { name: 'y' }), 2],
    ['one with NoSchedule does not', other({ name: 'x', taints: [taint({ effect: 'NoSchedule' })] }), 0],
    ['nor one with NoExecute', other({ name: 'x', taints: [taint()] }), 0],
    ['one with None does', other({ name: 'x', taints: [taint({ effect: 'None' })] }), 1],
    ['those that the rule itself selects do not', slice(), 0],
    ['those of another driver do not', slice({ driver: 'else', pool: { name: 'other', generation: 1 } }), 0],
  ])('%s', (_, published, expected) => {
    expect(free({ slices: [published] })).toEqual([{ driver, free: expected }]);
  });

  it.each([
    ['taken by a claim: not free', {}, 0],
    ['held with admin access alone: free', { adminAccess: true }, 1],
  ])('%s', (_, overrides, expected) => {
    const taking = claim({ name: 'taking', ...allocated(result({ pool: 'other', device: 'x', ...overrides })) });
    expect(free({ slices: [other({ name: 'x' })], claims: [claim(), taking] })).toEqual([{ driver, free: expected }]);
  });

  it('another rule that keeps pods away takes them out', () => {
    const away = rule({ name: 'away', deviceSelector: { pool: 'other' }, taint: taint({ effect: 'NoSchedule' }) });
    expect(free({ slices: [other({ name: 'x' })], rules: [elsewhere, away] })).toEqual([{ driver, free: 0 }]);
  });

  it('are counted for each driver in the plan, sorted, and for none without a plan', () => {
    const wide = { ...asking, deviceSelector: { pool } };
    const user = claim({ ...allocated(result({ driver: 'z' }), result({ driver: 'a' })) });
    expect(planRule(wide, world({ claims: [user] }), t0).free).toEqual([
      { driver: 'a', free: 0 },
      { driver: 'z', free: 0 },
    ]);
    expect(planRule(wide, world({ pods: [] }), t0).free).toEqual([]);
  });

  it('an unallocated claim takes none', () => {
    const { allocation: _, ...rest } = claim({ name: 'waiting' });
    expect(free({ slices: [other({ name: 'x' })], claims: [claim(), rest] })).toEqual([{ driver, free: 1 }]);
  });
});
