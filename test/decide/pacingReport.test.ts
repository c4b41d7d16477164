// The condition Pacing of a rule: one sentence for each taint.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PacedTaintFacts,
  pacingCondition,
  type Queue,
  ratesText,
  unpacedCondition,
} from '../../lib/decide/pacingReport.ts';
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
  it.each([
    [{ kept: 1 }, '1 pod is'],
    [{ kept: 3, deleting: 2 }, '3 pods are'],
  ])('a taint whose waiting pods are all kept without a time is held, and names none: %j', (queue, pods) => {
    expect(say({ queue: { ...empty, ...queue } })).toMatchObject({
      status: 'False',
      reason: 'Held',
      message: `Held: ${pods} kept, each by its mode, its namespace or its policy.`,
    });
    expect(say({ queue: { ...empty, ...queue }, stop: 'stopped by EvictionStop x' })?.reason).toBe('Stopped');
    expect(say({ queue: { ...empty, ...queue }, hold: { reason: 'Paused' } })?.message).toBe('Held: Paused.');
  });

  it('pods that are kept without a time are counted apart from those that are evicted', () => {
    const [alone, beside] = [{}, { kept: 4 }].map((more) =>
      say({ queue: { ...empty, pending: 2, deleting: 1, ...more } }),
    );
    expect(beside?.message).toBe(
      `${alone?.message} 4 more pods are kept, each by its mode, its namespace or its policy.`,
    );
    expect(say({ queue: { ...empty, kept: 0 } })).toBeUndefined();
  });

  it('a taint without pods has no condition', () => {
    expect(say({})).toBeUndefined();
    expect(say()).toBeUndefined();
  });

  it.each<[number, readonly string[], string]>([
    [1, ['maxPerNode'], 'the pod is evicted once maxPerNode allows it.'],
    [3, ['maxPerNode'], 'the next of 3 pods is evicted once maxPerNode allows it.'],
    [3, ['maxPerNode', 'maxPerPool'], 'the next of 3 pods is evicted once maxPerNode and maxPerPool allow it.'],
  ])(
    'the condition of one taint names no time where limits of pods in flight decide: %i pods, %j',
    (pending, inFlight, end) => {
      expect(say({ queue: { ...empty, pending, deleting: 5 }, inFlight })).toMatchObject({
        status: 'True',
        reason: 'Paced',
        message: `2 pods a second, burst 3: ${end}`,
      });
    },
  );

  it('the condition of one taint has its times where no limit of pods in flight is set', () => {
    expect(say({ queue: { ...empty, pending: 1 }, inFlight: [] })?.message).toContain('next pod at');
  });

  it.each<[string, Partial<Queue>, string]>([
    ['one pending pod', { pending: 1 }, `next pod at ${at(4)}.`],
    ['several pending pods', { pending: 3 }, `next pod at ${at(4)}, the last of 3 pods is evicted at about ${at(5)}.`],
    [
      'pods in flight count but have no time of their own',
      { deleting: 2, pending: 3 },
      `next pod at ${at(4)}, the last of 5 pods is evicted at about ${at(5)}.`,
    ],
    [
      'pods that tolerate the taint for a while',
      later(t0 + 60_000, t0 + 90_000),
      `next pod at ${at(60)}, the last of 2 pods is evicted at about ${at(90)}.`,
    ],
    [
      'a toleration that ends before the backlog is evicted',
      { pending: 3, ...later(t0 + 1000) },
      `next pod at ${at(4)}, the last of 4 pods is evicted at about ${at(5)}.`,
    ],
    [
      'one pending pod and one that tolerates the taint for a while',
      { pending: 1, ...later(t0 + 60_000) },
      `next pod at ${at(4)}, the last of 2 pods is evicted at about ${at(60)}.`,
    ],
    ['a pod that is due before a token is available', later(t0 + 1000), `next pod at ${at(4)}.`],
  ])('the condition of one taint names its rate, its next and its last eviction: %s', (_, queue, end) => {
    expect(say({ queue: { ...empty, ...queue } })).toEqual({
      type: 'sluice.dev/Pacing',
      status: 'True',
      reason: 'Paced',
      message: `2 pods a second, burst 3: ${end}`,
      observedGeneration: 7,
    });
  });

  it('a taint whose next token is in the past evicts its next pod now', () => {
    const past = { schedule: { first: t0 - 9000, step: 500 } };
    expect(say({ queue: { ...empty, pending: 1 }, ...past })?.message).toMatch(`next pod at ${at(0)}.`);
  });

  it.each<[string, Partial<PacedTaintFacts>, object]>([
    [
      'is in a stopped cluster',
      { stop: 'a stop' },
      { status: 'False', reason: 'Stopped', message: 'No pod of this cluster is evicted: a stop.' },
    ],
    ['is held', { hold: { reason: 'Paused' } }, { status: 'False', reason: 'Held', message: 'Held: Paused.' }],
    [
      'has rate 0',
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
      'is under a policy that sets no rate',
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
      'has its own rate and is capped',
      { written: { ...written, from: 'here', cappedBy: 'p' } },
      { message: expect.stringMatching(/^2 pods a second, burst 3 \(by here, capped by EvictionPolicy p\): next/) },
    ],
    [
      'is limited by its cluster',
      { limit: 0.5 },
      {
        status: 'True',
        message: `2 pods a second, burst 3, in the whole cluster at most 0.5: next pod at ${at(4)}, the last of 2 pods is evicted at about ${at(6)}.`,
      },
    ],
    [
      'is in a cluster with limit 0',
      { limit: 0 },
      { reason: 'StandsStill', message: 'No evictions at 2 pods a second, burst 3, in the whole cluster at most 0.' },
    ],
    [
      'has an unreadable rate and is held as well',
      { written: { ...written, problems: ['x is bad', 'y too'] }, hold: { reason: 'Paused' } },
      {
        status: 'False',
        reason: 'RateUnreadable',
        message: 'x is bad; y too: no pod is evicted until it is fixed or removed.',
      },
    ],
  ])('the condition names the cause for a taint that %s', (_, facts, wanted) => {
    const { schedule: __, ...rest } = { name: 'k', written, queue: { ...empty, pending: 2 }, schedule, ...facts };
    const gives = rest.written.rate.perSecond > 0 ? { schedule } : {};
    expect(pacingCondition([{ ...rest, ...gives }], { generation: 1, now: t0 })).toMatchObject(wanted);
  });

  it('a taint with an unreadable rate is reported before a pod is pending', () => {
    expect(say({ written: { ...written, problems: ['x'] } })).toMatchObject({ reason: 'RateUnreadable' });
  });
});

