// What is made of the rows of one limiter and one cluster.
import { describe, expect, it } from 'vitest';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import { farFuture } from '../../lib/model/time.ts';
import { instantText } from '../../lib/state/keys.ts';
import type { RecentEviction } from '../../lib/state/recentRows.ts';
import { assembleProgress } from '../../lib/view/assemble.ts';
import type { ClusterFacts, LimiterFacts } from '../../lib/view/facts.ts';
import { aRule } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';

const now = 1_800_000_000_000;

function facts(name: string, overrides: Partial<LimiterFacts> & { rule?: DeviceTaintRule } = {}): LimiterFacts {
  const rule = overrides.rule ?? aRule(name, now);
  const limiter = `rule|${rule.uid}`;
  return { limiter, rule, gone: false, isEvaluating: false, listed: [], isPartial: false, evicted: 0, ...overrides };
}

function cluster(overrides: Partial<ClusterFacts>): ClusterFacts {
  const nothing = { limiters: [], recent: [], recentIsPartial: false, plans: [], pauses: '' };
  return { cluster: 'c', now, heardAt: now - 1000, window: 600_000, ...nothing, ...overrides };
}

const pending = (uid: string) => ({ uid, sk: `P#0.0#${uid}` });
const waiting = (uid: string, dueAt: number) => ({ uid, sk: `W#${instantText(dueAt)}#${uid}` });
const deleting = (uid: string) => ({ uid, sk: `D#${uid}` });
/** At 2 a second, the next token comes so long after now. */
const bucketFree = (ahead: number) => ({ tat: (now + ahead) * 1000, period: 500_000, at: now * 1000 });

function evicted(name: string, at: number, limiter: string): RecentEviction {
  return { pod: { namespace: 'n', name, uid: name }, at, outcome: 'Evicted', limiter, because: [] };
}

