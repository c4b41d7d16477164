// A picture of many limiters: pages of names and a few lists are read at a time, and the number of listed pods is bounded.
import { expect, it } from 'vitest';
import { limitersPartition } from '../../lib/state/keys.ts';
import type { RowPage, RowRange } from '../../lib/table.ts';
import { readClusterProgress } from '../../lib/view/readModel.ts';
import { aroundCalls } from '../support/around.ts';
import { withMadeLists } from '../support/madeLists.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;

/** What one picture reads of `count` limiters that list `pods` pods each. */
async function readOf(count: number, pods: number) {
  const { table, cluster } = createWorld({ start });
  const limiters = Array.from({ length: count }, (_, i) => `slice|gpu.example.com|example.com/k${i}||NoExecute`);
  for (const sk of limiters)
    await table.write({ kind: 'Put', row: { pk: limitersPartition(cluster), sk, usedAt: start } });
  const seen = { page: 0, sideBySide: 0, listed: 0 };
  let running = 0;
  const counted = aroundCalls(withMadeLists(table, { cluster, limiters, pods }), async (name, call, [range]) => {
    running++;
    seen.sideBySide = Math.max(seen.sideBySide, running);
    await new Promise((resolve) => setImmediate(resolve));
    const answer = await call();
    running--;
    if (name !== 'query') return answer;
    const { rows } = answer as RowPage;
    const { pk } = range as RowRange;
    if (pk === limitersPartition(cluster)) seen.page = Math.max(seen.page, rows.length);
    if (pk.includes('#LIMITER#')) seen.listed += rows.length;
    return answer;
  });
  const shown = await readClusterProgress({ table: counted, cluster }, start);
  return { ...seen, shown: shown.limiters.length, isPartial: shown.limiters.some(({ isPartial }) => isPartial) };
}

it('a picture of 3,000 limiters makes no more concurrent calls and reads no larger pages than one of 1,000', async () => {
  const [small, large] = [await readOf(1000, 1), await readOf(3000, 1)];
  expect([small.shown, large.shown]).toEqual([1000, 3000]);
  expect(large.sideBySide).toBe(small.sideBySide);
  expect(large.sideBySide).toBeLessThanOrEqual(200);
  expect(large.page).toBe(small.page);
  expect(large.page).toBeLessThanOrEqual(1000);
});

it('a picture of 40 limiters lists no more pods than one of 20, and marks its counts as partial', async () => {
  const [small, large] = [await readOf(20, 10_100), await readOf(40, 10_100)];
  expect([small.shown, large.shown]).toEqual([20, 40]);
  expect([small.isPartial, large.isPartial]).toEqual([true, true]);
  expect(small.listed).toBe(200_000);
  expect(large.listed).toBeLessThanOrEqual(small.listed);
});
