// The cost estimate: its figures per change and eviction match the real steps, and it grows with the fleet.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { estimate } from '../../lib/cost/estimate.ts';
import { quotasOf } from '../../lib/cost/quotas.ts';
import { alarmsOf, type Fleet, perChange, perEviction, perIdleMinute, usageOf } from '../../lib/cost/usage.ts';
import { clusterOf, install } from '../infra/support/installation.ts';
import { measureIdle } from './idle.ts';
import { type Measured, measure } from './measured.ts';

const small: Fleet = {
  clusters: 1,
  nodes: 100,
  devicesPerNode: 8,
  eventsPerSecond: 5,
  evictionsPerMonth: 1000,
  rules: 10,
};

describe('the assumed figures of the estimate', () => {
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
    ['writes of an idle minute', () => [measured.idle.writes, perIdleMinute.writes]],
    ['reads of an idle minute', () => [measured.idle.reads, perIdleMinute.reads]],
  ] as const)('the assumed %s match those of the real steps within a quarter', (_, figures) => {
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
  rules: fc.integer({ min: 0, max: 10_000 }),
  alarms: fc.integer({ min: 1, max: 200 }),
});

describe('an estimate', () => {
  it('an estimate is the sum of its lines, none of which is negative', () => {
    fc.assert(
      fc.property(fleets, (fleet) => {
        const { lines, dollars } = estimate(fleet);
        expect(lines.every((line) => line.dollars >= 0 && Number.isFinite(line.dollars))).toBe(true);
        expect(dollars).toBeCloseTo(lines.reduce((sum, line) => sum + line.dollars, 0));
      }),
    );
  });

  it.each(['clusters', 'nodes', 'evictionsPerMonth', 'rules', 'alarms'] as const)(
    'an estimate never decreases when %s grow',
    (name) => {
      fc.assert(
        fc.property(fleets, (fleet) => {
          expect(estimate({ ...fleet, [name]: fleet[name] + 1 }).dollars).toBeGreaterThanOrEqual(
            estimate(fleet).dollars,
          );
        }),
      );
    },
  );

  it('an installation with one idle cluster costs at most 10 dollars, and each further one at most 1.50 dollars', () => {
    const idle = (clusters: number) =>
      estimate({ ...small, clusters, eventsPerSecond: 0, evictionsPerMonth: 0 }).dollars;
    expect(idle(1)).toBeGreaterThan(5);
    expect(idle(1)).toBeLessThanOrEqual(10);
    expect((idle(11) - idle(1)) / 10).toBeLessThanOrEqual(1.5);
  });

  it('an estimate counts the alarms of the template', () => {
    const count = (names: readonly string[]) =>
      install({ clusters: names.map((name) => clusterOf(name)) }).ofType('AWS::CloudWatch::Alarm').length;
    expect(count(['prod'])).toBe(alarmsOf.installation + alarmsOf.cluster);
    expect(count(['prod', 'stage', 'test'])).toBe(alarmsOf.installation + 3 * alarmsOf.cluster);
  });

  it('an estimate counts the changes that each evicted pod causes', () => {
    const more = usageOf({ ...small, evictionsPerMonth: 1_001_000 }).dynamoDbWrites - usageOf(small).dynamoDbWrites;
    expect(more).toBeCloseTo(1_000_000 * (perEviction.writes + 6 * perChange.writes));
  });
});

describe('an idle cluster', () => {
  it('an idle cluster with 800 pods and ten rules uses at most 100 read units a minute, and forty more rules less than one', async () => {
    const ten = await measureIdle({ pods: 800, rules: 10 });
    const fifty = await measureIdle({ pods: 800, rules: 50 });
    expect(ten.reads).toBeLessThanOrEqual(100);
    expect(fifty.writes).toBe(ten.writes);
    expect(fifty.reads - ten.reads).toBeLessThan(1);
  }, 240_000);
});

describe('quotas', () => {
  it('the quotas of a small fleet need no raise', () => {
    expect(quotasOf(small).filter(({ raiseTo }) => raiseTo !== undefined)).toEqual([]);
  });

  it('a fleet of 50 clusters needs a raised quota for concurrent executions', () => {
    const raised = quotasOf({ ...small, clusters: 50 }).filter(({ raiseTo }) => raiseTo !== undefined);
    expect(raised.map(({ quota }) => quota)).toContain('Lambda: concurrent executions');
    for (const { needed, raiseTo } of raised) expect(raiseTo).toBeGreaterThanOrEqual(needed);
  });
});
