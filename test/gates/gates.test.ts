// The table of gates: each keeps pods for one reason, which it states in a sentence; reasons are listed in the order of the table.
import { describe, expect, it } from 'vitest';
import type { LimiterFacts, PodFacts, Scope } from '../../lib/gates/gate.ts';
import {
  admit,
  askedOf,
  countsInFlight,
  gates,
  inFlightLimits,
  keepers,
  roomOf,
  scopeKey,
} from '../../lib/gates/index.ts';
import { mostAtOnce } from '../../lib/gates/inFlight.ts';
import type { Ledger } from '../../lib/model/eviction.ts';
import type { AtOnce, EvictionPolicy } from '../../lib/model/policy.ts';
import { farFuture } from '../../lib/model/time.ts';
import type { Reason } from '../../lib/model/verdict.ts';
import { driver, pod, pool, rule, t0, taint } from '../support/builders.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';

const limiter = 'rule|rule-uid';
const open: LimiterFacts = {
  now: t0,
  limiter,
  rule: rule(),
  rate: { perSecond: 1, burst: 1 },
  modes: { native: 'own', paced: 'own' },
  isWatched: true,
  pauses: [],
};
const reason: Reason = {
  origin: { kind: 'Rule', name: 'rule', uid: 'rule-uid', generation: 1 },
  taint: taint(),
  device: { driver, pool, device: 'instance' },
  claim: { namespace: 'default', name: 'claim' },
  at: t0,
};
const ledger: Ledger = {
  podUid: '1234',
  state: 'Pending',
  listings: [{ limiter, dueAt: t0 }],
  because: [reason],
  order: '',
};
const canary = evictionPolicy({ canary: { pods: 2, hold: 60_000 } });

