// The page of a benchmark: medians, rounds that were stopped, and a machine that was busy.
import { describe, expect, it } from 'vitest';
import { renderChart } from '../../bench/eviction/charts.ts';
import { pacedRate } from '../../bench/eviction/paced.ts';
import { type Results, renderPage } from '../../bench/eviction/page.ts';
import { isComplete, ownProcessorMs, perSecond, type Round } from '../../bench/eviction/rounds.ts';

const round = (change: Partial<Round> = {}): Round => ({
  system: 'sluice',
  pods: 4,
  deleted: 4,
  wrong: 0,
  times: [100, 200, 300, 400],
  processorMs: { etcd: 1000, 'functions, queues and table': 34, watcher: 6 },
  threadMs: { table: 4, MainThread: 12, V8Worker: 0.1 },
  peakMiB: { etcd: 500, 'functions, queues and table': 310, watcher: 90 },
  calls: { 'delete pods': 4, 'patch pods': 4 },
  load: 0.2,
  ...change,
});
const results = (change: Partial<Results> = {}): Results => ({
  rounds: [round()],
  paced: [],
  operations: { writes: 30, reads: 8, messages: 0.1 },
  busy: 0.1,
  cores: 2,
  minutes: 3,
  ...change,
});
const rowOf = (page: string) => page.split('\n').find((line) => line.startsWith('| 4 |'));

describe('the figures of a round', () => {
  it('the processor time of a round counts the processes of the system and not those of the control plane', () => {
    expect(ownProcessorMs(round())).toBe(40);
  });

  it('the rate of a round counts deletes from the rule to the last delete', () => {
    expect(perSecond(round())).toBe(10);
  });

  it('the rate of a limited round leaves out the burst, which comes at once', () => {
    const times = [0, 0, 0, 100, 200, 300];
    expect(pacedRate({ ...round({ times }), loops: 0, burst: 3 })).toBeCloseTo(10);
  });

  it.each([
    ['a pod stays', { deleted: 3 }, false],
    ['another pod is deleted', { wrong: 1 }, false],
    ['all pods of the round are deleted and no other', {}, true],
  ])('a round is complete only if all of its pods and no others were deleted: %s', (_, change, complete) => {
    expect(isComplete(round(change))).toBe(complete);
  });
});

describe('the page', () => {
  it('the page shows the median of the rounds of one size', () => {
    const slow = round({ times: [900, 950, 960, 1000] });
    expect(rowOf(renderPage(results({ rounds: [round(), slow, round()] })))).toContain('| 100 ms | 400 ms | 10.0 |');
  });

  it('the page says that a round was stopped, and after how many deletes', () => {
    expect(rowOf(renderPage(results({ rounds: [round({ deleted: 3 })] })))).toContain('| 3, stopped |');
  });

  it('the page shows the threads that take at least 0.1 ms for each delete, the busiest first', () => {
    expect(renderPage(results())).toContain('| 4 | MainThread 3.0 ms, table 1.0 ms |');
  });

  it('the page says whether the machine was busy before the run', () => {
    expect(renderPage(results({ busy: 7.5 }))).toContain('busy before it (load 7.5)');
    expect(renderPage(results())).toContain('quiet before it');
  });
});

describe('a chart', () => {
  it('a chart has a mark for each point with a value, and one in the legend for each system', () => {
    const points = [1, 100, 1000].map((pods) => ({ pods, value: pods === 1 ? 0 : pods / 10 }));
    expect(renderChart('Deletes', 'a second', [{ name: 'Sluice', points }]).match(/<circle/g)).toHaveLength(3);
  });
});
