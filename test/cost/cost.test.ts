// The estimate: its figures per change and eviction are those of the real steps, and it grows as a bill does.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { estimate } from '../../lib/cost/estimate.ts';
import { quotasOf } from '../../lib/cost/quotas.ts';
import { type Fleet, perChange, perEviction, perSweep, usageOf } from '../../lib/cost/usage.ts';
import { type Measured, measure } from './measured.ts';

const small: Fleet = {
  clusters: 1,
  nodes: 100,
  devicesPerNode: 8,
  eventsPerSecond: 5,
  evictionsPerMonth: 1000,
  alarms: 40,
};

describe('the figures that the estimate rests on', () => {
  let measured: Measured;
  beforeAll(async () => {
    measured = await measure();
  });

  it.each([
    ['writes of a change', () => [measured.change.writes, perChange.writes]],
    ['reads of a change', () => [measured.change.reads, perChange.reads]],
    ['writes of an eviction', () => [measured.eviction.writes, perEviction.writes]],
    ['reads of an eviction', () => [measured.eviction.reads, perEviction.reads]],
    ['messages of an eviction', () => [measured.eviction.messages, perEviction.messages]],
    ['writes of a sweep', () => [measured.sweep.writes, perSweep.writes]],
    ['reads of a sweep', () => [measured.sweep.reads, perSweep.reads]],
  ] as const)('%s are what the real steps come to, within a quarter', (_, figures) => {
    const [real = 0, assumed = 0] = figures();
    expect(assumed).toBeGreaterThan(real * 0.75);
    expect(assumed).toBeLessThan(real * 1.25 + 0.1);
  });
});

const fleets = fc.record({
  clusters: fc.integer({ min: 1, max: 50 }),
  nodes: fc.integer({ min: 1, max: 5000 }),
  devicesPerNode: fc.integer({ min: 1, max: 16 }),
  eventsPerSecond: fc.double({ min: 0, max: 1000, noNaN: true }),
  evictionsPerMonth: fc.integer({ min: 0, max: 1_000_000 }),
  alarms: fc.integer({ min: 1, max: 200 }),
});

describe('an estimate', () => {
  it('is the sum of its lines, none of them negative', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const { lines, dollars } = estimate(fleet);
        expect(lines.every((line) => line.dollars >= 0 && Number.isFinite(line.dollars))).toBe(true);
        expect(dollars).toBeCloseTo(lines.reduce((sum, line) => sum + line.dollars, 0));
      }),
    );
  });

  it.each(['clusters', 'nodes', 'evictionsPerMonth', 'alarms'] as const)('never falls when %s grow', (name) => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        expect(estimate({ ...fleet, [name]: fleet[name] + 1 }).dollars).toBeGreaterThanOrEqual(estimate(fleet).dollars);
      }),
    );
  });

  it('of a quiet cluster is a few dollars, most of them for watching it', () => {
    const quiet = estimate({ ...small, eventsPerSecond: 0, evictionsPerMonth: 0 });
    expect(quiet.dollars).toBeGreaterThan(5);
    expect(quiet.dollars).toBeLessThan(30);
  });

  it('counts every evicted pod’s own changes', () => {
    const more = usageOf({ ...small, evictionsPerMonth: 1_001_000 }).dynamoDbWrites - usageOf(small).dynamoDbWrites;
    expect(more).toBeCloseTo(1_000_000 * (perEviction.writes + 6 * perChange.writes));
  });
});

describe('quotas', () => {
  it('of a small fleet need no raise', () => {
    expect(quotasOf(small).filter(({ raiseTo }) => raiseTo !== undefined)).toEqual([]);
  });

  it('of forty clusters do: more functions at once than an account may have', () => {
    const raised = quotasOf({ ...small, clusters: 50 }).filter(({ raiseTo }) => raiseTo !== undefined);
    expect(raised.map(({ quota }) => quota)).toContain('Lambda: concurrent executions');
    for (const { needed, raiseTo } of raised) expect(raiseTo).toBeGreaterThanOrEqual(needed);
  });
});
