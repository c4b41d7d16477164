// Many devices tainted alike at once: what makes a wave, how it lasts, and what an approval of it covers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Published } from '../../lib/decide/deviceMatch.ts';
import { policyHeld } from '../../lib/decide/sliceApproval.ts';
import {
  candidatesOf,
  isWatchedFor,
  mayBeWaves,
  type Watched,
  wavesOf as wavesCounted,
} from '../../lib/decide/wave.ts';
import { addCounts, nothingCounted } from '../../lib/decide/waveCounts.ts';
import { approvedDigests, isHeldWave, waveOver } from '../../lib/decide/waveHold.ts';
import { isInside } from '../../lib/decide/waveScope.ts';
import { describeWave, keptByWaves, waveEvent, wavesWaiting } from '../../lib/decide/waveText.ts';
import { deviceKey } from '../../lib/model/identity.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { createRecall } from '../../lib/model/recall.ts';
import { poolsOf } from '../../lib/model/snapshot.ts';
import type { StandingTaint } from '../../lib/model/standing.ts';
import type { Wave } from '../../lib/model/wave.ts';
import { driver, slice, t0 } from '../support/builders.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';

const key = 'example.com/ecc';
const minute = 60_000;
const observer = { minDevices: 8, percent: 80, window: minute };
const holdOver = (policy: EvictionPolicy, waves: readonly Wave[]) =>
  policyHeld(policy, { parts: [wavesWaiting(policy, waves)], kept: keptByWaves(policy, waves) });
const watching = (more: Partial<EvictionPolicy> = {}) => evictionPolicy({ observer, ...more });
const stands = (since: number, more: Partial<StandingTaint> = {}): StandingTaint => ({
  source: 'ResourceSlice',
  key,
  since: t0 + since,
  ...more,
});

/** Pools of ten devices `d0` to `d9`, even ones with the attribute `old`. */
const poolOfTen = (name: string) =>
  slice({
    name,
    pool: { name, generation: 1 },
    devices: Array.from({ length: 10 }, (_, i) => ({ name: `d${i}`, attributes: { old: { bool: i % 2 === 0 } } })),
  });
const id = (pool: string, i: number) => ({ driver, pool, device: `d${i}` });

/** The first `count` devices of each pool, each with what `taintOf` says. */
function tainted(
  count: number,
  taintOf: (i: number) => StandingTaint[] = (i) => [stands(i)],
  pools: readonly string[] = ['a'],
) {
  const devices = pools.flatMap((pool) =>
    Array.from({ length: count }, (_, i) => [deviceKey(id(pool, i)), taintOf(i)] as const),
  );
  return new Map(devices);
}

type Observed = Watched & Published;

/** All pools in one part. */
function wavesOf(observed: Observed): readonly Wave[] {
  const candidates = candidatesOf(observed);
  return wavesCounted(candidates, addCounts(nothingCounted, candidates, observed));
}

function look(more: Partial<Observed> & { readonly poolNames?: readonly string[] } = {}): Observed {
  const { poolNames = ['a'], ...rest } = more;
  return {
    pools: poolsOf(poolNames.map(poolOfTen)),
    standing: tainted(8),
    classes: new Map(),
    policies: [watching()],
    known: [],
    recall: createRecall(),
    ...rest,
  };
}

const digest = '4f479e177f4a';
/** What `look()` finds. */
const found: Wave = {
  policy: 'policy',
  scope: { kind: 'Pool', driver, pool: 'a' },
  key,
  sources: ['ResourceSlice'],
  from: t0,
  to: t0 + 7,
  devices: 8,
  total: 10,
  offers: [{ digest, devices: 8 }],
};

describe('a device', () => {
  const standing = (more: Partial<StandingTaint> = {}, policies = [watching()]) =>
    isWatchedFor(deviceKey(id('a', 0)), [stands(0, more)], policies);

  it('is watched for waves while a taint stands on it that a policy with an observer selects', () => {
    expect(standing()).toBe(true);
    expect(standing({ liftedAt: t0 + 1 })).toBe(false);
    expect(standing({}, [evictionPolicy()])).toBe(false);
    expect(standing({}, [watching({ taints: { drivers: ['another.example.com'] } })])).toBe(false);
    expect(standing({}, [watching({ taints: { drivers: [driver] } })])).toBe(true);
    expect(isWatchedFor(deviceKey(id('a', 0)), [], [watching()])).toBe(false);
  });
});

