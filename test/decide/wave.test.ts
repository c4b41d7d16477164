// Many devices with the same taint at once: what is a wave, how long it lasts, and what an approval of it covers.
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

/** A pool of ten devices `d0` to `d9`, even ones with the attribute `old`. */
const poolOfTen = (name: string) =>
  slice({
    name,
    pool: { name, generation: 1 },
    devices: Array.from({ length: 10 }, (_, i) => ({ name: `d${i}`, attributes: { old: { bool: i % 2 === 0 } } })),
  });
const id = (pool: string, i: number) => ({ driver, pool, device: `d${i}` });

/** The first `count` devices of each pool, each with the taints of `taintOf`. */
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

/** The waves when all pools are counted in one part. */
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
/** The wave in `look()`. */
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

describe('a device that is watched for waves', () => {
  const standing = (more: Partial<StandingTaint> = {}, policies = [watching()]) =>
    isWatchedFor(deviceKey(id('a', 0)), [stands(0, more)], policies);

  it('a device is watched for waves while it has a taint that a policy with an observer selects', () => {
    expect(standing()).toBe(true);
    expect(standing({ liftedAt: t0 + 1 })).toBe(false);
    expect(standing({}, [evictionPolicy()])).toBe(false);
    expect(standing({}, [watching({ taints: { drivers: ['another.example.com'] } })])).toBe(false);
    expect(standing({}, [watching({ taints: { drivers: [driver] } })])).toBe(true);
    expect(isWatchedFor(deviceKey(id('a', 0)), [], [watching()])).toBe(false);
  });
});

