// The progress of a limiter and of a cluster, assembled from their rows.
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
/** A bucket at 2 per second whose next token is granted `ahead` milliseconds after now. */
const bucketFree = (ahead: number) => ({ tat: (now + ahead) * 1000, period: 500_000, at: now * 1000 });

function evicted(name: string, at: number, limiter: string): RecentEviction {
  return { pod: { namespace: 'n', name, uid: name }, at, outcome: 'Evicted', limiter, because: [] };
}

describe('a pod that two rules reach', () => {
  const [a, b] = [aRule('a', now), aRule('b', now)];
  const because = [a, b].map(({ name, uid }) => ({
    origin: { kind: 'Rule' as const, name, uid, generation: 1 },
    taint: { key: 'k', effect: 'NoExecute' as const },
    device: { driver: 'd', pool: 'p', device: 'x' },
    claim: { namespace: 'n', name: 'c' },
    at: now,
  }));
  const last = [now - 1000, now - 5000].map((at) => ({ ...evicted(`${at}`, at, `rule|${a.uid}`), because }));

  it('a pod that two rules reach counts in both, and the sum says how many pods it counts twice', () => {
    const limiters = [facts('a', { rule: a, evicted: 2 }), facts('b', { rule: b, evicted: 2 })];
    const shown = assembleProgress(cluster({ limiters, recent: last }));
    const done = { pods: 2, took: 4000, missed: 0 };
    expect(shown.limiters.map((one) => one.done)).toEqual([done, { ...done, byOthers: 2 }]);
    expect([shown.recent.evicted, shown.shared]).toEqual([2, 2]);
    const third = aRule('third', now);
    const listed = [...limiters, facts('third', { rule: third })].map((one) => ({ ...one, listed: [pending('u')] }));
    expect(assembleProgress(cluster({ limiters: listed })).shared).toBe(1);
  });

  it('a pod that two rules reach has one end: that of the rule that evicts it first', () => {
    const rate = (perSecond: string) => ({ 'sluice.dev/evictions-per-second': perSecond, 'sluice.dev/burst': '1' });
    const listed = ['u', 'v', 'w'].map(pending);
    const [fast, slow] = [aRule('a', now, { annotations: rate('1') }), aRule('b', now, { annotations: rate('0.1') })];
    const limiters = [facts('a', { rule: fast, listed }), facts('b', { rule: slow, listed })];
    const ends = assembleProgress(cluster({ limiters })).limiters.map(({ finishAt }) => finishAt);
    expect(ends).toEqual([now + 2000, now + 2000]);
    const own = [facts('a', { rule: fast, listed: [pending('u')] }), facts('b', { rule: slow, listed })];
    expect(assembleProgress(cluster({ limiters: own })).limiters.map((one) => one.finishAt)).toContain(now + 20_000);
  });

  it('a deleted rule whose pods were evicted by another rule stays with what was done', () => {
    const { rule: _, ...gone } = facts('b', { rule: b, evicted: 2, lastTotal: 2, gone: true });
    const shown = assembleProgress(cluster({ limiters: [gone], recent: last })).limiters[0];
    expect(shown).toMatchObject({ name: 'b', state: 'Completed', total: 2, counts: { evicted: 2 } });
  });

  it('a finished rule shows its pause', () => {
    const rule = { ...b, annotations: { 'pause.sluice.dev/audit': '' } };
    const shown = assembleProgress(cluster({ limiters: [facts('b', { rule, evicted: 1 })] })).limiters[0];
    expect(shown).toMatchObject({ state: 'Completed', heldBecause: 'Paused by audit' });
  });

  it('a rule whose pods are still looked for is not completed by the evictions of another rule', () => {
    const limiters = [facts('b', { rule: b, evicted: 1, isEvaluating: true })];
    const [shown] = assembleProgress(cluster({ limiters, recent: last })).limiters;
    expect([shown?.state, shown?.done]).toEqual(['NotStarted', undefined]);
  });

  it('evicted, deleting and kept pods of a deleted rule add up to its total', () => {
    const listed = [deleting('u'), pending('v')];
    const sums = [undefined, 8].map((lastTotal) => {
      const one = facts('a', { rule: a, gone: true, evicted: 5, listed, ...(lastTotal ? { lastTotal } : {}) });
      const [shown] = assembleProgress(cluster({ limiters: [one] })).limiters;
      const { evicted = 0, deleting: going = 0 } = shown?.counts ?? {};
      return [evicted + going + (shown?.kept ?? 0), shown?.total];
    });
    expect(sums).toEqual([
      [6, 6],
      [8, 8],
    ]);
  });

  it('the time that a rule took is left out if some of its evictions are too old to be listed', () => {
    const limiters = [facts('a', { rule: a, evicted: 3 })];
    expect(assembleProgress(cluster({ limiters, recent: last })).limiters[0]?.done).toEqual({ pods: 3, missed: 0 });
  });
});

