// Few lanes when slots pass under way, many when they do not.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LaneOutcome, laneLimits, nextLanes } from '../../lib/decide/lanes.ts';

describe('lanes of an evictor', () => {
  it.each<[string, number, LaneOutcome, number]>([
    ['a pod in time opens one more', 8, 'InTime', 9],
    ['a late pod closes half of them', 8, 'Late', 4],
    ['an odd number is halved downwards', 5, 'Late', 2],
    ['the last one stays open', 1, 'Late', 1],
    ['there is a most', laneLimits.most, 'InTime', laneLimits.most],
    ['one below the most reaches it', laneLimits.most - 1, 'InTime', laneLimits.most],
  ])('%s', (_, lanes, outcome, next) => {
    expect(nextLanes(lanes, outcome)).toBe(next);
  });

  it('are between one and the most, whatever happens', () => {
    const outcomes = fc.array(fc.constantFrom<LaneOutcome>('InTime', 'Late'), { maxLength: 600 });
    fc.assert(
      fc.property(outcomes, (all) => {
        const lanes = all.reduce(nextLanes, laneLimits.first);
        expect(lanes).toBeGreaterThanOrEqual(1);
        expect(lanes).toBeLessThanOrEqual(laneLimits.most);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
