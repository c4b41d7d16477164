// How many pods a canary evicts, how long it holds the others, and the hold that it reports.
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
    ['has three free permits at first', [], { kind: 'Running', went: 0, free: [0, 1, 2] }],
    ['has one free permit less for each pod in flight', [going(1)], { kind: 'Running', went: 0, free: [0, 2] }],
    ['does not reuse the permit of a deleted pod', [gone(0, 10)], { kind: 'Running', went: 1, free: [1, 2] }],
    [
      'has no free permit while three pods hold them',
      [going(0), going(1), gone(2, 1)],
      { kind: 'Running', went: 1, free: [] },
    ],
    [
      'holds from the last deletion, whatever the order of deletions',
      [gone(0, 10), gone(1, 59_999), gone(2, 70_000)],
      { kind: 'Holding', went: 3, last: now - 10, until: now + 59_990 },
    ],
    [
      'holds to the last millisecond',
      [0, 1, 2].map((seat) => gone(seat, 59_999)),
      { kind: 'Holding', went: 3, last: now - 59_999, until: now + 1 },
    ],
    ['has passed when the hold is over', [0, 1, 2].map((seat) => gone(seat, 60_000)), { kind: 'Passed' }],
    [
      'gives no permit after it was made smaller than the number of permits in use',
      [gone(0, 5), gone(3, 9), going(4), going(5)],
      { kind: 'Running', went: 2, free: [] },
    ],
    [
      'holds from the last deletion after it was made smaller than the number of deleted pods',
      [gone(0, 70_000), gone(1, 70_000), gone(2, 70_000), gone(3, 1)],
      { kind: 'Holding', went: 4, last: now - 1, until: now + 59_999 },
    ],
  ])('a canary of three pods with a hold of one minute %s', (_, seats, state) => {
    expect(canaryState(canary, seats, now)).toEqual(state);
  });

  it('a canary that is made larger continues with the new permits', () => {
    const seats = [0, 1, 2].map((seat) => gone(seat, 90_000));
    expect(canaryState({ ...canary, pods: 5 }, seats, now)).toEqual({ kind: 'Running', went: 3, free: [3, 4] });
  });
});

describe('the hold of a canary', () => {
  const policy = (hold = 5_400_000) => ({ name: 'p', canary: { pods: 3, hold } });
  const running = { kind: 'Running', went: 1, free: [1] } as const;
  const holding = { kind: 'Holding', went: 3, last: now, until: now + 90_000 } as const;

  it.each([
    [5, running, policy(), '1 of 3 pods evicted; 4 more wait until all of these are evicted, and 1h30m longer.'],
    [2, running, policy(61_000), '1 of 3 pods evicted; 1 more wait until all of these are evicted, and 1m1s longer.'],
    [2, running, policy(500), '1 of 3 pods evicted; 1 more wait until all of these are evicted, and 500ms longer.'],
    [
      7,
      { ...holding, went: 1 },
      policy(),
      '1 pod evicted, the last at 2027-01-15T08:00:00Z; 7 more wait until 2027-01-15T08:01:30Z.',
    ],
    [7, holding, policy(), '3 pods evicted, the last at 2027-01-15T08:00:00Z; 7 more wait until 2027-01-15T08:01:30Z.'],
  ] as const)(
    'the hold of a canary with %i listed pods says what was evicted and what it waits for',
    (waiting, state, of, said) => {
      expect(canaryHold(of, state, waiting)).toEqual({
        reason: 'Canary',
        message: `Canary of EvictionPolicy p: ${said}`,
      });
    },
  );

  it.each([
    ['the only pending pod has a permit', running, 1, policy()],
    ['no pod is pending', holding, 0, policy()],
    ['it has passed', { kind: 'Passed' }, 5, policy()],
    ['the policy has no canary', holding, 5, { name: 'p' }],
  ] as const)('a canary does not hold when %s', (_, state, waiting, of) => {
    expect(canaryHold(of, state, waiting)).toBeUndefined();
  });
});

const canaries: fc.Arbitrary<Canary> = fc.record({
  pods: fc.integer({ min: 1, max: 6 }),
  hold: fc.integer({ min: 0, max: 1000 }),
});

/** Permits as evictors leave them: each acquired from the free ones, its pod deleted or the permit released at some time. */
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

describe('a canary under any sequence of evictions', () => {
  const moves = fc.array(
    fc.record({ what: fc.constantFrom('take', 'delete', 'giveUp'), at: fc.integer({ min: 0, max: 5000 }) }),
    { maxLength: 40 },
  );

  it('a canary never gives more permits than it has pods and passes only after its hold', () => {
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