describe('a wave in a pool', () => {
  it('most of a pool tainted at once is a wave with the same digest in every release', () => {
    expect(wavesOf(look())).toEqual([found]);
  });

  it.each([
    ['is a wave at eight of ten', {}, 1],
    ['is no wave at seven', { standing: tainted(7) }, 0],
    ['is no wave below percent', { policies: [watching({ observer: { ...observer, percent: 81 } })] }, 0],
    [
      'is a wave at exactly percent',
      { policies: [watching({ observer: { ...observer, minDevices: 1, percent: 80 } })] },
      1,
    ],
    [
      'is no wave below minDevices, even above percent',
      { policies: [watching({ observer: { ...observer, minDevices: 9 } })] },
      0,
    ],
    [
      'is a wave when the last taint came at the end of the window',
      { standing: tainted(8, (i) => [stands(i === 7 ? minute : 0)]) },
      1,
    ],
    [
      'is no wave when the last taint came after the window',
      { standing: tainted(8, (i) => [stands(i === 7 ? minute + 1 : 0)]) },
      0,
    ],
    [
      'is a wave when enough taints came in a later window',
      { standing: tainted(10, (i) => [stands(i < 2 ? 0 : minute * 9 + i)]) },
      1,
    ],
    [
      'is no wave when half of the taints have another key',
      { standing: tainted(8, (i) => [stands(0, i % 2 ? { key: 'x' } : {})]) },
      0,
    ],
    [
      'is no wave when one of the taints was removed',
      { standing: tainted(8, (i) => [stands(0, i === 7 ? { liftedAt: t0 + 1 } : {})]) },
      0,
    ],
    [
      'is a wave when drivers and agents taint it together',
      { standing: tainted(8, (i) => [stands(0, i % 2 ? { source: 'DeviceTaintSlice' } : {})]) },
      1,
    ],
    [
      'is no wave when both taint the same few devices',
      { standing: tainted(4, () => [stands(0), stands(0, { source: 'DeviceTaintSlice' })]) },
      0,
    ],
    ['is no wave without a policy', { policies: [] }, 0],
    ['is no wave when the policy has no observer', { policies: [evictionPolicy()] }, 0],
    [
      'is no wave when a more specific policy has no observer',
      { policies: [watching(), evictionPolicy({ name: 'b', taints: { keys: [key] } })] },
      0,
    ],
    ['is no wave under a policy for rules', { policies: [watching({ taints: { sources: ['DeviceTaintRule'] } })] }, 0],
    [
      'is a wave under a policy for drivers',
      { policies: [watching({ taints: { drivers: [driver], sources: ['ResourceSlice'] } })] },
      1,
    ],
    ['is a wave in each of two pools', { poolNames: ['a', 'b'], standing: tainted(8, undefined, ['a', 'b']) }, 2],
    [
      'is no wave when each of two pools has half',
      { poolNames: ['a', 'b'], standing: tainted(5, undefined, ['a', 'b']) },
      0,
    ],
  ] as const)('most of a pool tainted at once %s', (_, more, count) => {
    expect(wavesOf(look(more))).toHaveLength(count);
  });

  it('a wave has its scope, sources, times, devices and total', () => {
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

  it('a wave has the times of the first of two equally full windows', () => {
    const policies = [watching({ observer: { ...observer, minDevices: 3, percent: 30 } })];
    const standing = tainted(6, (i) => [stands(i < 3 ? i : 9 * minute + i)]);
    expect(wavesOf(look({ policies, standing }))).toMatchObject([{ from: t0, to: t0 + 2, devices: 6 }]);
  });

  it('a wave names the sources of its taints', () => {
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

  it('a wave counts a device that a driver and an agent taint from the earlier taint', () => {
    const twice = (since: number) =>
      tainted(8, () => [stands(5 * minute), stands(since, { source: 'DeviceTaintSlice' })]);
    expect(wavesOf(look({ standing: twice(0) }))).toMatchObject([{ from: t0, to: t0 }]);
    expect(wavesOf(look({ standing: twice(9 * minute) }))).toMatchObject([{ from: t0 + 5 * minute }]);
  });

  it('a wave in a pool excludes devices of another driver with a pool of the same name', () => {
    const others = [0, 1].map((i) => [deviceKey({ ...id('a', i), driver: 'other.example.com' }), [stands(0)]] as const);
    const standing = new Map<string, readonly StandingTaint[]>([...tainted(8), ...others]);
    expect(wavesOf(look({ standing }))).toEqual([found]);
  });

  it('a wave of devices that are not published has them as its total', () => {
    expect(wavesOf(look({ poolNames: [] }))).toMatchObject([{ devices: 8, total: 8 }]);
  });
});

it('the waves do not depend on the parts in which pools are counted', () => {
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

describe('a wave in a DeviceClass', () => {
  const old = new Map([['old', [`device.attributes["${driver}"].old`]]]);
  const even = (count: number, pools: readonly string[]) =>
    new Map([...tainted(10, undefined, pools)].filter(([one]) => Number(one.at(-1)) % 2 === 0).slice(0, count));
  it.each([
    ['is a wave over several pools', even(8, ['a', 'b']), 1],
    ['is no wave below minDevices', even(7, ['a', 'b']), 0],
    ['is no wave when the tainted devices are outside of it', tainted(6, undefined, ['a', 'b']), 0],
  ])('most of a class tainted at once %s', (_, standing, count) => {
    const waves = wavesOf(look({ poolNames: ['a', 'b'], standing, classes: old }));
    expect(waves.filter(({ scope }) => scope.kind === 'Class')).toHaveLength(count);
  });

  it('a wave in a DeviceClass has its name, selectors and figures', () => {
    const waves = wavesOf(look({ poolNames: ['a', 'b'], standing: even(9, ['a', 'b']), classes: old }));
    expect(waves).toMatchObject([
      { scope: { kind: 'Class', name: 'old', selectors: old.get('old') }, devices: 9, total: 10 },
    ]);
  });
});

it.each([
  ['enough devices with the same taint', {}, true],
  ['a known wave, whatever is tainted', { standing: tainted(1), known: [found] }, true],
  ['too few tainted devices, not read', { standing: tainted(7) }, false],
  [
    'too few devices of the same key, not read',
    { standing: tainted(8, (i) => [stands(0, { key: `k${i % 2}` })]) },
    false,
  ],
  ['no policy with an observer, not read', { policies: [evictionPolicy()] }, false],
])('all devices are read only when a wave is possible: %s', (_, more, isWorth) => {
  expect(mayBeWaves(look(more))).toBe(isWorth);
});

it('the waves are sorted by name, those of DeviceClasses first', () => {
  const kinds = (more: Partial<Observed>) => wavesOf(look(more)).map((wave) => `${wave.scope.kind} ${wave.key}`);
  expect(kinds({ classes: new Map([['all', []]]) })).toEqual([`Class ${key}`, `Pool ${key}`]);
  const two = (i: number) => [stands(i, { key: 'b' }), stands(i, { key: 'a' })];
  expect(kinds({ standing: tainted(8, two) })).toEqual(['Pool a', 'Pool b']);
});

it('a device is inside a pool of its own driver and name only', () => {
  const scope = { kind: 'Pool', driver, pool: 'a' } as const;
  const around = look();
  expect(isInside(scope, id('a', 1), around)).toBe(true);
  expect(isInside(scope, id('b', 1), around)).toBe(false);
  expect(isInside(scope, { ...id('a', 1), driver: 'other' }, around)).toBe(false);
});

it('a device is inside a class by the selectors of the class, not by a cached name', () => {
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
])('the annotation sluice.dev/approve with %j approves the digests %j', (approve, digests) => {
  const annotations = approve === undefined ? {} : { 'sluice.dev/approve': approve };
  expect(approvedDigests({ annotations })).toEqual(digests);
});

describe('a known wave', () => {
  const later = (count: number) => wavesOf(look({ known: [found], standing: tainted(count) }))[0];

  it('a known wave lasts until the last of its taints is gone', () => {
    expect(later(1)).toEqual({ ...found, devices: 1 });
    expect(later(0)).toBeUndefined();
  });

  it('a known wave lasts when its class is gone, and is not found twice', () => {
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
  ])('a known wave of another %s is not extended by these taints', (_, other) => {
    const scope = { kind: 'Class', name: 'gone', selectors: [] } as const;
    const waves = wavesOf(look({ known: [{ ...found, ...other, scope }] }));
    expect(waves.map((wave) => wave.scope.kind)).toEqual(['Pool']);
  });

  it('a known wave keeps its digests while one of them covers its devices', () => {
    const offers = [
      { digest: 'small', devices: 4 },
      { digest: 'large', devices: 8 },
    ];
    expect(wavesOf(look({ known: [{ ...found, offers }] }))[0]?.offers).toEqual(offers);
  });

  it('a known wave ends when only other pools have taints', () => {
    const elsewhere = tainted(3, undefined, ['b']);
    expect(wavesOf(look({ poolNames: ['a', 'b'], known: [found], standing: elsewhere }))).toEqual([]);
  });

  it('a known wave ends with its policy or observer', () => {
    expect(wavesOf(look({ known: [found], policies: [] }))).toEqual([]);
    expect(wavesOf(look({ known: [found], policies: [evictionPolicy()] }))).toEqual([]);
  });

  it('a known wave gets another digest once it has grown by more than a tenth', () => {
    const twenty = look({ poolNames: [], standing: tainted(20) });
    const wave: Wave = { ...found, devices: 20, offers: [{ digest, devices: 20 }] };
    const grown = (count: number) => wavesOf({ ...twenty, known: [wave], standing: tainted(count) })[0];
    expect(grown(22)?.offers).toEqual(wave.offers);
    expect(grown(23)?.offers).toEqual([...wave.offers, { digest: expect.not.stringMatching(digest), devices: 23 }]);
  });

  it('a known wave keeps its last ten digests', () => {
    let wave: Wave | undefined = found;
    for (let i = 0; i < 30 && wave; i++)
      [wave] = wavesOf(look({ poolNames: [], known: [wave], standing: tainted(8 + 10 * i * i) }));
    expect(wave?.offers).toHaveLength(10);
  });
});

describe('the approval of a wave', () => {
  const wave = found;
  const under = (approve: string | undefined, more: Partial<EvictionPolicy> = {}) =>
    watching({ ...(approve === undefined ? {} : { annotations: { 'sluice.dev/approve': approve } }), ...more });
  it.each([
    ['held without an approval', under(undefined), wave, true],
    ['held with another digest', under('0123456789ab'), wave, true],
    ['not held with its digest', under(digest), wave, false],
    ['not held with its digest among several', under(` 0123456789ab, ${digest}`), wave, false],
    [
      'not held with a tenth more devices',
      under(digest),
      { ...wave, devices: 11, offers: [{ digest, devices: 10 }] },
      false,
    ],
    [
      'held with more than a tenth more devices',
      under(digest),
      { ...wave, devices: 12, offers: [{ digest, devices: 10 }] },
      true,
    ],
    [
      'not held with an earlier digest that covers it',
      under(digest),
      { ...wave, offers: [...wave.offers, { digest: 'x', devices: 99 }] },
      false,
    ],
    ['not held when the policy has no observer', evictionPolicy(), wave, false],
    ['not held by another policy', under(undefined, { name: 'other' }), wave, false],
    ['not held without a policy', undefined, wave, false],
  ])('a wave is held until it is approved: %s', (_, policy, one, isHeld) => {
    expect(isHeldWave(one, policy)).toBe(isHeld);
  });

  it('the digest of a wave depends on policy, devices, key, pool and time, not on the order of devices', () => {
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

describe('the taints that a wave holds', () => {
  const scope = { kind: 'Class', name: 'old', selectors: [`device.attributes["${driver}"].old`] } as const;
  const inPool = found;
  const ofClass = { ...inPool, scope };
  const around = (wave: Wave) => ({ pools: poolsOf([poolOfTen('a')]), waves: [wave], recall: createRecall() });
  const policy = watching();
  it.each([
    ['any device of its pool, tainted with the others or not', inPool, id('a', 9), key, true],
    ['no other pool', inPool, id('b', 1), key, false],
    ['no other driver', inPool, { ...id('a', 1), driver: 'other' }, key, false],
    ['no other key', inPool, id('a', 1), 'x', false],
    ['a device of its class', ofClass, id('a', 4), key, true],
    ['no device outside of its class', ofClass, id('a', 5), key, false],
    ['an undecided device', ofClass, id('unpublished', 1), key, true],
  ])('a wave holds the taints of its own devices: %s', (_, wave, device, of, isKept) => {
    expect(waveOver({ device, key: of, policy }, around(wave)) !== undefined).toBe(isKept);
  });

  it('a wave holds taints under its own policy only', () => {
    const device = id('a', 1);
    expect(waveOver({ device, key, policy: watching({ name: 'other' }) }, around(inPool))).toBeUndefined();
    expect(waveOver({ device, key, policy }, { pools: new Map(), recall: createRecall() })).toBeUndefined();
  });
});

describe('the texts about a wave', () => {
  const wave: Wave = { ...found, to: t0 + 12_000, devices: 9, offers: [{ digest, devices: 9 }] };
  const figures = `9 of 10 devices of pool ${driver}/a (90 %) are tainted ${key}:NoExecute, within 12 s from 2027-01-15T08:00:00Z on`;
  it('a wave is described with its figures', () => {
    expect(describeWave(wave)).toBe(figures);
    expect(describeWave({ ...wave, to: t0 })).toBe(figures.replace('within 12 s from', 'all at').replace(/ on$/, ''));
    expect(describeWave({ ...wave, to: t0 + 1 })).toBe(figures.replace('12 s', '1 s'));
    const scope = { kind: 'Class', name: 'gpu', selectors: [] } as const;
    expect(describeWave({ ...wave, scope, devices: 2, total: 3 })).toMatch(
      /^2 of 3 devices of DeviceClass gpu \(66 %\)/,
    );
  });

  it('the hold of a wave gives the reason and the approval command', () => {
    expect(holdOver(watching(), [wave])).toEqual({
      reason: 'ObserverInDoubt',
      message: `${figures}. So many at once may be a broken observer, so these taints evict no pod until they are gone or approved. To evict the pods: kubectl annotate --overwrite evictionpolicy policy sluice.dev/approve=${digest}`,
    });
    expect(holdOver(evictionPolicy(), [wave])).toBeUndefined();
  });

  it('a wave without an offer gives no digest to approve', () => {
    expect(wavesWaiting(watching(), [{ ...wave, offers: [] }])?.digests).toEqual([]);
  });

  it('the approval command keeps digests that still count and drops outdated ones', () => {
    const other = { ...wave, key: 'x', offers: [{ digest: 'approvedbefo', devices: 9 }] };
    const policy = watching({ annotations: { 'sluice.dev/approve': 'approvedbefo,longgone' } });
    expect(holdOver(policy, [wave, other])?.message).toMatch(new RegExp(`approve=approvedbefo,${digest}$`));
  });

  it('the hold names five waves at most', () => {
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

  it('a held wave has one Event for each digest', () => {
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

describe('waves of any taints', () => {
  const moments = fc.array(fc.integer({ min: 0, max: 3 * minute }), { maxLength: 10 });
  const standingOf = (since: readonly number[]) => tainted(since.length, (i) => [stands(since[i] ?? 0)]);
  it('no wave exists without a policy with an observer, whatever is tainted', () => {
    const policies = [evictionPolicy({ minimumAge: 1 })];
    fc.assert(
      fc.property(moments, (since) => {
        expect(wavesOf(look({ standing: standingOf(since), policies }))).toEqual([]);
      }),
    );
  });

  it('a wave exists exactly when some window reaches minDevices and percent', () => {
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

  it('a wave is held at every look until its current digest is approved', () => {
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