describe('a limiter', () => {
  it('a limiter that no gate holds admits any number of pods', () => {
    expect(roomOf(open)).toEqual({ most: Number.POSITIVE_INFINITY, because: [] });
  });

  it.each<[string, Partial<LimiterFacts>, string, RegExp]>([
    ['whose source Sluice does not own', { modes: { native: 'shadow', paced: 'own' } }, 'NotOwned', /native shadow/],
    ['of a cluster that is stopped', { stop: 'stopped by EvictionStop x' }, 'Stopped', /stopped by EvictionStop x\.$/],
    [
      'of a cluster that is paused',
      { pauses: [{ name: 'x', why: '', since: 0, of: 'cluster' }] },
      'Paused',
      /^Paused by x\.$/,
    ],
    [
      'when everything is paused',
      { pauses: [{ name: 'x', why: 'audit', since: 0, by: 'ada', of: 'everything' }] },
      'Paused',
      /^Paused by x \(audit; by ada at 1970-01-01T00:00:00Z\), in every cluster\.$/,
    ],
    ['whose watcher is silent', { isWatched: false }, 'WatcherSilent', /watcher/],
    ['whose rule is paused', { rule: rule({ annotations: { 'sluice.dev/paused': 'true' } }) }, 'Paused', /sluice.dev/],
    ['whose policy is paused', { policy: evictionPolicy({ paused: true }) }, 'Paused', /EvictionPolicy policy/],
    [
      'whose rule has expired',
      { rule: rule({ annotations: { 'sluice.dev/expires-at': '2020-01-01T00:00:00Z' } }) },
      'Expired',
      /2020/,
    ],
    [
      'whose policy cannot be read',
      { policy: evictionPolicy({ unreadable: 'no' }) },
      'PolicyUnusable',
      /cannot be read/,
    ],
    ['whose policies contradict', { policy: evictionPolicy({ rival: 'b' }) }, 'PoliciesContradict', /equally specific/],
    ['whose policy was deleted', { policyGone: 'gone' }, 'PolicyGone', /EvictionPolicy gone was deleted/],
    [
      'outside the windows of its policy',
      { policy: evictionPolicy({ windows: [{ schedule: '0 0 30 2 *', duration: 1000 }] }) },
      'OutsideWindow',
      /never open/,
    ],
    [
      'that waits for an approval',
      { approval: { reason: 'OverLimits', message: 'Too many.' } },
      'OverLimits',
      /^Too many/,
    ],
    [
      'whose canary holds',
      { canary: { policy: canary, state: { kind: 'Holding', went: 2, last: t0, until: t0 + 60_000 }, waiting: 3 } },
      'Canary',
      /2 pods evicted/,
    ],
    [
      'whose canary is under way and has no permit left',
      { canary: { policy: canary, state: { kind: 'Running', went: 1, free: [] }, waiting: 0 } },
      'Canary',
      /under way/,
    ],
    ['whose rate is 0', { rate: { perSecond: 0, burst: 1 } }, 'StandsStill', /^Its rate is 0, or cannot be read\.$/],
    ['whose burst is 0', { rate: { perSecond: 1, burst: 0 } }, 'StandsStill', /^Its burst is 0\.$/],
    [
      'of a rule whose rate is 0',
      { rate: { perSecond: 0, burst: 1 }, rule: rule({ annotations: { 'sluice.dev/evictions-per-second': '0' } }) },
      'StandsStill',
      /^Its rate is 0 \(sluice\.dev\/evictions-per-second\)\.$/,
    ],
    ['of a cluster with a limit of 0', { clusterLimit: 0 }, 'StandsStill', /whole cluster is 0/],
  ])('a limiter %s admits no pod and says why', (_, facts, name, message) => {
    const room = roomOf({ ...open, ...facts });
    expect(room).toMatchObject({ most: 0, because: [{ reason: name, message: expect.stringMatching(message) }] });
  });

  it('a limiter of a rule that does not exist admits no pod and says why', () => {
    const { rule: _, ...gone } = { ...open, rate: { perSecond: 0, burst: 0 } };
    const because = [{ reason: 'StandsStill', message: 'Its rule does not exist.' }];
    expect(roomOf(gone)).toMatchObject({ most: 0, because });
  });

  it('a reason refers to the rule only if the rule itself is paused or has expired', () => {
    const paused = rule({ annotations: { 'sluice.dev/paused': 'true' } });
    const expired = rule({ annotations: { 'sluice.dev/expires-at': '2020-01-01T00:00:00Z' } });
    expect(roomOf({ ...open, rule: paused }).because).toMatchObject([{ of: 'Rule' }]);
    expect(roomOf({ ...open, rule: expired }).because).toMatchObject([{ of: 'Rule' }]);
    expect(roomOf({ ...open, policy: evictionPolicy({ paused: true }) }).because[0]).not.toHaveProperty('of');
  });

  it('a limiter lists all pauses of its cluster, and the modes of all its sources', () => {
    const pauses = ['x', 'y'].map((name) => ({ name, why: '', since: 0, of: 'cluster' as const }));
    expect(roomOf({ ...open, pauses }).because).toMatchObject([{ message: 'Paused by x; y.' }]);
    const slice = 'slice|driver|key||NoExecute';
    const shadow = { native: 'shadow', paced: 'off' } as const;
    expect(roomOf({ ...open, limiter: slice, modes: shadow }).because).toMatchObject([
      { message: 'Sluice does not evict for these taints in this cluster: native shadow, paced off.' },
    ]);
  });

  it('a limiter of slice taints is open if Sluice owns one of their sources', () => {
    const limited = { ...open, limiter: 'slice|driver|key||NoExecute', modes: { native: 'shadow', paced: 'own' } };
    expect(roomOf(limited as LimiterFacts).because).toEqual([]);
  });

  it('a cluster limit above 0 closes no gate', () => {
    expect(roomOf({ ...open, clusterLimit: 0.5 })).toEqual({ most: Number.POSITIVE_INFINITY, because: [] });
  });

  it('a reason without a known end names no time', () => {
    const windows = [{ schedule: '0 0 30 2 *', duration: 1000 }];
    const state = { kind: 'Running', went: 1, free: [] } as const;
    for (const facts of [{ policy: evictionPolicy({ windows }) }, { canary: { policy: canary, state, waiting: 0 } }])
      expect(roomOf({ ...open, ...facts }).because[0]).not.toHaveProperty('until');
  });

  it('a reason names the time at which a window opens or a canary ends', () => {
    const windows = [{ schedule: '0 22 * * *', duration: 3_600_000 }];
    const [closed] = roomOf({ ...open, policy: evictionPolicy({ windows }) }).because;
    expect(closed?.until).toBeGreaterThan(t0);
    const state = { kind: 'Holding', went: 2, last: t0, until: t0 + 60_000 } as const;
    const [held] = roomOf({ ...open, canary: { policy: canary, state, waiting: 3 } }).because;
    expect(held?.until).toBe(t0 + 60_000);
  });

  it('a limiter in a canary admits as many pods as there are free permits', () => {
    const state = { kind: 'Running', went: 0, free: [0, 1] } as const;
    expect(roomOf({ ...open, canary: { policy: canary, state, waiting: 0 } })).toEqual({ most: 2, because: [] });
  });

  it('a limiter that several gates hold lists every reason in the order of the table', () => {
    const { because } = roomOf({
      ...open,
      isWatched: false,
      stop: 'x',
      rate: { perSecond: 0, burst: 1 },
    });
    expect(because.map((one) => one.reason)).toEqual(['Stopped', 'WatcherSilent', 'StandsStill']);
  });

  it('gates are asked in a fixed order, and each applies to limiters or to pods', () => {
    expect(gates.map(({ name }) => name).join(' ')).toBe(
      'mode stop pause heartbeat pausedRule pausedNamespace expiry policy window approval canary rate clusterLimit dueTime budget failure loop maxPerNode maxPerWorkload maxPerPool',
    );
    for (const { room, admits } of gates) expect(room ?? admits).toBeDefined();
  });
});

