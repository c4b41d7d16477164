// Metrics in the CloudWatch embedded metric format: no value of an invocation is lost.
import { expect, it } from 'vitest';
import { createMetrics } from '../../lib/lambda/powertools.ts';

function record(add: (metrics: ReturnType<typeof createMetrics>) => void): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const metrics = createMetrics(
    (line) => lines.push(line),
    () => 5,
  );
  add(metrics);
  metrics.flush();
  return lines.map((line) => JSON.parse(line));
}

it.each([99, 100, 101, 250])('metrics write each of %i values, at most 100 in a line', (count) => {
  const lines = record((metrics) => {
    for (let i = 0; i < count; i++) metrics.add('PaceError', i, 'a');
  });
  const values = lines.map(({ PaceError }) => [PaceError].flat());
  expect(values.flat()).toEqual(Array.from({ length: count }, (_, i) => i));
  expect(Math.max(...values.map((one) => one.length))).toBeLessThanOrEqual(100);
});

it('metrics add up counts over all lines, separately for each cluster', () => {
  const lines = record((metrics) => {
    for (let i = 0; i < 150; i++) {
      metrics.add('PaceError', i, 'a');
      metrics.add('PodsEvicted', 1, 'a');
    }
    metrics.add('PodsEvicted', 7, 'b');
  });
  const sum = (cluster: string) =>
    lines.filter((line) => line.cluster === cluster).reduce((all, { PodsEvicted = 0 }) => all + Number(PodsEvicted), 0);
  expect([sum('a'), sum('b')]).toEqual([150, 7]);
});
