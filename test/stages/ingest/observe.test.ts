// Wave detection holds one page of published slices in memory, however many pools there are.
import { expect, it } from 'vitest';
import { isWatchedFor } from '../../../lib/decide/wave.ts';
import type { ObjectProjection } from '../../../lib/model/projection.ts';
import { ingest } from '../../../lib/stages/ingest/ingest.ts';
import { standingRowKey } from '../../../lib/state/keys.ts';
import { readAllStanding } from '../../../lib/state/standingRows.ts';
import { readWaves } from '../../../lib/state/waveRows.ts';
import { aroundCalls } from '../../support/around.ts';
import { createInMemoryTable } from '../../support/fakes/table.ts';
import { aClass, aSlice, upserted } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;

it('wave detection finds the wave of one pool among 900, and reads at most a hundred slices at a time', async () => {
  let most = 0;
  const world = createWorld({
    start,
    around: async (name, call, [range]) => {
      const answer = await call();
      const isOfSlices = name === 'query' && (range as { readonly pk: string }).pk.includes('#SLICE#');
      if (isOfSlices) most = Math.max(most, (answer as { readonly rows: readonly unknown[] }).rows.length);
      return answer;
    },
  });
  const policy = evictionPolicy({ observer: { minDevices: 8, percent: 80, window: 60_000 } });
  const taints = [{ key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start }];
  const pool = (i: number, more = {}) =>
    aSlice(`slice-${i}`, {
      pool: { name: `node-${i}`, generation: 1 },
      devices: Array.from({ length: 10 }, (_, d) => ({ name: `gpu-${d}`, ...more })),
    });
  const objects = Array.from({ length: 900 }, (_, i) => pool(i));
  for (let i = 0; i < objects.length; i += 100)
    await world.deliver({ stage: 'ingest', at: start, body: objects.slice(i, i + 100).map((one) => upserted(one)) });
  await world.deliver({ stage: 'ingest', at: start, body: [upserted(policy)] });
  const tainted = { ...pool(7, { taints }), resourceVersion: '900000' };
  await world.deliver({ stage: 'ingest', at: start, body: [upserted(tainted)] });
  const waves = await readWaves({ table: world.table, cluster: world.cluster });
  expect(waves.map(({ wave }) => wave)).toMatchObject([{ scope: { pool: 'node-7' }, devices: 10, total: 10 }]);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(100);
});

/** Queries of each partition while these objects arrive in one message. */
async function queriesFor(objects: readonly ObjectProjection[]): Promise<Readonly<Record<string, number>>> {
  const queries = new Map<string, number>();
  const world = createWorld({
    start,
    around: async (name, call, [range]) => {
      const partition = (range as { readonly pk?: string }).pk?.split('#')[1] ?? '';
      if (name === 'query') queries.set(partition, (queries.get(partition) ?? 0) + 1);
      return call();
    },
  });
  const policy = evictionPolicy({ observer: { minDevices: 1000, percent: 80, window: 60_000 } });
  await world.deliver({ stage: 'ingest', at: start, body: [upserted(policy)] });
  queries.clear();
  await ingest(world.deps, world.cluster, [{ type: 'Listed', objects }]);
  return Object.fromEntries(queries);
}

const many = (count: number) => Array.from({ length: count }, (_, i) => i);

it('wave detection runs no more often for 200 slices in one message than for 20', async () => {
  const taints = [{ key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start }];
  const slices = (count: number) =>
    many(count).map((i) =>
      aSlice(`slice-${i}`, { pool: { name: `node-${i}`, generation: 1 }, devices: [{ name: 'gpu-0', taints }] }),
    );
  const [few, more] = [await queriesFor(slices(20)), await queriesFor(slices(200))];
  // Each slice queries its own pool twice: before it writes and after.
  const looks = (queries: Readonly<Record<string, number>>, count: number) => (queries.STANDING ?? 0) - 2 * count;
  expect(looks(few, 20)).toBeGreaterThan(0);
  expect(looks(more, 200)).toBeLessThanOrEqual(looks(few, 20));
});

it('ingest reads the rules no more often for 200 classes in one message than for 20', async () => {
  const classes = (count: number) => many(count).map((i) => aClass(`class-${i}`, []));
  const [few, more] = [await queriesFor(classes(20)), await queriesFor(classes(200))];
  expect(few.RULE).toBeGreaterThan(0);
  expect(more.RULE).toBeLessThanOrEqual(few.RULE ?? 0);
});

it('wave detection keeps only devices with a watched taint in memory, and reads at most a hundred at a time', async () => {
  const table = createInMemoryTable();
  let most = 0;
  const counting = aroundCalls(table, async (name, call) => {
    const answer = await call();
    if (name === 'query') most = Math.max(most, (answer as { readonly rows: readonly unknown[] }).rows.length);
    return answer;
  });
  const state = { table: counting, cluster: 'prod@incarnation' } as const;
  const policies = [
    evictionPolicy({ taints: { keys: ['example.com/ecc'] }, observer: { minDevices: 8, percent: 80, window: 60_000 } }),
  ];
  for (const i of many(2000)) {
    const taintKey = i < 20 ? 'example.com/ecc' : 'example.com/other';
    const seen = [{ source: 'ResourceSlice', key: taintKey, since: start, ...(i % 2 ? { liftedAt: start } : {}) }];
    const pool = `gpu.example.com|node-${i >> 3}`;
    await table.write({ kind: 'Put', row: { ...standingRowKey(state.cluster, pool, `${pool}|gpu-${i}`), seen } });
  }
  const held = await readAllStanding(state, (device, seen) => isWatchedFor(device, seen, policies));
  expect(held.size).toBe(10);
  expect((await readAllStanding(state)).size).toBe(2000);
  expect(most).toBeLessThanOrEqual(100);
});