it('a native rule that Sluice only watches is reported as NotPaced', () => {
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
      'one evicts and one is held: True, and both are named',
      [{ queue, hold: { reason: 'Paused' } }, { queue }],
      { status: 'True', reason: 'Paced', message: expect.stringMatching(/^k0: Held: Paused\. k1: 2 pods/) },
    ],
    [
      'one evicts and one cannot be read: True, with the reason of the latter',
      [{ queue }, { queue, written: bad }],
      { status: 'True', reason: 'RateUnreadable', message: expect.stringContaining('k1: x is bad') },
    ],
    [
      'one without pods is omitted',
      [{}, { queue, hold: { reason: 'Expired' } }],
      { status: 'False', reason: 'Held', message: 'k1: Held: Expired.' },
    ],
  ])('the condition of several taints names each of them: %s', (_, facts, wanted) => {
    expect(say(...facts)).toMatchObject(wanted);
  });
});

it.each([
  ['a taint with an unreadable rate', ['RateUnreadable', 'Paced', 'StandsStill', 'Held', 'NothingPending']],
  ['a taint that evicts', ['Paced', 'StandsStill', 'Held', 'NothingPending']],
  ['a taint that gives no token', ['StandsStill', 'Held', 'NothingPending']],
  ['a taint that is held', ['Held', 'NothingPending']],
] as const)('the reason for several taints is that of %s, whatever their order', (_, [first, ...rest]) => {
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

it('the time of the last eviction is never before the next one, nor that before now', () => {
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

it.each([
  ['one taint', [0.5], undefined, '0.5'],
  ['taints with the same rate', [2, 2], undefined, '2'],
  ['taints with several rates', [5, 10, 5], undefined, '5, 10, 5'],
  ['a limit of the cluster below them', [5, 10], 3, '3'],
  ['a limit of the cluster between them', [5, 10], 7, '5, 7'],
  ['no taint', [], undefined, ''],
])('the rate that is shown of %s is the one that applies', (_, rates, limit, text) => {
  const all = rates.map((perSecond) => ({ perSecond, burst: 1 }));
  expect(ratesText(all, limit)).toBe(text);
});
