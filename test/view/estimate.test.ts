// Next slot and end of a limiter's work, against the bucket that gives the slots.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reserveSlots } from '../../lib/state/bucketRows.ts';
import { bucketKey } from '../../lib/state/keys.ts';
import { estimate } from '../../lib/view/estimate.ts';
import { tallyStandings } from '../../lib/view/standing.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

const now = 1_800_000_000_000;
const pending = (n: number) => tallyStandings(Array.from({ length: n }, () => ({ kind: 'Pending' as const })));

describe('what a limiter promises', () => {
  it.each([
    ['nobody is listed', pending(0), { perSecond: 10, burst: 10 }],
    ['the rate is 0', pending(5), { perSecond: 0, burst: 10 }],
    ['the burst is 0', pending(5), { perSecond: 10, burst: 0 }],
  ])('is nothing where %s', (_, standings, rate) =>
    expect(estimate({ standings, rate, freeAt: undefined, now })).toEqual({}),
  );

  it('is the first and the last slot where everybody has one', () => {
    const standings = tallyStandings([
      { kind: 'Reserved', slot: now + 900 },
      { kind: 'Reserved', slot: now + 400 },
    ]);
    expect(estimate({ standings, rate: { perSecond: 2, burst: 1 }, freeAt: now + 1400, now })).toEqual({
      nextSlot: now + 400,
      finishAt: now + 900,
    });
  });

  it('is now for a slot that is past', () => {
    const standings = tallyStandings([{ kind: 'Reserved', slot: now - 700 }]);
    expect(estimate({ standings, rate: { perSecond: 2, burst: 1 }, freeAt: now, now })).toEqual({
      nextSlot: now,
      finishAt: now,
    });
  });

  it('is the last due time where the bucket is full again by then', () => {
    const dueTimes = [now + 60_000, now + 60_000, now + 90_000];
    const standings = tallyStandings(dueTimes.map((dueAt) => ({ kind: 'Waiting' as const, dueAt })));
    expect(estimate({ standings, rate: { perSecond: 1, burst: 2 }, freeAt: undefined, now })).toEqual({
      nextSlot: now + 60_000,
      finishAt: now + 90_000,
    });
  });

  it('is the bucket’s own schedule for any backlog, rate and past', async () => {
    const history = fc.record({
      waiting: fc.integer({ min: 1, max: 40 }),
      before: fc.integer({ min: 0, max: 30 }),
      age: fc.integer({ min: 0, max: 5000 }),
      perSecond: fc.constantFrom(0.5, 1, 3, 10, 50),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(history, async ({ waiting, before, age, perSecond, burst }) => {
        const state = { table: createInMemoryTable(), cluster: 'c' };
        const rate = { perSecond, burst };
        await reserveSlots(state, 'l', { rate, now: now - age, wanted: before, horizon: 1e9 });
        const row = await state.table.get(bucketKey('c', 'l'));
        const freeAt = row === undefined ? undefined : (row.tat as number) / 1000;
        const promised = estimate({ standings: pending(waiting), rate, freeAt, now });
        const slots = await reserveSlots(state, 'l', { rate, now, wanted: waiting, horizon: 1e9 });
        expect(promised.nextSlot).toBeCloseTo(Math.max(now, slots[0] ?? 0), 0);
        expect(promised.finishAt).toBeCloseTo(Math.max(now, slots.at(-1) ?? 0), 0);
      }),
    );
  });
});