describe('the state of a limiter', () => {
  const none = aRule('none', now, { taint: { key: 'k', effect: 'None' } });
  it.each([
    ['a rule with a pending pod is evicting', facts('a', { listed: [pending('u')] }), 'Evicting'],
    ['a rule whose last pod is being deleted is evicting', facts('a', { listed: [deleting('u')] }), 'Evicting'],
    [
      'a rule whose pods tolerate the taint for a while is waiting',
      facts('a', { listed: [waiting('u', now + 1)] }),
      'Waiting',
    ],
    ['a rule with a pod whose wait is over is evicting', facts('a', { listed: [waiting('u', now)] }), 'Evicting'],
    ['a rule without a pod left after evictions is completed', facts('a', { evicted: 3 }), 'Completed'],
    ['a rule without any pod is not started', facts('a'), 'NotStarted'],
    ['a rule with effect None has no effect', facts('none', { rule: none }), 'NoEffect'],
    ['a deleted rule is stopped', facts('a', { gone: true, evicted: 3, listed: [pending('u')] }), 'Stopped'],
  ])('the state of a limiter follows from its pods and its rule: %s', (_, limiter, state) => {
    expect(assembleProgress(cluster({ limiters: [limiter] })).limiters[0]?.state).toBe(state);
  });

  it('counts, total, rate, next eviction and end are computed from the same rows', () => {
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

  describe('a slice taint held by a wave of taints', () => {
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
      [
        'with the figures of the wave',
        {},
        /^9 of 10 devices of pool gpu\.example\.com\/a .*: see EvictionPolicy policy$/,
      ],
      [
        'for a DeviceClass',
        { waves: [{ ...wave, scope: { kind: 'Class', name: 'c', selectors: [] } as const }] },
        /DeviceClass c/,
      ],
      ['not while another pod is pending', { listed: [waiting('u', farFuture), pending('v')] }, undefined],
      ['not while another pod has a due time', { listed: [waiting('u', farFuture), waiting('v', now + 1)] }, undefined],
      ['not for another key', { waves: [{ ...wave, key: 'x' }] }, undefined],
      ['not for another driver', { waves: [{ ...wave, scope: { ...scope, driver: 'x' } }] }, undefined],
      ['not while no pod is listed', { listed: [] }, undefined],
      [
        'not once the wave is approved',
        { policies: [evictionPolicy({ observer, annotations: { 'sluice.dev/approve': '0123456789ab' } })] },
        undefined,
      ],
    ] as const)('a slice taint is shown as held by a wave of taints: %s', (__, more, why) => {
      const said = heldBecause(more);
      if (why) expect(said).toMatch(why);
      else expect(said).toBeUndefined();
    });

    it('a slice taint whose only pod is held has no estimated end', () => {
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
        'with the end of the hold',
        { seats: [done, other] },
        /^Canary of .*: 2 pods evicted, .*1 more wait until \S+Z$/,
      ],
      [
        'with the pods of the canary that are not evicted yet',
        { seats: [done, going], listed: [pending('u'), pending('v')] },
        /1 of 2 pods evicted; 1 more/,
      ],
      ['not while the canary has a free slot', { seats: [done] }, undefined],
      ['not without a pod besides those of the canary', { seats: [done, going] }, undefined],
      [
        'not after the hold has passed',
        { seats: [done, other].map((seat) => ({ ...seat, deletedAt: now - 60_000 })) },
        undefined,
      ],
      ['not without a policy', { seats: [done, other], policies: [] }, undefined],
      ['not if the slots were not read', {}, undefined],
    ])('a slice taint is shown as held by a canary: %s', (___, more, why) => {
      const said = assembleProgress(cluster({ limiters: [{ ...slice, ...more }] })).limiters[0]?.heldBecause;
      if (why) expect(said).toMatch(why);
      else expect(said).toBeUndefined();
    });
  });

  it.each([
    ['none before a canary that keeps some of its pods', 3, false],
    ['one with a canary that all of its pods fit into', 1, true],
  ])('the estimated end of a taint is %s', (_, pods, isKnown) => {
    const { rule: __, ...slice } = facts('x');
    const limiter = 'slice|gpu.example.com|example.com/xid|79|NoExecute';
    const policies = [evictionPolicy({ canary: { pods: 2, hold: 60_000 } })];
    const listed = Array.from({ length: pods }, (___, i) => pending(`u${i}`));
    const seats = [{ seat: 0, uid: 'gone', deletedAt: now - 1000 }];
    const [one] = assembleProgress(cluster({ limiters: [{ ...slice, limiter, policies, listed, seats }] })).limiters;
    expect(one).toHaveProperty('nextAt');
    expect(one && 'finishAt' in one).toBe(isKnown);
  });

  it('a held rule shows its configured rate and not a rate of 0', () => {
    const paused = { 'sluice.dev/paused': 'true', 'sluice.dev/evictions-per-second': '2', 'sluice.dev/burst': '1' };
    const rule = aRule('paused', now, { annotations: paused });
    const [limiter] = assembleProgress(
      cluster({ limiters: [facts('paused', { rule, listed: [pending('u')] })] }),
    ).limiters;
    expect(limiter).toMatchObject({ rate: { perSecond: 2, burst: 1 }, heldBecause: expect.stringContaining('Paused') });
  });

  it('a slice taint is identified by its driver, key, value and effect', () => {
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

  it('a stopped rule shows how many of the pods that it had listed were kept', () => {
    const stopped = facts('a', { gone: true, evicted: 57, lastTotal: 105 });
    const recent = [evicted('p', now - 1000, stopped.limiter)];
    expect(assembleProgress(cluster({ limiters: [stopped], recent })).limiters[0]).toMatchObject({
      total: 105,
      kept: 48,
    });
  });
});

describe('a limiter that evicts no pod', () => {
  const busy = facts('a', { listed: [pending('u')] });
  const { rule: __, ...slices } = busy;
  const busySlice = { ...slices, limiter: 'slice|gpu.example.com|k||NoExecute' };
  const tooFast = aRule('a', now, { annotations: { 'sluice.dev/evictions-per-second': 'fast' } });
  const { heardAt: _, ...unheard } = cluster({ limiters: [busy] });
  it.each([
    ['no heartbeat was ever received', unheard, /watcher is silent/],
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
      'the taint waits for an approval',
      cluster({ limiters: [{ ...busySlice, unapproved: 'EvictionPolicy p waits' }] }),
      /^EvictionPolicy p waits$/,
    ],
    [
      'its policy was deleted while pods were pending under it',
      cluster({
        limiters: [{ ...busySlice, policies: [evictionPolicy({ deserted: [busySlice.limiter], isGone: true })] }],
      }),
      /^EvictionPolicy policy was deleted while pods waited under it/,
    ],
    [
      'the rate cannot be read',
      cluster({ limiters: [{ ...busy, rule: tooFast }] }),
      /evictions-per-second is "f.*no number/,
    ],
  ])('a limiter that evicts no pod gives the reason and no estimate: %s', (_, input, why) => {
    const limiter = assembleProgress(input).limiters[0];
    expect(limiter?.heldBecause).toMatch(why);
    expect(limiter).not.toHaveProperty('finishAt');
    expect(limiter).not.toHaveProperty('nextAt');
  });
});

