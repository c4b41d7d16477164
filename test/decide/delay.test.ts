// From when a taint evicts under a policy with minimumAge, healthyDelay or observer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asksForAge, ruleDelay, sliceDelay } from '../../lib/decide/delay.ts';
import { evaluatePod } from '../../lib/decide/evaluate.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { snapshotOf } from '../../lib/model/snapshot.ts';
import type { StandingTaint } from '../../lib/model/standing.ts';
import { farFuture } from '../../lib/model/time.ts';
import { atSecond, claim, driver, pod, pool, slice, t0, taint, tolerating, toleration } from '../support/builders.ts';
import { evictionPolicy, taintRule } from '../support/pacedBuilders.ts';

const minute = 60_000;
const stands = (more: Partial<StandingTaint> = {}): StandingTaint => ({
  source: 'ResourceSlice',
  key: 'example.com/taint',
  since: t0,
  ...more,
});

describe('the need for the age of taints', () => {
  it.each([
    [{}, false],
    [{ minimumAge: 0, healthyDelay: 0 }, false],
    [{ minimumAge: 1 }, true],
    [{ healthyDelay: 1 }, true],
    [{ observer: { minDevices: 8, percent: 80, window: minute } }, true],
  ])('a policy with %o needs the age of taints: %s', (policy, asks) => {
    expect(asksForAge(evictionPolicy(policy))).toBe(asks);
  });
});

describe('the delay of a rule taint', () => {
  it.each([
    ['at its own time without a policy', undefined, { timeAdded: t0, actingSince: t0 + 1 }, undefined],
    ['at its own time under a policy without minimumAge', {}, { timeAdded: t0, actingSince: t0 }, undefined],
    [
      'minimumAge after its own time when it was seen earlier',
      { minimumAge: minute },
      { timeAdded: t0, actingSince: t0 - 1 },
      t0 + minute,
    ],
    [
      'minimumAge after it was first seen when its own time is earlier',
      { minimumAge: minute },
      { timeAdded: t0 - 9 * minute, actingSince: t0 },
      t0 + minute,
    ],
    [
      'minimumAge after its own time when its first sight was not recorded',
      { minimumAge: minute },
      { timeAdded: t0, actingSince: undefined },
      t0 + minute,
    ],
    [
      'minimumAge after it was first seen when it has no time',
      { minimumAge: minute },
      { timeAdded: undefined, actingSince: t0 },
      t0 + minute,
    ],
    ['never later than the largest date', { minimumAge: farFuture }, { timeAdded: t0, actingSince: t0 }, farFuture],
    [
      'without healthyDelay, which is for taints in slices only',
      { healthyDelay: minute },
      { timeAdded: t0, actingSince: t0 },
      undefined,
    ],
  ])('the taint of a rule evicts %s', (_, policy, by, notBefore) => {
    const delayed = ruleDelay(policy && evictionPolicy(policy), by);
    expect(delayed).toEqual(
      notBefore === undefined ? undefined : { notBefore, delay: { reason: 'MinimumAge', policy: 'policy' } },
    );
  });
});