describe('the state of a limiter', () => {
  const none = aRule('none', now, { taint: { key: 'k', effect: 'None' } });
  it.each([
    ['a rule with a pending pod is evicting', facts('a', { listed: [pending('u')] }), 'Evicting'],
    ['a rule whose last pod is being deleted is evicting', facts('a', { listed: [deleting('u')] }), 'Evicting'],
    ['tolerated for a while is waiting', facts('a', { listed: [waiting('u', now + 1)] }), 'Waiting'],
    ['a wait that is over is not', facts('a', { listed: [waiting('u', now)] }), 'Evicting'],
    ['no pod left after evictions is completed', facts('a', { evicted: 3 }), 'Completed'],
    ['no pod concerned is not started', facts('a'), 'NotStarted'],
    ['another effect never evicts', facts('none', { rule: none }), 'NoEffect'],
    ['a deleted rule is stopped', facts('a', { gone: true, evicted: 3, listed: [pending('u')] }), 'Stopped'],
  ])('a limiter is in the state that its pods and its rule are in: %s', (_, limiter, state) => {
    expect(assembleProgress(cluster({ limiters: [limiter] })).limiters[0]?.state).toBe(state);
  });

  it('counts, total, rate, next pod and end come from the same rows', () => {
    const rule = aRule('a', now, {
      deviceSelector: { driver: 'd', pool: 'p' },
      annotations: { 'sluice.dev/evictions-per-second': '2', 'sluice.dev/burst': '1' },
    });
    const listed = [deleting('r'), pending('p1'), pending('p2'), waiting('w', now + 60_000)];
    const limiter = facts('a', { rule, listed, evicted: 6, bucket: bucketFree(750) });
    expect(assembleProgress(cluster({ limiters: [limiter] })).limiters[0]).toMatchObject({
      name: 'a',
      selector: 'driver d, pool p',
      taint: 'example.com/bad=yes:NoExecute',
      rate: { perSecond: 2, burst: 1 },
      counts: { evicted: 6, deleting: 1, pending: 2, waiting: 1 },
      total: 10,
      nextAt: now + 750,
      finishAt: now + 60_000,
    });
  });

  describe('a slice taint that a wave keeps', () => {
    const limiter = 'slice|gpu.example.com|example.com/xid|79|NoExecute';
    const observer = { minDevices: 8, percent: 80, window: 60_000 };
    const scope = { kind: 'Pool', driver: 'gpu.example.com', pool: 'a' } as const;
    const offers = [{ digest: '0123456789ab', devices: 9 }];
    const wave = {
      policy: 'policy',
      scope,
      key: 'example.com/xid',
      sources: [],
      from: now,
      to: now,
      devices: 9,
      total: 10,
      offers,
    };
    const { rule: _, ...slice } = {
      ...facts('x'),
      limiter,
      listed: [waiting('u', farFuture)],
      policies: [evictionPolicy({ observer })],
      waves: [wave],
    };
    const heldBecause = (more: Partial<LimiterFacts>) =>
      assembleProgress(cluster({ limiters: [{ ...slice, ...more }] })).limiters[0]?.heldBecause;
    it.each([
      ['says so, with the figures', {}, /^9 of 10 devices of pool gpu\.example\.com\/a .*: see EvictionPolicy policy$/],
      [
        'of a class, too',
        { waves: [{ ...wave, scope: { kind: 'Class', name: 'c', selectors: [] } as const }] },
        /DeviceClass c/,
      ],
      ['not while another pod goes', { listed: [waiting('u', farFuture), pending('v')] }, undefined],
      [
        'not while another pod waits for a time',
        { listed: [waiting('u', farFuture), waiting('v', now + 1)] },
        undefined,
      ],
      ['not for another key', { waves: [{ ...wave, key: 'x' }] }, undefined],
      ['not for another driver', { waves: [{ ...wave, scope: { ...scope, driver: 'x' } }] }, undefined],
      ['not where no pod waits', { listed: [] }, undefined],
      [
        'not once it is approved',
        { policies: [evictionPolicy({ observer, annotations: { 'sluice.dev/approve': '0123456789ab' } })] },
        undefined,
      ],
    ] as const)('a slice taint that a wave keeps is shown with what keeps it: %s', (__, more, why) => {
      const said = heldBecause(more);
      if (why) expect(said).toMatch(why);
      else expect(said).toBeUndefined();
    });

    it('has no time at which it ends', () => {
      const { waves: __, ...kept } = slice;
      expect(assembleProgress(cluster({ limiters: [kept] })).limiters[0]).toMatchObject({
        counts: { waiting: 1 },
        state: 'Waiting',
      });
      expect(assembleProgress(cluster({ limiters: [kept] })).limiters[0]).not.toHaveProperty('finishAt');
    });
  });

  describe('a slice taint under a canary', () => {
    const policies = [evictionPolicy({ canary: { pods: 2, hold: 60_000 } })];
    const { rule: _, ...slice } = {
      ...facts('x'),
      limiter: 'slice|gpu.example.com|example.com/xid|79|NoExecute',
      listed: [pending('u')],
      policies,
    };
    const [first, second] = [0, 1].map((seat) => ({ seat, uid: `gone-${seat}`, deletedAt: now - 1000 }));
    const [done, other] = [first ?? { seat: 0, uid: '' }, second ?? { seat: 1, uid: '' }];
    const { deletedAt: __, ...going } = { deletedAt: 0, ...other };
    it.each<[string, Partial<LimiterFacts>, RegExp | undefined]>([
      [
        'says until when it waits',
        { seats: [done, other] },
        /^Canary of .*: 2 pods evicted, .*1 more wait until \S+Z$/,
      ],
      [
        'says that the last of it goes',
        { seats: [done, going], listed: [pending('u'), pending('v')] },
        /1 of 2 pods evicted; 1 more/,
      ],
      ['goes while it has a seat', { seats: [done] }, undefined],
      ['has no pod to keep', { seats: [done, going] }, undefined],
      ['has passed', { seats: [done, other].map((seat) => ({ ...seat, deletedAt: now - 60_000 })) }, undefined],
      ['is not kept by what its policy asks for no more', { seats: [done, other], policies: [] }, undefined],
      ['whose seats were not read continues', {}, undefined],
    ])('a slice taint under a canary is shown with what it waits for: %s', (___, more, why) => {
      const said = assembleProgress(cluster({ limiters: [{ ...slice, ...more }] })).limiters[0]?.heldBecause;
      if (why) expect(said).toMatch(why);
      else expect(said).toBeUndefined();
    });
  });

  it('a held rule shows the rate at which it will go, not that it goes at none', () => {
    const paused = { 'sluice.dev/paused': 'true', 'sluice.dev/evictions-per-second': '2', 'sluice.dev/burst': '1' };
    const rule = aRule('paused', now, { annotations: paused });
    const [limiter] = assembleProgress(
      cluster({ limiters: [facts('paused', { rule, listed: [pending('u')] })] }),
    ).limiters;
    expect(limiter).toMatchObject({ rate: { perSecond: 2, burst: 1 }, heldBecause: expect.stringContaining('Paused') });
  });

  it('a slice taint is told by its driver, key, value and effect', () => {
    const limiter = 'slice|gpu.example.com|example.com/xid|79|NoExecute';
    const { rule: _, ...slice } = { ...facts('x'), limiter, listed: [pending('u')] };
    expect(assembleProgress(cluster({ limiters: [slice] })).limiters[0]).toMatchObject({
      kind: 'Slice',
      name: 'gpu.example.com',
      taint: 'example.com/xid=79:NoExecute',
      rate: { perSecond: 10, burst: 10 },
      state: 'Evicting',
    });
  });

  it('a stopped rule says how many of the pods it had listed were kept', () => {
    const stopped = facts('a', { gone: true, evicted: 57, lastTotal: 105 });
    const recent = [evicted('p', now - 1000, stopped.limiter)];
    expect(assembleProgress(cluster({ limiters: [stopped], recent })).limiters[0]).toMatchObject({
      total: 105,
      kept: 48,
    });
  });
});