describe('the whole cluster', () => {
  it('a pod of several limiters is counted once, in the state that is nearest to its delete', () => {
    const limiters = [
      facts('a', { listed: [pending('u'), pending('v')] }),
      facts('b', { listed: [deleting('u'), waiting('v', now + 5), waiting('w', now + 5)] }),
    ];
    expect(assembleProgress(cluster({ limiters })).pods).toEqual({ deleting: 1, pending: 1, waiting: 1 });
  });

  it('a deleted rule is shown only while it lists a pod or has recently evicted one', () => {
    const [old, late, listing] = ['old', 'late', 'listing'].map((name) => facts(name, { gone: true }));
    if (!old || !late || !listing) throw new Error('three facts');
    const limiters = [facts('stands'), old, late, { ...listing, listed: [pending('u')] }];
    const names = assembleProgress(cluster({ limiters, recent: [evicted('p', now - 9000, late.limiter)] })).limiters;
    expect(names.map((one) => one.name)).toEqual(['late', 'listing', 'stands']);
  });

  it('limiters that evict come first, the largest before the others, and those without pods come last', () => {
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

  it('the chart has whole seconds and ends with the last complete one', () => {
    const limiter = facts('a');
    const at = [now - 1, now - 1000, now - 1001, now - 120_000, now - 120_001, now + 1];
    const recent = at.map((one, i) => evicted(`p${i}`, one, limiter.limiter));
    const perSecond = assembleProgress(cluster({ limiters: [limiter], recent })).limiters[0]?.perSecond ?? [];
    expect(perSecond).toHaveLength(120);
    expect([perSecond[0], perSecond.at(-2), perSecond.at(-1)]).toEqual([1, 1, 2]);
    expect(perSecond.reduce((sum, one) => sum + one, 0)).toBe(4);
  });

  it('an eviction is shown with the reason of the limiter whose token was used', () => {
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
      sources: ['DeviceTaintRule/a', 'DeviceTaintRule/b'],
    });
  });
});