describe('the delay of a slice taint', () => {
  const flapping = stands({ since: t0, healedAt: t0 - 10_000 });
  it.each([
    ['at its own time without a policy', undefined, stands(), undefined],
    ['at its own time under a policy without delays, recorded or not', {}, undefined, undefined],
    ['not before it is recorded, under minimumAge', { minimumAge: 1 }, undefined, ['NotSeenYet', farFuture]],
    ['not before it is recorded, under healthyDelay', { healthyDelay: 1 }, undefined, ['NotSeenYet', farFuture]],
    ['not while it is recorded as removed', { minimumAge: 1 }, stands({ liftedAt: t0 + 1 }), ['NotSeenYet', farFuture]],
    [
      'minimumAge after it was first seen',
      { minimumAge: minute },
      stands({ since: t0 + 5 }),
      ['MinimumAge', t0 + 5 + minute],
    ],
    [
      'minimumAge after its own time when that is later',
      { minimumAge: minute },
      stands({ since: t0 - 5 }),
      ['MinimumAge', t0 + minute],
    ],
    ['without healthyDelay when it was added for the first time', { healthyDelay: minute }, stands(), undefined],
    ['healthyDelay after it returned', { healthyDelay: minute }, flapping, ['HealthyDelay', t0 + minute]],
    [
      'without delay when the device was healthy for at least healthyDelay',
      { healthyDelay: 10_000 },
      flapping,
      undefined,
    ],
    [
      'healthyDelay after it returned when the device was healthy for a moment less',
      { healthyDelay: 10_001 },
      flapping,
      ['HealthyDelay', t0 + 10_001],
    ],
    [
      'after the longer of both delays: minimumAge',
      { healthyDelay: minute, minimumAge: 2 * minute },
      flapping,
      ['MinimumAge', t0 + 2 * minute],
    ],
    [
      'after the longer of both delays: healthyDelay',
      { healthyDelay: 2 * minute, minimumAge: minute },
      flapping,
      ['HealthyDelay', t0 + 2 * minute],
    ],
    [
      'after minimumAge when both are equal',
      { healthyDelay: minute, minimumAge: minute },
      flapping,
      ['MinimumAge', t0 + minute],
    ],
    ['never later than the largest date', { healthyDelay: farFuture }, flapping, ['HealthyDelay', farFuture]],
  ] as const)('the taint of a slice evicts %s', (_, policy, seen, wanted) => {
    const delayed = sliceDelay(policy && evictionPolicy(policy), { timeAdded: t0, seen, isHeld: () => false });
    const [reason, notBefore] = wanted ?? [];
    expect(delayed).toEqual(wanted && { notBefore, delay: { reason, policy: 'policy' } });
  });

  it('a slice taint without a time of its own evicts minimumAge after it was first seen', () => {
    const policy = evictionPolicy({ minimumAge: minute });
    expect(sliceDelay(policy, { timeAdded: undefined, seen: stands(), isHeld: () => false })?.notBefore).toBe(
      t0 + minute,
    );
  });
});

/** One pod on the device `instance`, which a slice taints. */
function world(more: Partial<Snapshot>): Snapshot {
  const tainted = slice({ devices: [{ name: 'instance', taints: [taint()] }] });
  return { ...snapshotOf({ pods: [pod()], claims: [claim()], slices: [tainted], rules: [] }), ...more };
}

const key = `${driver}|${pool}|instance`;
const delayedBy = (policy: Partial<EvictionPolicy>) => [evictionPolicy({ minimumAge: minute, ...policy })];

