// Slices that are read when a policy is deleted: each once, page by page, and none if it did not select slices.
import { expect, it } from 'vitest';
import type { PolicySelector } from '../../../lib/model/policy.ts';
import { slicePartition } from '../../../lib/state/keys.ts';
import type { RowPage } from '../../../lib/table.ts';
import { aSlice, deleted, nextVersion, upserted } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;

async function readOf(slices: number, taints: PolicySelector) {
  const read = { rows: 0, most: 0 };
  const world = createWorld({
    start,
    around: async (name, call, [range]) => {
      const answer = await call();
      const pk = name === 'query' ? (range as { readonly pk: string }).pk : '';
      if (!pk.startsWith(slicePartition(world.cluster, 0).slice(0, -1))) return answer;
      const { rows } = answer as RowPage;
      read.rows += rows.length;
      read.most = Math.max(read.most, rows.length);
      return answer;
    },
  });
  for (let i = 0; i < slices; i += 100) {
    const some = Array.from({ length: 100 }, (_, at) =>
      aSlice(`slice-${i + at}`, { pool: { name: `node-${i + at}`, generation: 1 } }),
    );
    await world.deliver({ stage: 'ingest', at: start, body: some.map(upserted) });
  }
  const policy = evictionPolicy({ taints, resourceVersion: nextVersion() });
  await world.deliver({ stage: 'ingest', at: start, body: [upserted(policy)] });
  Object.assign(read, { rows: 0, most: 0 });
  await world.deliver({ stage: 'ingest', at: start, body: [deleted({ ...policy, resourceVersion: nextVersion() })] });
  return read;
}

it('deleting a policy reads each of 400 or 1,600 slices once, at most a hundred at a time', async () => {
  const [small, large] = [await readOf(400, {}), await readOf(1600, {})];
  expect([small.rows, large.rows]).toEqual([400, 1600]);
  expect(large.most).toBeLessThanOrEqual(100);
});

it('deleting a policy that selects only rules reads no slice', async () => {
  expect(await readOf(400, { sources: ['PacedTaintRule'] })).toEqual({ rows: 0, most: 0 });
});
