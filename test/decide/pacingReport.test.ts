// How fast a rule's pods go, in one sentence for each taint.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PacedTaintFacts, pacingCondition, type Queue, unpacedCondition } from '../../lib/decide/pacingReport.ts';
import { formatInstant } from '../../lib/model/time.ts';
import { t0 } from '../support/builders.ts';

const empty: Queue = { deleting: 0, pending: 0 };
const later = (...dueAt: readonly number[]): Pick<Queue, 'later'> =>
  dueAt.length === 0 ? {} : { later: { pods: dueAt.length, first: Math.min(...dueAt), last: Math.max(...dueAt) } };
const written = { rate: { perSecond: 2, burst: 3 }, problems: [] };
const schedule = { first: t0 + 4000, step: 500 };
const at = (seconds: number) => formatInstant(t0 + seconds * 1000);

const say = (...taints: readonly Partial<PacedTaintFacts>[]) =>
  pacingCondition(
    taints.map((one, i) => ({ name: `k${i}`, written, queue: empty, schedule, ...one })),
    { generation: 7, now: t0 },
  );

describe('one taint', () => {
  it('without pods says nothing', () => {
    expect(say({})).toBeUndefined();
    expect(say()).toBeUndefined();
  });

  it.each<[string, Partial<Queue>, string]>([
    ['of one pod has no last one', { pending: 1 }, `next pod at ${at(4)}.`],
    ['whose pods wait', { pending: 3 }, `next pod at ${at(4)}, the last of 3 pods is evicted at about ${at(5)}.`],
    [
      'does not promise a time for pods that are being deleted',
      { deleting: 2, pending: 3 },
      `next pod at ${at(4)}, the last of 5 pods is evicted at about ${at(5)}.`,
    ],
    [
      'whose pods tolerate it for a while',
      later(t0 + 60_000, t0 + 90_000),
      `next pod at ${at(60)}, the last of 2 pods is evicted at about ${at(90)}.`,
    ],
    [
      'whose pods tolerate it for less than the others take',
      { pending: 3, ...later(t0 + 1000) },
      `next pod at ${at(4)}, the last of 4 pods is evicted at about ${at(5)}.`,
    ],
    [
      'of which one pod may go at once and one tolerates it for a while',
      { pending: 1, ...later(t0 + 60_000) },
      `next pod at ${at(4)}, the last of 2 pods is evicted at about ${at(60)}.`,
    ],
    ['whose pods are due before a token comes', later(t0 + 1000), `next pod at ${at(4)}.`],
  ])('the report of one taint names its rate and its end: %s', (_, queue, end) => {
    expect(say({ queue: { ...empty, ...queue } })).toEqual({
      type: 'sluice.dev/Pacing',
      status: 'True',
      reason: 'Paced',
      message: `2 pods a second, burst 3: ${end}`,
      observedGeneration: 7,
    });
  });

  it('whose bucket stands in the past gives a token at once', () => {
    const past = { schedule: { first: t0 - 9000, step: 500 } };
    expect(say({ queue: { ...empty, pending: 1 }, ...past })?.message).toMatch(`next pod at ${at(0)}.`);
  });

  it.each<[string, Partial<PacedTaintFacts>, object]>([
    [
      'of a cluster that is stopped says by what',
      { stop: 'a stop' },
      { status: 'False', reason: 'Stopped', message: 'No pod of this cluster is evicted: a stop.' },
    ],
    ['is held', { hold: { reason: 'Paused' } }, { status: 'False', reason: 'Held', message: 'Held: Paused.' }],
    [
      'gives no token',
      { written: { ...written, rate: { perSecond: 0, burst: 3 }, from: 'here' } },
      { status: 'False', reason: 'StandsStill', message: 'No evictions at 0 pods a second, burst 3 (by here).' },
    ],
    [
      'is capped',
      { written: { ...written, cappedBy: 'p' } },
      {
        status: 'True',
        message: expect.stringMatching(/^2 pods a second, burst 3 \(capped by EvictionPolicy p\): next/),
      },
    ],
    [
      'is under a policy that says nothing of its rate',
      { policy: 'p' },
      { message: expect.stringMatching(/^2 pods a second, burst 3 \(under EvictionPolicy p\): next/) },
    ],
    [
      'is under a policy and has its rate from elsewhere',
      { policy: 'p', written: { ...written, from: 'here' } },
      { message: expect.stringMatching(/^2 pods a second, burst 3 \(by here, under EvictionPolicy p\): next/) },
    ],
    [
      'has its rate from its policy, which is named once',
      { policy: 'p', written: { ...written, from: 'burst of EvictionPolicy p' } },
      { message: expect.stringMatching(/^2 pods a second, burst 3 \(by burst of EvictionPolicy p\): next/) },
    ],
    [
      'is capped by its policy, which is named once',
      { policy: 'p', written: { ...written, from: 'here', cappedBy: 'p' } },
      { message: expect.stringMatching(/^2 pods a second, burst 3 \(by here, capped by EvictionPolicy p\): next/) },
    ],
    [
      'is written and capped',
      { written: { ...written, from: 'here', cappedBy: 'p' } },
      { message: expect.stringMatching(/^2 pods a second, burst 3 \(by here, capped by EvictionPolicy p\): next/) },
    ],
    [
      'may be no faster than its cluster',
      { limit: 0.5 },
      {
        status: 'True',
        message: `2 pods a second, burst 3, in the whole cluster at most 0.5: next pod at ${at(4)}, the last of 2 pods is evicted at about ${at(6)}.`,
      },
    ],
    [
      'is in a cluster that evicts no pod',
      { limit: 0 },
      { reason: 'StandsStill', message: 'No evictions at 2 pods a second, burst 3, in the whole cluster at most 0.' },
    ],
    [
      'cannot be read, although it is held as well',
      { written: { ...written, problems: ['x is bad', 'y too'] }, hold: { reason: 'Paused' } },
      {
        status: 'False',
        reason: 'RateUnreadable',
        message: 'x is bad; y too: no pod is evicted until it is fixed or removed.',
      },
    ],
  ])('the report of one taint that %s', (_, facts, wanted) => {
    const { schedule: __, ...rest } = { name: 'k', written, queue: { ...empty, pending: 2 }, schedule, ...facts };
    const gives = rest.written.rate.perSecond > 0 ? { schedule } : {};
    expect(pacingCondition([{ ...rest, ...gives }], { generation: 1, now: t0 })).toMatchObject(wanted);
  });

  it('that cannot be read says so before a pod waits', () => {
    expect(say({ written: { ...written, problems: ['x'] } })).toMatchObject({ reason: 'RateUnreadable' });
  });
});

