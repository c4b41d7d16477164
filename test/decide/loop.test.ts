// Loops: the pods of an owner come back to the device they were evicted from. Which evictions count, which pods are kept, and the texts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { devicesUnder, keptBy, type LoopLimits, loopLimitsOf, loopsAt, roundOf } from '../../lib/decide/loop.ts';
import { describeLoop, formatLoop } from '../../lib/decide/loopText.ts';
import { planLedger } from '../../lib/decide/plan.ts';
import type { Ledger, Loop } from '../../lib/model/eviction.ts';
import { farFuture } from '../../lib/model/time.ts';
import type { Reason } from '../../lib/model/verdict.ts';
import { driver, pod, pool, t0, taint } from '../support/builders.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';

const minute = 60_000;
const usual: LoopLimits = { limit: 3, window: 10 * minute };

describe('the limit of loops', () => {
  it.each([
    ['three in ten minutes without a policy', undefined, usual],
    ['three in ten minutes when the policy sets nothing', {}, usual],
    ['the values of the policy', { loopLimit: 1, loopWindow: minute }, { limit: 1, window: minute }],
    ['the default window when only loopLimit is set', { loopLimit: 5 }, { ...usual, limit: 5 }],
    ['the default limit when only loopWindow is set', { loopWindow: minute }, { ...usual, window: minute }],
    ['no limit at 0', { loopLimit: 0 }, undefined],
  ])('a policy limits how often a pod is evicted from a device: %s', (_, policy, limits) => {
    expect(loopLimitsOf(policy && evictionPolicy(policy))).toEqual(limits);
  });
});