describe('most of a pool tainted at once', () => {
  it('is a wave, and has the same digest in every version', () => {
    expect(wavesOf(look())).toEqual([found]);
  });

  it.each([
    ['is a wave at eight of ten', {}, 1],
    ['is none at seven', { standing: tainted(7) }, 0],
    ['is none below the share', { policies: [watching({ observer: { ...observer, percent: 81 } })] }, 0],
    [
      'is one at exactly the share',
      { policies: [watching({ observer: { ...observer, minDevices: 1, percent: 80 } })] },
      1,
    ],
    [
      'is none where fewer would do for the share but not for the number',
      { policies: [watching({ observer: { ...observer, minDevices: 9 } })] },
      0,
    ],
    [
      'is one when the last came at the end of the window',
      { standing: tainted(8, (i) => [stands(i === 7 ? minute : 0)]) },
      1,
    ],
    ['is none when the last came after it', { standing: tainted(8, (i) => [stands(i === 7 ? minute + 1 : 0)]) }, 0],
    [
      'is one when earlier ones do not count but enough later ones do',
      { standing: tainted(10, (i) => [stands(i < 2 ? 0 : minute * 9 + i)]) },
      1,
    ],
    [
      'is none when half of them are of another key',
      { standing: tainted(8, (i) => [stands(0, i % 2 ? { key: 'x' } : {})]) },
      0,
    ],
    [
      'is none when one of them has gone',
      { standing: tainted(8, (i) => [stands(0, i === 7 ? { liftedAt: t0 + 1 } : {})]) },
      0,
    ],
    [
      'is one when drivers and agents say it together',
      { standing: tainted(8, (i) => [stands(0, i % 2 ? { source: 'DeviceTaintSlice' } : {})]) },
      1,
    ],
    [
      'is none when both say it of the same few',
      { standing: tainted(4, () => [stands(0), stands(0, { source: 'DeviceTaintSlice' })]) },
      0,
    ],
    ['is none without a policy', { policies: [] }, 0],
    ['is none where the policy does not watch', { policies: [evictionPolicy()] }, 0],
    [
      'is none where a more specific policy does not watch',
      { policies: [watching(), evictionPolicy({ name: 'b', taints: { keys: [key] } })] },
      0,
    ],
    [
      'is none for a policy that is for rules',
      { policies: [watching({ taints: { sources: ['DeviceTaintRule'] } })] },
      0,
    ],
    [
      'is one for a policy that is for drivers',
      { policies: [watching({ taints: { drivers: [driver], sources: ['ResourceSlice'] } })] },
      1,
    ],
    ['is one in each of two pools', { poolNames: ['a', 'b'], standing: tainted(8, undefined, ['a', 'b']) }, 2],
    [
      'is none where each of two pools has half',
      { poolNames: ['a', 'b'], standing: tainted(5, undefined, ['a', 'b']) },
      0,
    ],
  ] as const)('most of a pool tainted at once is a wave with its figures: %s', (_, more, count) => {
    expect(wavesOf(look(more))).toHaveLength(count);
  });

  it('has its figures', () => {
    expect(wavesOf(look({ standing: tainted(9, (i) => [stands(i * 1000)]) }))).toEqual([
      {
        policy: 'policy',
        scope: { kind: 'Pool', driver, pool: 'a' },
        key,
        sources: ['ResourceSlice'],
        from: t0,
        to: t0 + 8000,
        devices: 9,
        total: 10,
        offers: [{ digest: expect.stringMatching(/^[0-9a-f]{12}$/), devices: 9 }],
      },
    ]);
  });

  it('lies in the first of two windows that are as full', () => {
    const policies = [watching({ observer: { ...observer, minDevices: 3, percent: 30 } })];
    const standing = tainted(6, (i) => [stands(i < 3 ? i : 9 * minute + i)]);
    expect(wavesOf(look({ policies, standing }))).toMatchObject([{ from: t0, to: t0 + 2, devices: 6 }]);
  });

  it('names who says so', () => {
    const [wave] = wavesOf(
      look({ standing: tainted(8, (i) => [stands(0, i === 5 ? { source: 'DeviceTaintSlice' } : {})]) }),
    );
    expect(wave?.sources).toEqual(['DeviceTaintSlice', 'ResourceSlice']);
    expect(wavesOf(look({ known: wave ? [wave] : [], standing: tainted(3) }))).toMatchObject([
      { sources: ['ResourceSlice'] },
    ]);
    const both = tainted(8, () => [stands(0), stands(1, { source: 'DeviceTaintSlice' })]);
    expect(wavesOf(look({ standing: both }))).toMatchObject([{ sources: ['DeviceTaintSlice', 'ResourceSlice'] }]);
  });

  it('counts from the earlier one where a driver and an agent say it', () => {
    const twice = (since: number) =>
      tainted(8, () => [stands(5 * minute), stands(since, { source: 'DeviceTaintSlice' })]);
    expect(wavesOf(look({ standing: twice(0) }))).toMatchObject([{ from: t0, to: t0 }]);
    expect(wavesOf(look({ standing: twice(9 * minute) }))).toMatchObject([{ from: t0 + 5 * minute }]);
  });

  it('of a pool has none of the devices of another driver whose pool has its name', () => {
    const others = [0, 1].map((i) => [deviceKey({ ...id('a', i), driver: 'other.example.com' }), [stands(0)]] as const);
    const standing = new Map<string, readonly StandingTaint[]>([...tainted(8), ...others]);
    expect(wavesOf(look({ standing }))).toEqual([found]);
  });

  it('of devices that are not published is one of them alone', () => {
    expect(wavesOf(look({ poolNames: [] }))).toMatchObject([{ devices: 8, total: 8 }]);
  });
});

