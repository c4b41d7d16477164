// Which of the pods that wait at one limiter is evicted first.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evictionOrder } from '../../lib/decide/limiter.ts';
import { inLine, placeAt } from '../../lib/decide/line.ts';
import type { Pod } from '../../lib/model/objects.ts';
import type { EvictionOrder } from '../../lib/model/policy.ts';
import { farFuture } from '../../lib/model/time.ts';
import { aPod } from '../support/objects.ts';

const t0 = 1_800_000_000_000;

interface Waiting {
  readonly name: string;
  readonly priority?: number;
  readonly created?: number;
  readonly due?: number;
}

const podOf = ({ name, priority, created = t0 }: Waiting): Pod =>
  aPod(name, { creationTimestamp: created, ...(priority === undefined ? {} : { priority }) });

function placeOf(waiting: Waiting, order: EvictionOrder | undefined): string {
  const pod = podOf(waiting);
  const policy = order && { order };
  return placeAt(
    { order: evictionOrder(pod), podUid: pod.uid },
    inLine({ limiter: 'rule|x', dueAt: waiting.due ?? t0 }, pod, policy),
  );
}

const lined = (pods: readonly Waiting[], order?: EvictionOrder) =>
  pods
    .map((one) => ({ name: one.name, place: placeOf(one, order) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ name }) => name);

const byPriority: readonly Waiting[] = [
  { name: 'old', priority: 0, created: t0 - 1000, due: t0 + 2 },
  { name: 'important', priority: 1000, created: t0, due: t0 },
  { name: 'young', priority: 0, created: t0, due: t0 + 3 },
  { name: 'cheap', priority: -5, created: t0 - 9000, due: t0 + 4 },
];

describe('the order of a limiter', () => {
  it.each<[string, EvictionOrder | undefined, readonly string[]]>([
    ['no order set', undefined, ['cheap', 'young', 'old', 'important']],
    ['PriorityThenAge', 'PriorityThenAge', ['cheap', 'young', 'old', 'important']],
    ['DueTime', 'DueTime', ['important', 'old', 'young', 'cheap']],
  ])('pods of a limiter are evicted in the order that the policy sets: %s', (_, order, names) => {
    expect(lined(byPriority, order)).toEqual(names);
  });

  it('the order DueTime sorts pods that are due together by priority and age', () => {
    const together = byPriority.map((one) => ({ ...one, due: t0 }));
    expect(lined(together, 'DueTime')).toEqual(['cheap', 'young', 'old', 'important']);
  });

  it('the order of pods with equal priority and age is by UID', () => {
    expect(lined([{ name: 'b' }, { name: 'a' }])).toEqual(['a', 'b']);
    expect(lined([{ name: 'b' }, { name: 'a' }], 'DueTime')).toEqual(['a', 'b']);
  });

  it('a listing is unchanged when the policy sets no other order', () => {
    const listing = { limiter: 'rule|x', dueAt: t0 };
    expect(inLine(listing, aPod('a'), undefined)).toEqual(listing);
    expect(inLine(listing, aPod('a'), { order: 'PriorityThenAge' })).toEqual(listing);
  });

  it.each([
    [-1, '0000000000000000'],
    [0.4, '0000000000000000'],
    [t0, '0001800000000000'],
    [farFuture, String(farFuture).padStart(16, '0')],
    [farFuture * 2, String(farFuture).padStart(16, '0')],
  ])('the order of a pod due at %d begins with %s', (due, text) => {
    const { order } = inLine({ limiter: 'rule|x', dueAt: due }, aPod('a'), { order: 'DueTime' });
    expect(order?.split('.')[0]).toBe(text);
  });

  it('the order DueTime never puts a pod before one that was due earlier', () => {
    const waiting = fc.record({
      name: fc.constantFrom('a', 'b'),
      priority: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      created: fc.integer({ min: 0, max: t0 }),
      due: fc.integer({ min: 0, max: farFuture }),
    });
    fc.assert(
      fc.property(waiting, waiting, (a, b) => {
        fc.pre(a.due < b.due);
        expect(placeOf(a, 'DueTime') < placeOf(b, 'DueTime')).toBe(true);
      }),
    );
  });

  it('the order PriorityThenAge never puts a pod before one of lower priority, nor an older one before a younger of equal priority', () => {
    const waiting = fc.record({
      name: fc.constantFrom('a', 'b'),
      priority: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      created: fc.integer({ min: 0, max: t0 }),
    });
    fc.assert(
      fc.property(waiting, waiting, (a, b) => {
        fc.pre(a.priority < b.priority || (a.priority === b.priority && a.created > b.created));
        expect(placeOf(a, 'PriorityThenAge') < placeOf(b, 'PriorityThenAge')).toBe(true);
      }),
    );
  });
});