it('a native rule that Sluice only watches says what can be paced', () => {
  expect(unpacedCondition(4)).toEqual({
    type: 'sluice.dev/Pacing',
    status: 'False',
    reason: 'NotPaced',
    message:
      'Sluice only watches DeviceTaintRules of this cluster: another controller evicts for them, all pods at once. The pods of a PacedTaintRule are evicted at a rate.',
    observedGeneration: 4,
  });
});

describe('several taints', () => {
  const queue = { ...empty, pending: 1 };
  const bad = { ...written, problems: ['x is bad'] };
  it.each<[string, readonly Partial<PacedTaintFacts>[], object]>([
    [
      'one that goes and one that is held: it is True, and both are said',
      [{ queue, hold: { reason: 'Paused' } }, { queue }],
      { status: 'True', reason: 'Paced', message: expect.stringMatching(/^k0: Held: Paused\. k1: 2 pods/) },
    ],
    [
      'one that goes and one that cannot be read: it is True, and the reason names what needs a repair',
      [{ queue }, { queue, written: bad }],
      { status: 'True', reason: 'RateUnreadable', message: expect.stringContaining('k1: x is bad') },
    ],
    [
      'one without pods is left out',
      [{}, { queue, hold: { reason: 'Expired' } }],
      { status: 'False', reason: 'Held', message: 'k1: Held: Expired.' },
    ],
  ])('the report of several taints names what holds each: %s', (_, facts, wanted) => {
    expect(say(...facts)).toMatchObject(wanted);
  });
});

it.each([
  ['one whose rate needs a repair', ['RateUnreadable', 'Paced', 'StandsStill', 'Held', 'NothingPending']],
  ['one that goes', ['Paced', 'StandsStill', 'Held', 'NothingPending']],
  ['one that gives no slot', ['StandsStill', 'Held', 'NothingPending']],
  ['one that is held', ['Held', 'NothingPending']],
] as const)('of several taints the reason is that of %s, whichever comes first', (_, [first, ...rest]) => {
  const queue = { ...empty, pending: 1 };
  const facts = {
    RateUnreadable: { queue, written: { ...written, problems: ['x'] } },
    Paced: { queue },
    StandsStill: { queue, limit: 0 },
    Held: { queue, hold: { reason: 'Paused' } },
    NothingPending: {},
  } as const;
  for (const other of rest) {
    expect(say(facts[first], facts[other])?.reason).toBe(first);
    expect(say(facts[other], facts[first])?.reason).toBe(first);
  }
});

it('the last pod never goes before the next one, nor the next one before now', () => {
  const offsets = fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 5 });
  const queues = fc.record({ deleting: fc.nat(5), pending: fc.nat(50), dueAt: offsets });
  fc.assert(
    fc.property(
      queues,
      fc.integer({ min: -100_000, max: 100_000 }),
      fc.integer({ min: 1, max: 9000 }),
      (q, first, step) => {
        const queue = {
          deleting: q.deleting,
          pending: q.pending,
          ...later(...q.dueAt.map((one) => t0 + one)),
        };
        const message = say({ queue, schedule: { first: t0 + first, step } })?.message ?? '';
        const [next, last] = [...message.matchAll(/at (?:about )?(\d{4}-\S+Z)/g)].map(([, text = '']) =>
          Date.parse(text),
        );
        expect(next ?? t0).toBeGreaterThanOrEqual(Math.floor(t0 / 1000) * 1000);
        expect(last ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(next ?? 0);
      },
    ),
  );
});