it('waves are the same in whatever parts the pools are counted', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const classes = new Map([
    ['all', []],
    ['old', [`device.attributes["${driver}"].old`]],
  ]);
  fc.assert(
    fc.property(
      fc.array(fc.nat(2), { minLength: names.length, maxLength: names.length }),
      fc.subarray(names),
      fc.nat(10),
      (partOf, pools, count) => {
        const whole = look({ poolNames: names, classes, standing: tainted(count, undefined, pools) });
        const candidates = candidatesOf(whole);
        const parts = [0, 1, 2].map((part) => names.filter((_, i) => partOf[i] === part).map(poolOfTen));
        const counts = parts.reduce(
          (before, slices) => addCounts(before, candidates, { pools: poolsOf(slices), recall: whole.recall }),
          nothingCounted,
        );
        expect(wavesCounted(candidates, counts)).toEqual(wavesOf(whole));
      },
    ),
  );
});

describe('most of a class tainted at once', () => {
  const old = new Map([['old', [`device.attributes["${driver}"].old`]]]);
  const even = (count: number, pools: readonly string[]) =>
    new Map([...tainted(10, undefined, pools)].filter(([one]) => Number(one.at(-1)) % 2 === 0).slice(0, count));
  it.each([
    ['is a wave over several pools', even(8, ['a', 'b']), 1],
    ['is none below the number', even(7, ['a', 'b']), 0],
    ['is none where others than its devices are', tainted(6, undefined, ['a', 'b']), 0],
  ])('most of a class tainted at once is a wave of the class: %s', (_, standing, count) => {
    const waves = wavesOf(look({ poolNames: ['a', 'b'], standing, classes: old }));
    expect(waves.filter(({ scope }) => scope.kind === 'Class')).toHaveLength(count);
  });

  it('has its name, its expressions and its own figures', () => {
    const waves = wavesOf(look({ poolNames: ['a', 'b'], standing: even(9, ['a', 'b']), classes: old }));
    expect(waves).toMatchObject([
      { scope: { kind: 'Class', name: 'old', selectors: old.get('old') }, devices: 9, total: 10 },
    ]);
  });
});

it.each([
  ['enough are tainted alike', {}, true],
  ['a wave is known, whatever is tainted', { standing: tainted(1), known: [found] }, true],
  ['too few are tainted', { standing: tainted(7) }, false],
  ['too few are tainted alike', { standing: tainted(8, (i) => [stands(0, { key: `k${i % 2}` })]) }, false],
  ['no policy watches', { policies: [evictionPolicy()] }, false],
])('it is worth a look at all devices where %s: %#', (_, more, isWorth) => {
  expect(mayBeWaves(look(more))).toBe(isWorth);
});

it('waves come in the order of their names, those of classes first', () => {
  const kinds = (more: Partial<Observed>) => wavesOf(look(more)).map((wave) => `${wave.scope.kind} ${wave.key}`);
  expect(kinds({ classes: new Map([['all', []]]) })).toEqual([`Class ${key}`, `Pool ${key}`]);
  const two = (i: number) => [stands(i, { key: 'b' }), stands(i, { key: 'a' })];
  expect(kinds({ standing: tainted(8, two) })).toEqual(['Pool a', 'Pool b']);
});

