// Walks over the rules whose reports a change may affect: two of the same name, late ones, and several at once.
import { expect, it } from 'vitest';
import { createMemory } from '../../lib/memory.ts';
import { surveyPartition } from '../../lib/state/modeKeys.ts';
import { continueReports, openReports, walkReports } from '../../lib/steps/reportWalk.ts';
import { queryAll, type Table } from '../../lib/table.ts';
import { aRule, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;

async function withRules(count: number) {
  const world = createWorld({ start });
  const taint = { key: 'example.com/bad', effect: 'NoExecute', timeAdded: start } as const;
  const rules = Array.from({ length: count }, (_, i) =>
    aRule(`bad-${i}`, start, { uid: `bad-${i}`, deviceSelector: { pool: 'none' }, taint }),
  );
  await world.deliver({ stage: 'ingest', at: start, body: rules.map((one) => upserted(one)) });
  await world.runUntil(start + 30_000);
  world.messages.splice(0);
  const state = { table: world.table, cluster: world.cluster, memory: world.deps.memory };
  return { world, state, walks: () => queryAll(world.table, { pk: surveyPartition(world.cluster) }) };
}

it('a slow step of a walk that has ended does not end a later one', async () => {
  const { world, state, walks } = await withRules(50);
  const name = 'reports|DeviceClass/c';
  await openReports(world.deps, state, { name, of: { kind: 'Every' } });
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const slow: Table = { ...world.table, query: (range) => gate.then(() => world.table.query(range)) };
  const late = continueReports(world.deps, { ...state, table: slow, memory: createMemory() }, name);
  await new Promise((resolve) => setImmediate(resolve));
  await continueReports(world.deps, state, name);
  expect(await walks()).toEqual([]);
  world.setNow(world.now() + 1);
  await openReports(world.deps, state, { name, of: { kind: 'Every' } });
  release();
  await late;
  expect(await walks()).toHaveLength(1);
});

it('several walks continue in one message each', async () => {
  const { world, state, walks } = await withRules(3);
  const names = ['reports|a', 'reports|b', 'reports|c'] as const;
  for (const name of names) await openReports(world.deps, state, { name, of: { kind: 'Every' } });
  await walkReports(world.deps, state, new Set(names));
  expect(world.messages.filter(({ stage }) => stage === 'ingest')).toHaveLength(2);
  const rows = (await walks()).map(({ pk, sk }) => ({ pk, sk }));
  world.messages.splice(0);
  await world.deliver({ stage: 'ingest', at: world.now(), body: [{ type: 'Due', rows }] });
  expect(await walks()).toHaveLength(1);
  expect(world.messages.filter(({ stage }) => stage === 'ingest')).toHaveLength(1);
});

it('an older version of a policy that is received again begins no walk', async () => {
  const { world, walks } = await withRules(3);
  const policy = (evictionsPerSecond: number) => ({
    ...evictionPolicy({ taints: { keys: ['example.com/bad'] }, evictionsPerSecond }),
    resourceVersion: nextVersion(),
  });
  const [older, newer] = [policy(1), policy(2)];
  const deliver = (one: typeof older) => world.deliver({ stage: 'ingest', at: world.now(), body: [upserted(one)] });
  await deliver(older);
  await deliver(newer);
  await world.runUntil(world.now() + 120_000);
  await deliver(older);
  expect(await walks()).toEqual([]);
});