const podFacts = (more: Partial<PodFacts> = {}): PodFacts => ({
  pod: pod({ controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-web' } }),
  ledger,
  inFlight: () => [],
  rounds: [],
  ...more,
});
const policed = (policy: Partial<EvictionPolicy>): LimiterFacts => ({ ...open, policy: evictionPolicy(policy) });

describe('a pod', () => {
  it('a pod that no gate keeps is admitted and counted nowhere', () => {
    expect(admit(podFacts(), open)).toEqual({ kind: 'Admitted', counted: [] });
    expect(keepers(podFacts(), open)).toEqual([]);
    const kinds = gates.flatMap(({ admits }) => (admits ? [admits(podFacts(), open).kind] : []));
    expect(new Set(kinds)).toEqual(new Set(['Admitted']));
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['by a name', { 'pause.sluice.dev/audit': 'until\nMonday' }, 'audit (until Monday)'],
    ['by kubectl alone', { 'sluice.dev/paused': 'true' }, 'sluice.dev/paused'],
    ['twice', { 'pause.sluice.dev/b': '', 'pause.sluice.dev/a': '' }, 'a; b'],
  ])('a pod whose namespace is paused %s is kept and told so', (_, annotations, by) => {
    const namespace = { name: 'team-a', annotations };
    expect(keepers(podFacts({ namespace }), open)).toEqual([
      { reason: 'Paused', message: `Its namespace team-a is paused by ${by}.` },
    ]);
    expect(admit(podFacts({ namespace }), open)).toMatchObject({ kind: 'Kept', gate: 'pausedNamespace' });
  });

  it.each([{}, { annotations: { 'sluice.dev/paused': 'false' } }, { annotations: {} }])(
    'a pod whose namespace has no pause is admitted: %j',
    (more) => {
      expect(keepers(podFacts({ namespace: { name: 'team-a', ...more } }), open)).toEqual([]);
    },
  );

  it('a pod that several gates keep lists every reason, those of its limiter first', () => {
    const kept = podFacts({ ledger: { ...ledger, blocked: { until: t0 + 5, times: 2 } } });
    const because = keepers(kept, { ...open, isWatched: false });
    expect(because.map((one) => one.reason)).toEqual(['WatcherSilent', 'BudgetExhausted']);
  });

  it.each<[string, Partial<Ledger>, string]>([
    ['that is not due yet', { listings: [{ limiter, dueAt: t0 + 1000 }] }, 'It is due at 2027-01-15T08:00:01Z.'],
    [
      'that waits for a person',
      { listings: [{ limiter, dueAt: farFuture }] },
      'It is not due until a person changes something.',
    ],
    [
      'that its budgets kept',
      { blocked: { until: t0 + 5000, times: 2 } },
      'Kept 2 times by disruption budgets, tried again from 2027-01-15T08:00:05Z.',
    ],
    [
      'that its budgets kept once',
      { blocked: { until: t0 + 5000, times: 1 } },
      'Kept once by disruption budgets, tried again from 2027-01-15T08:00:05Z.',
    ],
    [
      'that the API server failed to evict',
      { failed: { until: t0 + 6000, times: 3 } },
      'The API server failed to evict it 3 times; it is tried again from 2027-01-15T08:00:06Z.',
    ],
  ])('a pod %s has a sentence that says why it is kept', (_, change, message) => {
    const kept = admit(podFacts({ ledger: { ...ledger, ...change } }), open);
    expect(kept).toMatchObject({ because: { message } });
  });

  it('a pod is due at the time of its own limiter, not of another one', () => {
    const listings = [
      { limiter: 'rule|another', dueAt: t0 },
      { limiter, dueAt: t0 + 1 },
    ];
    expect(admit(podFacts({ ledger: { ...ledger, listings } }), open)).toMatchObject({ because: { reason: 'NotDue' } });
  });

  it.each<[string, Partial<Ledger>, string, number | undefined]>([
    ['that is not due yet', { listings: [{ limiter, dueAt: t0 + 1 }] }, 'NotDue', t0 + 1],
    ['that waits for a person', { listings: [{ limiter, dueAt: farFuture }] }, 'NotDue', undefined],
    ['that the limiter does not list', { listings: [] }, 'NotDue', undefined],
    ['that its budgets kept', { blocked: { until: t0 + 5, times: 2 } }, 'BudgetExhausted', t0 + 5],
    ['that the API server failed to evict', { failed: { until: t0 + 6, times: 3 } }, 'RetryingLater', t0 + 6],
  ])('a pod %s is kept, until that time if one is known', (_, change, name, until) => {
    const kept = admit(podFacts({ ledger: { ...ledger, ...change } }), open);
    expect(kept).toMatchObject({ kind: 'Kept', because: { reason: name } });
    expect(kept.kind === 'Kept' && kept.because.until).toBe(until);
  });

  it.each<[string, Partial<Ledger>]>([
    ['at the very time it is due', { listings: [{ limiter, dueAt: t0 }] }],
    ['when its budgets may be asked again', { blocked: { until: t0, times: 2 } }],
    ['when its retry after a failure is due', { failed: { until: t0, times: 2 } }],
  ])('a pod passes the gates %s', (_, change) => {
    expect(admit(podFacts({ ledger: { ...ledger, ...change } }), open).kind).toBe('Admitted');
  });

  const device = `${driver}|${pool}|instance`;
  const rounds = (...times: number[]) => [{ device, times, ver: times.length }];
  it('a pod whose owner’s pods keep coming back is kept at the loop limit; below it, the round is counted', () => {
    const facts = policed({ loopLimit: 2, loopWindow: 60_000 });
    expect(askedOf(podFacts(), facts).rounds).toEqual({ owner: 'uid-web', devices: [device] });
    const young = pod({ creationTimestamp: t0, controller: podFacts().pod.controller } as never);
    const looping = admit(podFacts({ pod: young, rounds: rounds(t0 - 3, t0 - 2) }), facts);
    expect(looping).toMatchObject({
      kind: 'Kept',
      because: { reason: 'Looping' },
      loop: { limiter, device, times: 2 },
    });
    expect(looping).toMatchObject({
      because: {
        message: `Pods of its owner were evicted from device ${device} 2 times and came back; it stays until 2027-01-15T08:00:59Z.`,
      },
    });
    const next = admit(podFacts({ pod: young, rounds: rounds(t0 - 3) }), facts);
    const counted = {
      kind: 'Round',
      owner: 'uid-web',
      rounds: { device, times: [t0 - 3, t0], ver: 1 },
      window: 60_000,
    };
    expect(next).toMatchObject({ kind: 'Admitted', counted: [counted] });
    expect(askedOf(podFacts(), open).rounds).toEqual({ owner: 'uid-web', devices: [device] });
    expect(askedOf(podFacts(), policed({ loopLimit: 0 })).rounds).toBeUndefined();
  });

  it('a pod counts for no round if it is older than the last round, has no owner, or its policy sets no limit', () => {
    const facts = policed({ loopLimit: 2, loopWindow: 60_000 });
    const before = rounds(t0 - 3, t0 - 2);
    expect(admit(podFacts({ rounds: before }), facts)).toEqual({ kind: 'Admitted', counted: [] });
    const young = { ...podFacts().pod, creationTimestamp: t0 };
    expect(admit(podFacts({ pod: pod({ creationTimestamp: t0 }), rounds: before }), facts)).toEqual({
      kind: 'Admitted',
      counted: [],
    });
    const unlimited = policed({ loopLimit: 0 });
    expect(admit(podFacts({ pod: young, rounds: before }), unlimited)).toEqual({ kind: 'Admitted', counted: [] });
  });

  it('a pod with devices of several pools counts in each pool, in the order of their names', () => {
    const because = ['z', 'a'].map((name) => ({ ...reason, device: { ...reason.device, pool: name } }));
    const { scopes } = askedOf(
      podFacts({ ledger: { ...ledger, because } }),
      policed({ limits: { maxPerPool: { count: 1 } } }),
    );
    expect(scopes.map(scopeKey)).toEqual([`Pool|${driver}|a`, `Pool|${driver}|z`]);
  });

  const census = {
    all: 9,
    byDriver: new Map(),
    byClass: new Map(),
    byNode: new Map([['worker', 4]]),
    byWorkload: new Map([['uid-web', 6]]),
    byPool: new Map([[`${driver}|${pool}`, 8]]),
  };
  it.each<[keyof NonNullable<EvictionPolicy['limits']>, Scope, string, number]>([
    ['maxPerNode', { kind: 'Node', of: 'worker' }, 'node worker', 2],
    ['maxPerWorkload', { kind: 'Workload', of: 'uid-web' }, 'controller uid-web', 3],
    ['maxPerPool', { kind: 'Pool', of: `${driver}|${pool}` }, `pool ${driver}/${pool}`, 4],
  ])(
    '%s counts a pod in its scope, and keeps it while that many evictions are in flight',
    (limit, scope, words, half) => {
      const counted = policed({ limits: { [limit]: { count: 2 } }, loopLimit: 0 });
      expect(askedOf(podFacts(), counted)).toEqual({ scopes: [scope], isRelative: false });
      const others = (n: number) => (asked: Scope) =>
        scopeKey(asked) === scopeKey(scope) ? Array.from({ length: n }, (_, i) => `default/p${i}`) : [];
      const at = (n: number, facts: LimiterFacts) => admit(podFacts({ inFlight: others(n), census }), facts);
      expect(at(1, counted)).toEqual({ kind: 'Admitted', counted: [{ kind: 'InFlight', scope }] });
      const gate = gates.find((one) => one.name === limit);
      expect(gate?.admits?.(podFacts({ inFlight: others(1) }), counted).kind).toBe('Admitted');
      expect(at(2, counted)).toMatchObject({
        kind: 'Kept',
        full: scope,
        because: {
          reason: 'TooManyInFlight',
          message: `EvictionPolicy policy allows 2 of ${words} to be evicted at once, and these are not finished: default/p0, default/p1.`,
        },
      });
      const relative = policed({ limits: { [limit]: { percent: 50 } }, loopLimit: 0 });
      expect(askedOf(podFacts(), relative).isRelative).toBe(true);
      expect(at(half - 1, relative).kind).toBe('Admitted');
      expect(at(half, relative)).toMatchObject({
        kind: 'Kept',
        because: { message: expect.stringContaining('allows 50% of') },
      });
      expect(countsInFlight(counted.policy)).toBe(true);
    },
  );

  it.each<[string, AtOnce, number, string | undefined]>([
    ['is admitted below the bound', { count: 10_000 }, 999, undefined],
    [
      'is kept at the bound, whatever count its policy has',
      { count: 10_000 },
      1000,
      'EvictionPolicy policy allows 10000 (at most 1000) of ',
    ],
    [
      'is kept at the bound, whatever percentage its policy has',
      { percent: 100 },
      1000,
      'EvictionPolicy policy allows 100% (at most 1000) of ',
    ],
    [
      'is kept by its policy where that has the bound itself',
      { count: 1000 },
      1000,
      'EvictionPolicy policy allows 1000 of ',
    ],
  ])('a pod with a thousand pods of its scope in flight %s', (_, maxPerNode, n, begins) => {
    const inFlight = () => Array.from({ length: n }, (_, i) => `default/p${i}`);
    const crowded = { ...census, byNode: new Map([['worker', 5000]]) };
    const admission = admit(podFacts({ inFlight, census: crowded }), policed({ limits: { maxPerNode }, loopLimit: 0 }));
    expect(admission.kind).toBe(begins === undefined ? 'Admitted' : 'Kept');
    if (admission.kind !== 'Kept') return;
    const { reason, message } = admission.because;
    expect(reason).toBe('TooManyInFlight');
    expect(message.startsWith(begins ?? '')).toBe(true);
    const named = Array.from({ length: 10 }, (_, i) => `default/p${i}`).join(', ');
    expect(message.endsWith(`, and these are not finished: ${named}, ….`)).toBe(true);
  });

  it('a pod that eleven others keep is told of ten of them and that there are others', () => {
    const told = (n: number) => {
      const inFlight = () => Array.from({ length: n }, (_, i) => `p${i}`);
      const by = policed({ limits: { maxPerNode: { count: 1 } }, loopLimit: 0 });
      return keepers(podFacts({ inFlight }), by).map(({ message }) => message.replace(/^.*finished: /, ''));
    };
    expect(told(10)).toEqual(['p0, p1, p2, p3, p4, p5, p6, p7, p8, p9.']);
    expect(told(11)).toEqual(['p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, ….']);
  });

  it('a pod without a node or a controller counts in no scope of theirs', () => {
    const { nodeName: _, ...alone } = pod();
    const facts = policed({ limits: { maxPerNode: { count: 1 }, maxPerWorkload: { count: 1 } } });
    expect(askedOf({ pod: alone, ledger }, facts).scopes).toEqual([]);
  });

  it('a policy without in-flight limits does not count pods in flight', () => {
    expect(countsInFlight(undefined)).toBe(false);
    expect(countsInFlight(evictionPolicy({ limits: { maxPods: 1 } }))).toBe(false);
  });

  it('the limits in flight of a policy are named by their fields', () => {
    const limits = { maxPods: 1, maxPerNode: { count: 1 }, maxPerPool: { count: 2 } };
    expect(inFlightLimits(evictionPolicy({ limits }))).toEqual(['maxPerNode', 'maxPerPool']);
    expect(inFlightLimits(evictionPolicy({}))).toEqual([]);
    expect(inFlightLimits(undefined)).toEqual([]);
    expect(countsInFlight(evictionPolicy({ limits }))).toBe(true);
  });

  it.each([
    [{ count: 3 }, undefined, 3],
    [{ percent: 10 }, 11, 2],
    [{ percent: 10 }, 0, 1],
    [{ percent: 100 }, undefined, 1],
  ])('a limit of %j allows, of %s pods, %d evictions at once', (atOnce, pods, most) => {
    expect(mostAtOnce(atOnce, () => pods)).toBe(most);
  });
});