it('a pool is that of one driver and one name', () => {
  const scope = { kind: 'Pool', driver, pool: 'a' } as const;
  const around = look();
  expect(isInside(scope, id('a', 1), around)).toBe(true);
  expect(isInside(scope, id('b', 1), around)).toBe(false);
  expect(isInside(scope, { ...id('a', 1), driver: 'other' }, around)).toBe(false);
});

it('a class is that of its selectors, also where another one was asked for before', () => {
  const around = { ...look(), recall: createRecall() };
  const inClass = (name: string, selector: string) =>
    isInside({ kind: 'Class', name, selectors: [selector] }, id('a', 1), around);
  expect([inClass('all', 'true'), inClass('none', 'false'), inClass('all', 'false')]).toEqual([true, false, false]);
});

it.each([
  [undefined, []],
  ['', []],
  [' a, b ,c', ['a', 'b', 'c']],
  ['a', ['a']],
])('a wave of a class that is approved by %j: %j', (approve, digests) => {
  const annotations = approve === undefined ? {} : { 'sluice.dev/approve': approve };
  expect(approvedDigests({ annotations })).toEqual(digests);
});

describe('a wave that is known', () => {
  const later = (count: number) => wavesOf(look({ known: [found], standing: tainted(count) }))[0];

  it('lasts until the last of its taints is gone', () => {
    expect(later(1)).toEqual({ ...found, devices: 1 });
    expect(later(0)).toBeUndefined();
  });

  it('lasts when no class has its name any more, and is not found twice', () => {
    const scope = { kind: 'Class', name: 'gone', selectors: [] } as const;
    const ofClass = { ...found, scope };
    expect(wavesOf(look({ known: [ofClass], standing: tainted(3) }))).toMatchObject([{ scope, devices: 3, total: 10 }]);
    expect(wavesOf(look({ known: [ofClass], classes: new Map([['gone', ['false']]]) }))).toMatchObject([
      { scope },
      { scope: { kind: 'Pool' } },
    ]);
  });

  it.each([
    ['policy', { policy: 'other' }],
    ['key', { key: 'example.com/other' }],
  ])('of another %s lends nothing to this one', (_, other) => {
    const scope = { kind: 'Class', name: 'gone', selectors: [] } as const;
    const waves = wavesOf(look({ known: [{ ...found, ...other, scope }] }));
    expect(waves.map((wave) => wave.scope.kind)).toEqual(['Pool']);
  });

  it('keeps its digests while one of them covers its devices', () => {
    const offers = [
      { digest: 'small', devices: 4 },
      { digest: 'large', devices: 8 },
    ];
    expect(wavesOf(look({ known: [{ ...found, offers }] }))[0]?.offers).toEqual(offers);
  });

  it('ends where taints are left in other pools alone', () => {
    const elsewhere = tainted(3, undefined, ['b']);
    expect(wavesOf(look({ poolNames: ['a', 'b'], known: [found], standing: elsewhere }))).toEqual([]);
  });

  it('ends with its policy', () => {
    expect(wavesOf(look({ known: [found], policies: [] }))).toEqual([]);
    expect(wavesOf(look({ known: [found], policies: [evictionPolicy()] }))).toEqual([]);
  });

  it('is shown again once it has grown by more than a tenth', () => {
    const twenty = look({ poolNames: [], standing: tainted(20) });
    const wave: Wave = { ...found, devices: 20, offers: [{ digest, devices: 20 }] };
    const grown = (count: number) => wavesOf({ ...twenty, known: [wave], standing: tainted(count) })[0];
    expect(grown(22)?.offers).toEqual(wave.offers);
    expect(grown(23)?.offers).toEqual([...wave.offers, { digest: expect.not.stringMatching(digest), devices: 23 }]);
  });

  it('keeps its last ten digests', () => {
    let wave: Wave | undefined = found;
    for (let i = 0; i < 30 && wave; i++)
      [wave] = wavesOf(look({ poolNames: [], known: [wave], standing: tainted(8 + 10 * i * i) }));
    expect(wave?.offers).toHaveLength(10);
  });
});

