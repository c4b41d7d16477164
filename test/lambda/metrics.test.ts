// Metrics as lines of the embedded metric format: no value is lost, whatever happens in one invocation.
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

it.each([99, 100, 101, 250])('writes each of %i durations, at most 100 in a line', (count) => {
  const lines = record((metrics) => {
    for (let i = 0; i < count; i++) metrics.add('PaceError', i, 'a');
  });
  const values = lines.map(({ PaceError }) => [PaceError].flat());
  expect(values.flat()).toEqual(Array.from({ length: count }, (_, i) => i));
  expect(Math.max(...values.map((one) => one.length))).toBeLessThanOrEqual(100);
});

it('adds counts up over all lines, and does not mix clusters', () => {
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