describe('the due time of a pod', () => {
  it.each([
    [
      'when the taint is old enough',
      { policies: delayedBy({}), standing: new Map([[key, [stands()]]]) },
      t0 + minute,
      'MinimumAge',
    ],
    [
      'at the time of the taint when the policy is for another key',
      { policies: delayedBy({ taints: { keys: ['x'] } }) },
      t0,
      undefined,
    ],
    [
      'at the time of the taint when the policy is for agents',
      { policies: delayedBy({ taints: { sources: ['DeviceTaintSlice'] } }) },
      t0,
      undefined,
    ],
    [
      'not yet when only the same key of another source is recorded',
      { policies: delayedBy({}), standing: new Map([[key, [stands({ source: 'DeviceTaintSlice' })]]]) },
      farFuture,
      'NotSeenYet',
    ],
    [
      'not yet when only another key is recorded',
      { policies: delayedBy({}), standing: new Map([[key, [stands({ key: 'x' })]]]) },
      farFuture,
      'NotSeenYet',
    ],
    ['not yet when nothing is recorded', { policies: delayedBy({}), standing: new Map() }, farFuture, 'NotSeenYet'],
  ] as const)('a pod under a policy with minimumAge is due %s', (_, more, at, reason) => {
    const verdict = evaluatePod(pod(), world(more));
    expect(verdict).toMatchObject({ kind: 'EvictAt', at });
    expect(verdict.kind === 'EvictAt' && verdict.because[0]?.delay?.reason).toBe(reason);
  });

  it('a pod is held by a wave of its own policy, key and pool only', () => {
    const observer = { minDevices: 1, percent: 1, window: minute };
    const scope = { kind: 'Pool', driver, pool } as const;
    const wave = {
      policy: 'policy',
      key: 'example.com/taint',
      scope,
      from: t0,
      to: t0,
      devices: 9,
      total: 9,
      sources: [],
      offers: [{ digest: 'd', devices: 9 }],
    };
    const standing = new Map([[key, [stands({ since: t0 - minute })]]]);
    const under = (more: object) => {
      const waves = [{ ...wave, ...more }] as unknown as Snapshot['waves'];
      return evaluatePod(pod(), world({ policies: delayedBy({ observer }), standing, ...(waves ? { waves } : {}) }));
    };
    expect(under({})).toMatchObject({ at: farFuture, because: [{ delay: { reason: 'BrokenObserver' } }] });
    for (const other of [{ policy: 'x' }, { key: 'x' }, { scope: { ...scope, pool: 'x' } }]) {
      const verdict = under(other);
      expect(verdict.kind === 'EvictAt' && verdict.because[0]?.delay?.reason).not.toBe('BrokenObserver');
    }
    const withoutDelay = evaluatePod(
      pod(),
      world({ standing, waves: [wave] as unknown as NonNullable<Snapshot['waves']> }),
    );
    expect(withoutDelay.kind === 'EvictAt' && withoutDelay.because[0]?.delay).toBeUndefined();
  });

  it('a pod is due by the taint of an agent under the policy for agents', () => {
    const agent = { slice: 'agent', index: 0, taint: taint() };
    const verdict = evaluatePod(
      pod(),
      world({
        nativeSlices: 'Watched',
        agentTaints: new Map([[key, [agent]]]),
        policies: delayedBy({ taints: { sources: ['DeviceTaintSlice'] } }),
        standing: new Map([[key, [stands({ source: 'DeviceTaintSlice', since: t0 + 7 })]]]),
      }),
    );
    expect(verdict).toMatchObject({ at: t0 + 7 + minute, because: [{ delay: { reason: 'MinimumAge' } }] });
  });

  it.each([
    ['later than minimumAge', 90],
    ['at the moment when the taint is old enough', 60],
  ])('a pod is due when its toleration ends if that is %s', (_, tolerationSeconds) => {
    const tolerant = claim(tolerating(toleration({ tolerationSeconds })));
    const standing = new Map([[key, [stands()]]]);
    const snapshot = world({ claims: new Map([['default/claim', tolerant]]), policies: delayedBy({}), standing });
    const verdict = evaluatePod(pod(), snapshot);
    expect(verdict).toMatchObject({ at: atSecond(tolerationSeconds) });
    expect(verdict.kind === 'EvictAt' && verdict.because[0]?.delay).toBeUndefined();
  });

  it.each([
    [
      'a native rule',
      taintRule({ kind: 'DeviceTaintRule', actingSince: t0 + 5, policy: evictionPolicy({ minimumAge: minute }) }),
    ],
    ['a PacedTaintRule', taintRule({ actingSince: t0 + 5, policy: evictionPolicy({ minimumAge: minute }) })],
  ])('a pod is due minimumAge after the taint of %s was first seen', (_, one) => {
    const verdict = evaluatePod(
      pod(),
      world({ rules: [{ ...one, deviceSelector: { driver } }], nativeSlices: 'Watched' }),
    );
    expect(verdict).toMatchObject({ at: t0 + 5 + minute, because: [{ delay: { reason: 'MinimumAge' } }] });
  });
});

it('a policy only moves due times later, at most by its longest delay, and loses no pod', () => {
  const times = fc.integer({ min: 0, max: 3 * minute });
  const notes = fc.option(
    fc.record({ since: times, healedAt: fc.option(times, { nil: undefined }) }, { requiredKeys: ['since'] }),
    { nil: undefined },
  );
  fc.assert(
    fc.property(notes, times, times, (note, minimumAge, healthyDelay) => {
      const seen =
        note &&
        stands({
          since: t0 + note.since,
          ...(note.healedAt === undefined ? {} : { healedAt: t0 + note.healedAt - 3 * minute }),
        });
      const policies = [evictionPolicy({ minimumAge, healthyDelay })];
      const standing = new Map(seen ? [[key, [seen]]] : []);
      const [plain, delayed] = [evaluatePod(pod(), world({})), evaluatePod(pod(), world({ policies, standing }))];
      if (plain.kind !== 'EvictAt' || delayed.kind !== 'EvictAt') throw new Error('the pod was lost');
      expect(delayed.at).toBeGreaterThanOrEqual(plain.at);
      expect(delayed.at - Math.max(seen?.since ?? farFuture, t0)).toBeLessThanOrEqual(
        Math.max(minimumAge, healthyDelay),
      );
      expect(delayed.because.map(({ origin }) => origin)).toEqual(plain.because.map(({ origin }) => origin));
    }),
  );
});

it('the taint of a wave is held until an approval, however old it is', () => {
  const by = { timeAdded: t0 - minute, seen: stands({ since: t0 - minute }), isHeld: () => true };
  expect(sliceDelay(evictionPolicy({ minimumAge: 1 }), by)).toEqual({
    notBefore: farFuture,
    delay: { reason: 'BrokenObserver', policy: 'policy' },
  });
});
