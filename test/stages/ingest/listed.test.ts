// Messages with many objects of a first list have the same effect as single objects, in any order and with few table calls.
import { describe, expect, it } from 'vitest';
import { tableFor } from '../../../lib/lambda/stageTable.ts';
import type { Change, Listed } from '../../../lib/model/change.ts';
import type { ObjectProjection } from '../../../lib/model/projection.ts';
import { ingest } from '../../../lib/stages/ingest/ingest.ts';
import { readPods } from '../../../lib/state/podRows.ts';
import type { Table } from '../../../lib/table.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice } from '../../support/objects.ts';
import { createWorld, type World } from '../../support/world.ts';

const start = 1_800_000_000_000;
const devicesPerNode = 8;
const tainted = [{ key: 'example.com/broken', effect: 'NoExecute', timeAdded: start }];

interface Fleet {
  readonly pods: readonly ObjectProjection[];
  readonly claims: readonly ObjectProjection[];
  readonly slices: readonly ObjectProjection[];
}

/** Every second node has one broken device. */
function fleetOf(pods: number): Fleet {
  const placed = Array.from({ length: pods }, (_, i) => ({ i, node: `node-${Math.floor(i / devicesPerNode)}` }));
  return {
    pods: placed.map(({ i, node }) => aPod(`p${i}`, { nodeName: node })),
    claims: placed.map(({ i, node }) => {
      const allocated = { request: 'gpu', driver: 'gpu.example.com', pool: node, device: `gpu-${i % devicesPerNode}` };
      return aClaim(`p${i}`, 'gpu-0', { allocation: { devices: [allocated] } });
    }),
    slices: Array.from({ length: Math.ceil(pods / devicesPerNode) }, (_, node) => {
      const devices = Array.from({ length: devicesPerNode }, (_, i) => ({
        name: `gpu-${i}`,
        attributes: { index: { int: String(i) } },
        ...(node % 2 === 0 && i === 0 ? { taints: tainted } : {}),
      }));
      return aSlice(`node-${node}`, { pool: { name: `node-${node}`, generation: 1 }, devices } as never);
    }),
  };
}

const listed = (objects: readonly ObjectProjection[]): Listed => ({ type: 'Listed', objects });

async function waitingAfter(messages: readonly (readonly Change[])[], pods: number): Promise<readonly string[]> {
  const world = createWorld({ start });
  await ingest(world.deps, world.cluster, [aHeartbeat(start)]);
  for (const changes of messages) {
    const results = await ingest(world.deps, world.cluster, changes);
    expect(results.map(({ kind }) => kind)).toEqual(changes.map(() => 'Done'));
  }
  await world.runUntil(start + 1000);
  const keys = Array.from({ length: pods }, (_, i) => `default/p${i}`);
  const rows = await readPods({ table: world.table, cluster: world.cluster }, keys);
  expect(rows).toHaveLength(pods);
  return rows.flatMap(({ key, ledger }) => (ledger ? [key] : [])).sort();
}

describe('objects of a first list', () => {
  const { pods, claims, slices } = fleetOf(40);
  const orders = [
    [pods, claims, slices],
    [pods, slices, claims],
    [claims, pods, slices],
    [claims, slices, pods],
    [slices, pods, claims],
    [slices, claims, pods],
  ];

  it.each(orders.map((order) => [order.map(([first]) => first?.kind).join(', '), order] as const))(
    'a first list leads to the same evictions as its objects one by one, in the order %s',
    async (_, order) => {
      const many = await waitingAfter(
        order.map((objects) => [listed(objects)]),
        40,
      );
      const alone = await waitingAfter(
        order.flatMap((objects) => objects.map((object): Change[] => [{ type: 'Upserted', object }])),
        40,
      );
      expect(many).toEqual(alone);
      expect(many).toHaveLength(3);
    },
  );

  it('every pod of a first list that arrives after its rule is pending, in any order of kinds', async () => {
    const rule: Change = { type: 'Upserted', object: aRule('all', start) };
    const rest = orders.map((order) => waitingAfter([[rule], ...order.map((objects) => [listed(objects)])], 40));
    for (const waiting of await Promise.all(rest)) expect(waiting).toHaveLength(40);
  });

  it('a first list that is delivered twice leads to the same evictions', async () => {
    const twice = [claims, slices, pods, claims, slices, pods].map((objects) => [listed(objects)]);
    expect(await waitingAfter(twice, 40)).toHaveLength(3);
  });
});

/** Table calls per object, with one message of each kind. */
async function callsFor(size: number): Promise<number> {
  const world = createWorld({ start });
  const { table, counted } = counting(world);
  const deps = { ...world.deps, table: tableFor('ingest', table) };
  await ingest(deps, world.cluster, [aHeartbeat(start)]);
  const before = counted();
  const { pods, claims } = fleetOf(size);
  await ingest(deps, world.cluster, [listed(claims)]);
  await ingest(deps, world.cluster, [listed(pods)]);
  return (counted() - before) / (2 * size);
}

function counting({ table }: World): { readonly table: Table; counted(): number } {
  let calls = 0;
  const counted = Object.fromEntries(
    Object.entries(table).map(([name, method]) => [
      name,
      (...args: unknown[]) => {
        calls++;
        return (method as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  );
  return { table: counted as unknown as Table, counted: () => calls };
}

describe('table calls of a first list', () => {
  it('a first list costs less than one table call per three objects, and no more per object when it is larger', async () => {
    const [small, large] = [await callsFor(100), await callsFor(300)];
    expect(small).toBeLessThan(1 / 3);
    expect(large).toBeLessThanOrEqual(small);
  });
});
