// How many pods a canary lets go, how long it holds the others, and what it says meanwhile.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CanarySeat, canaryHold, canaryState } from '../../lib/decide/canary.ts';
import type { Canary } from '../../lib/model/policy.ts';

const now = Date.UTC(2027, 0, 15, 8);
const canary = { pods: 3, hold: 60_000 };
const going = (seat: number): CanarySeat => ({ seat, uid: `u${seat}` });
const gone = (seat: number, ago: number): CanarySeat => ({ seat, uid: `u${seat}`, deletedAt: now - ago });

describe('a canary of three pods that holds for a minute', () => {
  it.each<[string, readonly CanarySeat[], object]>([
    ['has three seats at first', [], { kind: 'Running', went: 0, free: [0, 1, 2] }],
    ['has one less for a pod that goes', [going(1)], { kind: 'Running', went: 0, free: [0, 2] }],
    ['has no seat again for one that went', [gone(0, 10)], { kind: 'Running', went: 1, free: [1, 2] }],
    ['has none while three go', [going(0), going(1), gone(2, 1)], { kind: 'Running', went: 1, free: [] }],
    [
      'holds from the last deletion on, in whatever order they went',
      [gone(0, 10), gone(1, 59_999), gone(2, 70_000)],
      { kind: 'Holding', went: 3, last: now - 10, until: now + 59_990 },
    ],
    [
      'holds to the last millisecond',
      [0, 1, 2].map((seat) => gone(seat, 59_999)),
      { kind: 'Holding', went: 3, last: now - 59_999, until: now + 1 },
    ],
    ['has passed after it', [0, 1, 2].map((seat) => gone(seat, 60_000)), { kind: 'Passed' }],
    [
      'made smaller than what is under way waits for enough of it',
      [gone(0, 5), gone(3, 9), going(4), going(5)],
      { kind: 'Running', went: 2, free: [] },
    ],
    [
      'made smaller than what went holds from the last of all',
      [gone(0, 70_000), gone(1, 70_000), gone(2, 70_000), gone(3, 1)],
      { kind: 'Holding', went: 4, last: now - 1, until: now + 59_999 },
    ],
  ])('a canary of three pods and one minute: it %s', (_, seats, state) => {
    expect(canaryState(canary, seats, now)).toEqual(state);
  });

  it('made larger continues with the seats that are new', () => {
    const seats = [0, 1, 2].map((seat) => gone(seat, 90_000));
    expect(canaryState({ ...canary, pods: 5 }, seats, now)).toEqual({ kind: 'Running', went: 3, free: [3, 4] });
  });
});

describe('what a canary says', () => {
  const policy = (hold = 5_400_000) => ({ name: 'p', canary: { pods: 3, hold } });
  const running = { kind: 'Running', went: 1, free: [1] } as const;
  const holding = { kind: 'Holding', went: 3, last: now, until: now + 90_000 } as const;

  it.each([
    [5, running, policy(), '1 of 3 pods evicted; 4 more wait until all of these are evicted, and 1h30m longer.'],
    [2, running, policy(61_000), '1 of 3 pods evicted; 1 more wait until all of these are evicted, and 1m1s longer.'],
    [2, running, policy(500), '1 of 3 pods evicted; 1 more wait until all of these are evicted, and 500ms longer.'],
    [7, holding, policy(), '3 pods evicted, the last at 2027-01-15T08:00:00Z; 7 more wait until 2027-01-15T08:01:30Z.'],
  ] as const)('of %i pods that are listed', (waiting, state, of, said) => {
    expect(canaryHold(of, state, waiting)).toEqual({
      reason: 'Canary',
      message: `Canary of EvictionPolicy p: ${said}`,
    });
  });

  it.each([
    ['who waits has a seat', running, 1, policy()],
    ['no pod waits', holding, 0, policy()],
    ['it has passed', { kind: 'Passed' }, 5, policy()],
    ['the policy has none', holding, 5, { name: 'p' }],
  ] as const)('is nothing where %s', (_, state, waiting, of) => {
    expect(canaryHold(of, state, waiting)).toBeUndefined();
  });
});

const canaries: fc.Arbitrary<Canary> = fc.record({
  pods: fc.integer({ min: 1, max: 6 }),
  hold: fc.integer({ min: 0, max: 1000 }),
});

/** Seats as evictors leave them: each taken from the free ones, deleted or given up at some time. */
function play(of: Canary, moves: readonly { readonly what: 'take' | 'delete' | 'giveUp'; readonly at: number }[]) {
  const seats = new Map<number, CanarySeat>();
  let begun = 0;
  for (const { what, at } of moves) {
    const open = [...seats.values()].filter((one) => one.deletedAt === undefined);
    const [first] = open;
    const state = canaryState(of, [...seats.values()], at);
    if (what === 'take' && state.kind === 'Running' && state.free[0] !== undefined) {
      seats.set(state.free[0], { seat: state.free[0], uid: `${begun++}` });
    } else if (what === 'delete' && first) seats.set(first.seat, { ...first, deletedAt: at });
    else if (what === 'giveUp' && first) seats.delete(first.seat);
  }
  return [...seats.values()];
}

describe('whatever evictors do with its seats', () => {
  const moves = fc.array(
    fc.record({ what: fc.constantFrom('take', 'delete', 'giveUp'), at: fc.integer({ min: 0, max: 5000 }) }),
    { maxLength: 40 },
  );

  it('no more pods go than the canary has, and none before the hold is over', () => {
    fc.assert(
      fc.property(canaries, moves, fc.integer({ min: 0, max: 10_000 }), (of, moved, at) => {
        const seats = play(of, moved);
        expect(seats.length).toBeLessThanOrEqual(of.pods);
        const state = canaryState(of, seats, at);
        const deleted = seats.flatMap(({ deletedAt }) => deletedAt ?? []);
        if (state.kind !== 'Running') expect(deleted).toHaveLength(of.pods);
        if (state.kind === 'Passed') expect(Math.max(...deleted) + of.hold).toBeLessThanOrEqual(at);
        if (state.kind === 'Running') expect(state.free.length + seats.length).toBe(of.pods);
      }),
    );
  });
});
