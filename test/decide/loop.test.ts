// When an eviction is of no use because its owner's pods come back to the device: what counts, what is kept, what is said.
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
    ['is three in ten minutes without a policy', undefined, usual],
    ['is three in ten minutes where the policy says nothing', {}, usual],
    ['is what the policy says', { loopLimit: 1, loopWindow: minute }, { limit: 1, window: minute }],
    ['has the usual window where only the number is said', { loopLimit: 5 }, { ...usual, limit: 5 }],
    ['has the usual number where only the window is said', { loopWindow: minute }, { ...usual, window: minute }],
    ['is none at 0', { loopLimit: 0 }, undefined],
  ])('a policy limits how often a pod is evicted from a device: %s', (_, policy, limits) => {
    expect(loopLimitsOf(policy && evictionPolicy(policy))).toEqual(limits);
  });
});

describe('a pod that is about to go', () => {
  const now = t0 + 9 * minute;
  const at = (...minutes: number[]) => minutes.map((one) => t0 + one * minute);
  it.each([
    ['is the first', [], now - 1, { kind: 'Next', times: [now] }],
    ['came after the last eviction and counts', at(1), t0 + 2 * minute, { kind: 'Next', times: [...at(1), now] }],
    ['was there at the last eviction and does not', at(1, 2), t0 + 2 * minute, { kind: 'Same' }],
    [
      'was created a moment after it and counts',
      at(1, 2),
      t0 + 2 * minute + 1,
      { kind: 'Next', times: [...at(1, 2), now] },
    ],
    [
      'came back three times and stays, until the first is forgotten',
      at(1, 2, 3),
      t0 + 4 * minute,
      { kind: 'Loop', times: 3, until: t0 + 11 * minute },
    ],
    [
      'came back in whatever order it is told',
      at(3, 1, 2),
      t0 + 4 * minute,
      { kind: 'Loop', times: 3, until: t0 + 11 * minute },
    ],
    ['was there at the third and goes with it', at(1, 2, 3), t0 + 3 * minute, { kind: 'Same' }],
    [
      'stays for the last three of more',
      at(0, 1, 2, 3),
      t0 + 4 * minute,
      { kind: 'Loop', times: 4, until: t0 + 11 * minute },
    ],
    [
      'goes when the first is as old as the window',
      [now - 10 * minute, ...at(1, 2)],
      t0 + 4 * minute,
      { kind: 'Next', times: [...at(1, 2), now] },
    ],
    [
      'stays a moment before',
      [now - 10 * minute + 1, ...at(1, 2)],
      t0 + 4 * minute,
      { kind: 'Loop', times: 3, until: now + 1 },
    ],
    [
      'was there at an eviction that is forgotten, and counts again',
      [now - 20 * minute],
      now - 30 * minute,
      { kind: 'Next', times: [now] },
    ],
    ['has no creation time and counts', at(1), undefined, { kind: 'Next', times: [...at(1), now] }],
    ['has no creation time and stays', at(1, 2, 3), undefined, { kind: 'Loop', times: 3, until: t0 + 11 * minute }],
  ])('a pod that is about to be evicted knows its round: %s', (_, times, createdAt, round) => {
    expect(roundOf(times, { limits: usual, createdAt, now })).toEqual(round);
  });

  it('waits never longer than a date can tell', () => {
    const limits = { limit: 1, window: farFuture };
    expect(roundOf([now], { limits, createdAt: now + 1, now })).toMatchObject({ until: farFuture });
  });

  it('in no window of the policy more than the limit of an owner’s rounds go from a device, whenever its pods come back', () => {
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
            // Kept, and tried again when it was told to be: it goes then, so that no pod is kept forever.
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

it('devices count under the limiter whose taints are on them, once each, and sixteen at most', () => {
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
  it('keeps the pod at its limiter until the loop is over, and at no other', () => {
    expect(keptBy(listing, [loop])).toEqual({ limiter: rule, dueAt: t0 + minute });
    expect(keptBy({ ...listing, dueAt: t0 + 2 * minute }, [loop])).toEqual({ limiter: rule, dueAt: t0 + 2 * minute });
    expect(keptBy({ ...listing, limiter: 'x' }, [loop])).toEqual({ limiter: 'x', dueAt: t0 });
  });

  it.each([
    ['while it lasts', t0, [listing], [loop]],
    ['not at its end', t0 + minute, [listing], []],
    ['not where its limiter lists the pod no more', t0, [{ ...listing, limiter: 'x' }], []],
  ])('a ledger with a loop is remembered %s', (_, now, listings, left) => {
    expect(loopsAt([loop], listings, now)).toEqual(left);
  });

  const verdict = { kind: 'EvictAt', at: t0, because: [reason('a'), reason('b', { origin: slice })] } as const;
  const sliceLimiter = `slice|${driver}|example.com/taint|tainted|NoExecute`;
  const open: Ledger = { podUid: '1234', state: 'Pending', listings: [], because: [], loops: [loop], order: '' };
  const planned = (ledger: Ledger, now: number) =>
    planLedger({ pod: pod(), gone: false, verdict, ledger, ruleSet: { rules: [] }, now });
  it.each([
    ['while it lasts', open, t0 + 1, t0 + minute, [loop]],
    ['no longer', open, t0 + minute, t0, undefined],
    ['not once its eviction was cancelled', { ...open, state: 'Cancelled' } as const, t0 + 1, t0, undefined],
  ])('is planned with it %s', (_, ledger, now, dueAt, loops) => {
    const plan = planned(ledger, now);
    const next = 'ledger' in plan ? plan.ledger : undefined;
    expect(next?.listings).toEqual([
      { limiter: rule, dueAt },
      { limiter: sliceLimiter, dueAt: t0 },
    ]);
    expect(next?.loops).toEqual(loops);
  });
});

describe('people read', () => {
  const loop: Loop = { limiter: rule, device: `${driver}|${pool}|a`, times: 3, until: t0 };
  const owned = pod({ controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'w' } });
  const facts = { pod: owned, because: [reason('b'), reason('a')], loop, policy: evictionPolicy(), at: t0 };
  it('an Event that says why the pod stays and what to do', () => {
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

  it('the set, whose Jobs come and go, before the controller', () => {
    const labels = { 'jobset.sigs.k8s.io/jobset-name': 'train' };
    expect(formatLoop({ ...facts, pod: { ...owned, labels } }).message).toContain('pods of JobSet train came back');
  });

  it('one Event for each time, and another for the next', () => {
    expect(formatLoop(facts).name).toBe(formatLoop({ ...facts, at: t0 + 1 }).name);
    expect(formatLoop(facts).name).not.toBe(formatLoop({ ...facts, loop: { ...loop, until: t0 + 1 } }).name);
  });

  it('the taint of the limiter that keeps the pod, and of no other on the device', () => {
    const because = [reason('a', { origin: slice, taint: taint({ key: 'other' }) }), reason('a')];
    expect(formatLoop({ ...facts, because })).toEqual(formatLoop(facts));
  });

  it('that an EvictionPolicy can set another limit, where none selects the taint', () => {
    const said = formatLoop({ ...facts, policy: undefined }).message;
    expect(said).toContain('came back 3 times within 10 min');
    expect(said).toMatch(/An EvictionPolicy can set another loopLimit\.$/);
  });

  it('a window of 0 minutes where the policy has meanwhile given up its limit', () => {
    expect(formatLoop({ ...facts, policy: evictionPolicy({ loopLimit: 0 }) }).message).toContain('within 0 min');
  });

  it('as much as an Event holds, where names are long or missing', () => {
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

  it('a line of why', () => {
    expect(describeLoop(loop)).toBe(
      'kept: pods of its owner came back 3 times to device some-driver/worker/a; tried again from 2027-01-15T08:00:00Z',
    );
  });
});