describe('an approval', () => {
  const wave = found;
  const under = (approve: string | undefined, more: Partial<EvictionPolicy> = {}) =>
    watching({ ...(approve === undefined ? {} : { annotations: { 'sluice.dev/approve': approve } }), ...more });
  it.each([
    ['is missing', under(undefined), wave, true],
    ['is of another digest', under('0123456789ab'), wave, true],
    ['is of this one', under(digest), wave, false],
    ['is one of several', under(` 0123456789ab, ${digest}`), wave, false],
    ['covers a tenth more', under(digest), { ...wave, devices: 11, offers: [{ digest, devices: 10 }] }, false],
    ['covers no more than that', under(digest), { ...wave, devices: 12, offers: [{ digest, devices: 10 }] }, true],
    [
      'of an earlier digest is good while it covers the wave',
      under(digest),
      { ...wave, offers: [...wave.offers, { digest: 'x', devices: 99 }] },
      false,
    ],
    ['is not needed where the policy does not watch', evictionPolicy(), wave, false],
    ['is not needed for another policy', under(undefined, { name: 'other' }), wave, false],
    ['is not needed without the policy', undefined, wave, false],
  ])('a wave is held until its approval is of this wave: %s', (_, policy, one, isHeld) => {
    expect(isHeldWave(one, policy)).toBe(isHeld);
  });

  it('is of this wave and no other: devices, key, pool and moment make the digest', () => {
    const digestOf = (more: Parameters<typeof look>[0]) => wavesOf(look(more))[0]?.offers[0]?.digest;
    const others = [
      digestOf({ standing: tainted(9) }),
      digestOf({ standing: tainted(8, (i) => [stands(i + 1)]) }),
      digestOf({ standing: tainted(8, () => [stands(0, { key: 'x' })]) }),
      digestOf({ poolNames: ['b'], standing: tainted(8, undefined, ['b']) }),
      digestOf({ policies: [watching({ name: 'other' })] }),
    ];
    expect(new Set([digest, ...others]).size).toBe(6);
    expect(digestOf({ standing: new Map([...tainted(8)].reverse()) })).toBe(digest);
  });
});

describe('a wave keeps a taint', () => {
  const scope = { kind: 'Class', name: 'old', selectors: [`device.attributes["${driver}"].old`] } as const;
  const inPool = found;
  const ofClass = { ...inPool, scope };
  const around = (wave: Wave) => ({ pools: poolsOf([poolOfTen('a')]), waves: [wave], recall: createRecall() });
  const policy = watching();
  it.each([
    ['of its pool, tainted with the others or not', inPool, id('a', 9), key, true],
    ['of no other pool', inPool, id('b', 1), key, false],
    ['of no other driver', inPool, { ...id('a', 1), driver: 'other' }, key, false],
    ['of no other key', inPool, id('a', 1), 'x', false],
    ['of its class', ofClass, id('a', 4), key, true],
    ['of no device outside its class', ofClass, id('a', 5), key, false],
    ['of a device that is undecided', ofClass, id('unpublished', 1), key, true],
  ])('a wave keeps the taints of its own devices: %s', (_, wave, device, of, isKept) => {
    expect(waveOver({ device, key: of, policy }, around(wave)) !== undefined).toBe(isKept);
  });

  it('under its policy alone, and not where there is none', () => {
    const device = id('a', 1);
    expect(waveOver({ device, key, policy: watching({ name: 'other' }) }, around(inPool))).toBeUndefined();
    expect(waveOver({ device, key, policy }, { pools: new Map(), recall: createRecall() })).toBeUndefined();
  });
});