describe('what evicts no pod says why and promises nothing', () => {
  const busy = facts('a', { listed: [pending('u')] });
  const { rule: __, ...slices } = busy;
  const busySlice = { ...slices, limiter: 'slice|gpu.example.com|k||NoExecute' };
  const tooFast = aRule('a', now, { annotations: { 'sluice.dev/evictions-per-second': 'fast' } });
  const { heardAt: _, ...unheard } = cluster({ limiters: [busy] });
  it.each([
    ['no heartbeat was ever heard', unheard, /watcher is silent/],
    ['the last heartbeat is 90 s old', cluster({ limiters: [busy], heardAt: now - 90_000 }), /watcher is silent/],
    [
      'another controller owns the cluster',
      cluster({ limiters: [busy], modes: { native: 'shadow', paced: 'own' } }),
      /shadow mode/,
    ],
    [
      'the cluster is switched off',
      cluster({ limiters: [busy], modes: { native: 'off', paced: 'off' } }),
      /switched off/,
    ],
    [
      'a person has to approve',
      cluster({ limiters: [{ ...busySlice, unapproved: 'EvictionPolicy p waits' }] }),
      /^EvictionPolicy p waits$/,
    ],
    [
      'the policy was deleted under which its pods waited',
      cluster({ limiters: [{ ...busySlice, policies: [evictionPolicy({ deserted: [busySlice.limiter] })] }] }),
      /^EvictionPolicy policy was deleted while pods waited under it/,
    ],
    ['the rate cannot be read', cluster({ limiters: [{ ...busy, rule: tooFast }] }), /rate or burst is 0/],
  ])('a limiter that evicts no pod says why and promises nothing: where %s', (_, input, why) => {
    const limiter = assembleProgress(input).limiters[0];
    expect(limiter?.heldBecause).toMatch(why);
    expect(limiter).not.toHaveProperty('finishAt');
    expect(limiter).not.toHaveProperty('nextAt');
  });
});

describe('the whole cluster', () => {
  it('counts a pod once, at the limiter where it is nearest to its delete', () => {
    const limiters = [
      facts('a', { listed: [pending('u'), pending('v')] }),
      facts('b', { listed: [deleting('u'), waiting('v', now + 5), waiting('w', now + 5)] }),
    ];
    expect(assembleProgress(cluster({ limiters })).pods).toEqual({ deleting: 1, pending: 1, waiting: 1 });
  });

  it('shows rules that stand, and others only while they list or lately evicted a pod', () => {
    const [old, late, listing] = ['old', 'late', 'listing'].map((name) => facts(name, { gone: true }));
    if (!old || !late || !listing) throw new Error('three facts');
    const limiters = [facts('stands'), old, late, { ...listing, listed: [pending('u')] }];
    const names = assembleProgress(cluster({ limiters, recent: [evicted('p', now - 9000, late.limiter)] })).limiters;
    expect(names.map((one) => one.name)).toEqual(['late', 'listing', 'stands']);
  });

  it('puts what moves first, the largest before the others, and what is done last', () => {
    const limiters = [
      facts('no-pods'),
      facts('done', { evicted: 1 }),
      facts('small', { listed: [pending('u')] }),
      facts('patient', { listed: [waiting('u', now + 9)] }),
      facts('large', { listed: [pending('u'), pending('v')] }),
    ];
    const names = assembleProgress(cluster({ limiters })).limiters.map((one) => one.name);
    expect(names).toEqual(['large', 'small', 'patient', 'done', 'no-pods']);
  });

  it('charts whole seconds: the present one is not drawn, the one before it is last', () => {
    const limiter = facts('a');
    const at = [now - 1, now - 1000, now - 1001, now - 120_000, now - 120_001, now + 1];
    const recent = at.map((one, i) => evicted(`p${i}`, one, limiter.limiter));
    const perSecond = assembleProgress(cluster({ limiters: [limiter], recent })).limiters[0]?.perSecond ?? [];
    expect(perSecond).toHaveLength(120);
    expect([perSecond[0], perSecond.at(-2), perSecond.at(-1)]).toEqual([1, 1, 2]);
    expect(perSecond.reduce((sum, one) => sum + one, 0)).toBe(4);
  });

  it('tells of each pod the reason of the limiter whose token was used', () => {
    const device = { driver: 'd', pool: 'p', device: 'x' };
    const reason = (name: string) => ({
      origin: { kind: 'Rule' as const, name, uid: `uid-${name}`, generation: 1 },
      taint: { key: name, effect: 'NoExecute' },
      device,
      claim: { namespace: 'n', name: 'c' },
      at: now,
    });
    const one = { ...evicted('p', now, 'rule|uid-b'), node: 'node-1', because: [reason('a'), reason('b')] };
    expect(assembleProgress(cluster({ recent: [one] })).last[0]).toEqual({
      pod: one.pod,
      node: 'node-1',
      at: now,
      outcome: 'evicted',
      source: 'DeviceTaintRule b',
      taint: 'b:NoExecute',
      device: 'd/p/x',
      moreReasons: 1,
    });
  });
});