describe('the round of a pod', () => {
  const now = t0 + 9 * minute;
  const at = (...minutes: number[]) => minutes.map((one) => t0 + one * minute);
  it.each([
    ['is the first of its owner', [], now - 1, { kind: 'Next', times: [now] }],
    [
      'counts when it was created after the last eviction',
      at(1),
      t0 + 2 * minute,
      { kind: 'Next', times: [...at(1), now] },
    ],
    ['does not count when it existed at the last eviction', at(1, 2), t0 + 2 * minute, { kind: 'Same' }],
    [
      'counts when it was created a moment after the last eviction',
      at(1, 2),
      t0 + 2 * minute + 1,
      { kind: 'Next', times: [...at(1, 2), now] },
    ],
    [
      'is kept after three evictions until the first leaves the window',
      at(1, 2, 3),
      t0 + 4 * minute,
      { kind: 'Loop', times: 3, until: t0 + 11 * minute },
    ],
    [
      'is kept whatever the order of the stored evictions',
      at(3, 1, 2),
      t0 + 4 * minute,
      { kind: 'Loop', times: 3, until: t0 + 11 * minute },
    ],
    ['does not count when it existed at the third eviction', at(1, 2, 3), t0 + 3 * minute, { kind: 'Same' }],
    [
      'is kept by the last three of four evictions',
      at(0, 1, 2, 3),
      t0 + 4 * minute,
      { kind: 'Loop', times: 4, until: t0 + 11 * minute },
    ],
    [
      'counts when the first eviction is as old as the window',
      [now - 10 * minute, ...at(1, 2)],
      t0 + 4 * minute,
      { kind: 'Next', times: [...at(1, 2), now] },
    ],
    [
      'is kept a moment before that',
      [now - 10 * minute + 1, ...at(1, 2)],
      t0 + 4 * minute,
      { kind: 'Loop', times: 3, until: now + 1 },
    ],
    [
      'counts when the eviction at which it existed left the window',
      [now - 20 * minute],
      now - 30 * minute,
      { kind: 'Next', times: [now] },
    ],
    ['counts when it has no creation time', at(1), undefined, { kind: 'Next', times: [...at(1), now] }],
    [
      'is kept when it has no creation time',
      at(1, 2, 3),
      undefined,
      { kind: 'Loop', times: 3, until: t0 + 11 * minute },
    ],
  ])('a pod that is about to be evicted %s', (_, times, createdAt, round) => {
    expect(roundOf(times, { limits: usual, createdAt, now })).toEqual(round);
  });

  it('a pod is never kept beyond the largest date', () => {
    const limits = { limit: 1, window: farFuture };
    expect(roundOf([now], { limits, createdAt: now + 1, now })).toMatchObject({ until: farFuture });
  });

  it('an owner has at most loopLimit rounds evicted from a device in any window, whenever its pods come back', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 4 * minute }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 10 * minute }),
        (waits, limit, window) => {
          let [times, clock, went]: [readonly number[], number, number[]] = [[], t0, []];
          for (const wait of waits) {
            const createdAt = clock + 1;
            clock += wait + 1;
            let round = roundOf(times, { limits: { limit, window }, createdAt, now: clock });
            // Kept, and tried again at `until`: it is evicted then, so that no pod is kept forever.
            if (round.kind === 'Loop') {
              expect(round.until).toBeGreaterThan(clock);
              clock = round.until;
              round = roundOf(times, { limits: { limit, window }, createdAt, now: clock });
            }
            expect(round.kind).toBe('Next');
            if (round.kind === 'Next') times = round.times;
            went.push(clock);
          }
          for (const from of went)
            expect(went.filter((one) => one >= from && one - from < window).length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

const rule = `rule|r`;
const origin = { kind: 'Rule', name: 'r', uid: 'r', generation: 1 } as const;
const reason = (device: string, more: Partial<Reason> = {}): Reason => ({
  origin,
  taint: taint(),
  device: { driver, pool, device },
  claim: { namespace: 'default', name: 'claim' },
  at: t0,
  ...more,
});
const slice = { kind: 'Slice', name: 's', index: 0 } as const;

it('a round counts for the devices that the taints of its limiter are on, each once and at most sixteen', () => {
  const because = [reason('b'), reason('a'), reason('a'), reason('c', { origin: slice })];
  expect(devicesUnder(rule, because)).toEqual([`${driver}|${pool}|a`, `${driver}|${pool}|b`]);
  expect(devicesUnder('rule|x', because)).toEqual([]);
  expect(
    devicesUnder(
      rule,
      Array.from({ length: 20 }, (_, i) => reason(`d${i}`)),
    ),
  ).toHaveLength(16);
});

describe('a ledger with a loop', () => {
  const loop: Loop = { limiter: rule, device: `${driver}|${pool}|a`, times: 3, until: t0 + minute };
  const listing = { limiter: rule, dueAt: t0 };
  it('a loop keeps the pod at its own limiter only, until the loop ends', () => {
    expect(keptBy(listing, [loop])).toEqual({ limiter: rule, dueAt: t0 + minute });
    expect(keptBy({ ...listing, dueAt: t0 + 2 * minute }, [loop])).toEqual({ limiter: rule, dueAt: t0 + 2 * minute });
    expect(keptBy({ ...listing, limiter: 'x' }, [loop])).toEqual({ limiter: 'x', dueAt: t0 });
  });

  it.each([
    ['while it lasts', t0, [listing], [loop]],
    ['not at its end', t0 + minute, [listing], []],
    ['not after its limiter stopped listing the pod', t0, [{ ...listing, limiter: 'x' }], []],
  ])('a ledger keeps its loop %s', (_, now, listings, left) => {
    expect(loopsAt([loop], listings, now)).toEqual(left);
  });

  const verdict = { kind: 'EvictAt', at: t0, because: [reason('a'), reason('b', { origin: slice })] } as const;
  const sliceLimiter = `slice|${driver}|example.com/taint|tainted|NoExecute`;
  const open: Ledger = { podUid: '1234', state: 'Pending', listings: [], because: [], loops: [loop], order: '' };
  const planned = (ledger: Ledger, now: number) =>
    planLedger({ pod: pod(), gone: false, verdict, ledger, ruleSet: { rules: [] }, now });
  it.each([
    ['while it lasts', open, t0 + 1, t0 + minute, [loop]],
    ['not at its end', open, t0 + minute, t0, undefined],
    ['not after its eviction was cancelled', { ...open, state: 'Cancelled' } as const, t0 + 1, t0, undefined],
  ])('the plan of a pod applies its loop %s', (_, ledger, now, dueAt, loops) => {
    const plan = planned(ledger, now);
    const next = 'ledger' in plan ? plan.ledger : undefined;
    expect(next?.listings).toEqual([
      { limiter: rule, dueAt },
      { limiter: sliceLimiter, dueAt: t0 },
    ]);
    expect(next?.loops).toEqual(loops);
  });
});

describe('the texts about a loop', () => {
  const loop: Loop = { limiter: rule, device: `${driver}|${pool}|a`, times: 3, until: t0 };
  const owned = pod({ controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'w' } });
  const facts = { pod: owned, because: [reason('b'), reason('a')], loop, policy: evictionPolicy(), at: t0 };
  it('the Event of a loop says why the pod is kept and what to do', () => {
    expect(formatLoop(facts)).toEqual({
      name: expect.stringMatching(/^pod\.[0-9a-f]{16}$/),
      regarding: { namespace: 'default', name: 'pod', uid: '1234' },
      type: 'Warning',
      reason: 'EvictionLoop',
      message:
        'Kept until 2027-01-15T08:00:00Z: pods of ReplicaSet web came back 3 times within 10 min to the device that they were evicted from (DeviceTaintRule r: taint example.com/taint=tainted:NoExecute on device some-driver/worker/a). Let the scheduler know the taint, by a native DeviceTaintRule or an effect on the device that it reads; or take away the toleration that lets them in; or fix the device and lift the taint. EvictionPolicy policy sets loopLimit.',
      at: t0,
    });
  });

  it('the Event of a loop names the JobSet rather than the controller', () => {
    const labels = { 'jobset.sigs.k8s.io/jobset-name': 'train' };
    expect(formatLoop({ ...facts, pod: { ...owned, labels } }).message).toContain('pods of JobSet train came back');
  });

  it('the Event of a loop has one name until the end of the loop changes', () => {
    expect(formatLoop(facts).name).toBe(formatLoop({ ...facts, at: t0 + 1 }).name);
    expect(formatLoop(facts).name).not.toBe(formatLoop({ ...facts, loop: { ...loop, until: t0 + 1 } }).name);
  });

  it('the Event of a loop names only the taint of the limiter that keeps the pod', () => {
    const because = [reason('a', { origin: slice, taint: taint({ key: 'other' }) }), reason('a')];
    expect(formatLoop({ ...facts, because })).toEqual(formatLoop(facts));
  });

  it('the Event of a loop without a policy says that an EvictionPolicy can set another limit', () => {
    const said = formatLoop({ ...facts, policy: undefined }).message;
    expect(said).toContain('came back 3 times within 10 min');
    expect(said).toMatch(/An EvictionPolicy can set another loopLimit\.$/);
  });

  it('the Event of a loop names a window of 0 minutes when the policy has dropped its limit', () => {
    expect(formatLoop({ ...facts, policy: evictionPolicy({ loopLimit: 0 }) }).message).toContain('within 0 min');
  });

  it('the Event of a loop has at most 1024 characters and works without an owner and a reason', () => {
    const fitting = 1024 - formatLoop({ ...facts, policy: evictionPolicy({ name: '' }) }).message.length;
    const full = formatLoop({ ...facts, policy: evictionPolicy({ name: 'n'.repeat(fitting) }) });
    expect(full.message).toHaveLength(1024);
    expect(full.message).toMatch(/ sets loopLimit\.$/);
    const long = formatLoop({ ...facts, because: [reason('a', { taint: taint({ key: 'k'.repeat(2000) }) })] });
    expect(long.message).toHaveLength(1024);
    expect(long.message).toMatch(/\.\.\.$/);
    const { controller: _, ...orphan } = owned;
    expect(formatLoop({ ...facts, pod: orphan, because: [] }).message).toContain(
      'pods of the same owner came back 3 times within 10 min to the device that they were evicted from. Let',
    );
  });

  it('the line about a loop names the device, the count and the next try', () => {
    expect(describeLoop(loop)).toBe(
      'kept: pods of its owner came back 3 times to device some-driver/worker/a; tried again from 2027-01-15T08:00:00Z',
    );
  });
});