describe('people read', () => {
  const wave: Wave = { ...found, to: t0 + 12_000, devices: 9, offers: [{ digest, devices: 9 }] };
  const figures = `9 of 10 devices of pool ${driver}/a (90 %) are tainted ${key}:NoExecute, within 12 s from 2027-01-15T08:00:00Z on`;
  it('the figures of a wave', () => {
    expect(describeWave(wave)).toBe(figures);
    expect(describeWave({ ...wave, to: t0 })).toBe(figures.replace('within 12 s from', 'all at').replace(/ on$/, ''));
    expect(describeWave({ ...wave, to: t0 + 1 })).toBe(figures.replace('12 s', '1 s'));
    const scope = { kind: 'Class', name: 'gpu', selectors: [] } as const;
    expect(describeWave({ ...wave, scope, devices: 2, total: 3 })).toMatch(
      /^2 of 3 devices of DeviceClass gpu \(66 %\)/,
    );
  });

  it('why its taints evict no pod, and what lets them', () => {
    expect(holdOver(watching(), [wave])).toEqual({
      reason: 'ObserverInDoubt',
      message: `${figures}. So many at once may be a broken observer, so these taints evict no pod until they are gone or approved. To evict the pods: kubectl annotate --overwrite evictionpolicy policy sluice.dev/approve=${digest}`,
    });
    expect(holdOver(evictionPolicy(), [wave])).toBeUndefined();
  });

  it('no digest of a wave that was never shown', () => {
    expect(wavesWaiting(watching(), [{ ...wave, offers: [] }])?.digests).toEqual([]);
  });

  it('a command that keeps what was approved, and forgets what is over', () => {
    const other = { ...wave, key: 'x', offers: [{ digest: 'approvedbefo', devices: 9 }] };
    const policy = watching({ annotations: { 'sluice.dev/approve': 'approvedbefo,longgone' } });
    expect(holdOver(policy, [wave, other])?.message).toMatch(new RegExp(`approve=approvedbefo,${digest}$`));
  });

  it('five of many waves', () => {
    const many = Array.from({ length: 7 }, (_, i) => ({
      ...wave,
      key: `k${i}`,
      offers: [{ digest: `d${i}`, devices: 9 }],
    }));
    const message = holdOver(watching(), many)?.message ?? '';
    expect(message).toContain('; and 2 more. So many');
    expect(message.split('; ')).toHaveLength(6);
    expect(message).toMatch(/approve=d0,d1,d2,d3,d4$/);
  });

  it('an Event for each digest, while it holds', () => {
    expect(waveEvent(watching(), wave, t0)).toEqual({
      name: `policy.wave-${digest}`,
      regarding: { kind: 'EvictionPolicy', name: 'policy', uid: 'policy-uid' },
      type: 'Warning',
      reason: 'ObserverInDoubt',
      message: `${figures}: a broken observer? Their pods stay. To evict them, annotate the policy with sluice.dev/approve=${digest}`,
      at: t0,
    });
    expect(waveEvent(evictionPolicy(), wave, t0)).toBeUndefined();
    expect(waveEvent(watching(), { ...wave, offers: [] }, t0)).toBeUndefined();
    const long = watching({ name: 'n'.repeat(253) });
    const named = waveEvent(long, { ...wave, policy: long.name }, t0)?.name;
    expect(named).toBe(`${'n'.repeat(200)}.wave-${digest}`);
  });
});

describe('laws of waves', () => {
  const moments = fc.array(fc.integer({ min: 0, max: 3 * minute }), { maxLength: 10 });
  const standingOf = (since: readonly number[]) => tainted(since.length, (i) => [stands(since[i] ?? 0)]);
  it('without a policy that watches there is none, whatever is tainted', () => {
    const policies = [evictionPolicy({ minimumAge: 1 })];
    fc.assert(
      fc.property(moments, (since) => {
        expect(wavesOf(look({ standing: standingOf(since), policies }))).toEqual([]);
      }),
    );
  });

  it('there is one exactly where some window holds the number and the share', () => {
    fc.assert(
      fc.property(
        moments,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 100 }),
        (since, minDevices, percent) => {
          const policies = [watching({ observer: { minDevices, percent, window: minute } })];
          const most = Math.max(
            0,
            ...since.map((from) => since.filter((one) => one >= from && one - from <= minute).length),
          );
          const waves = wavesOf(look({ standing: standingOf(since), policies }));
          expect(waves.length).toBe(most >= minDevices && most * 10 >= percent ? 1 : 0);
          if (waves.length > 0) expect(mayBeWaves({ standing: standingOf(since), policies, known: [] })).toBe(true);
        },
      ),
    );
  });

  it('a wave is held from its first look to its last, while it is not approved', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }), (counts) => {
        let known = wavesOf(look({ poolNames: [], standing: tainted(8) }));
        for (const count of counts) {
          known = wavesOf(look({ poolNames: [], known, standing: tainted(count) }));
          expect(known.map((wave) => isHeldWave(wave, watching()))).toEqual([true]);
          const approve = known[0]?.offers.at(-1)?.digest ?? '';
          expect(isHeldWave(known[0] as Wave, watching({ annotations: { 'sluice.dev/approve': approve } }))).toBe(
            false,
          );
        }
      }),
    );
  });
});
