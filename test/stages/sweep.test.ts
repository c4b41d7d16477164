// A sweep costs only what is due, and sends each due row to its stage.
import { describe, expect, it } from 'vitest';
import type { ConfiguredModes } from '../../lib/model/ownership.ts';
import { sweep } from '../../lib/stages/sweep/index.ts';
import { dueAttributes, dueShardCount } from '../../lib/state/dueIndex.ts';
import { aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

/** Lies in a minute in which no gauges are counted. */
const start = 1_800_000_060_000;
const gaugesAt = 1_800_000_600_000;
const own: ConfiguredModes = { native: 'own', paced: 'own' };
const tableCalls = ['get', 'getMany', 'query', 'queryDue', 'queryHeads', 'write', 'transact'];

/** Table calls of one sweep after ingest has processed so many rules and pods. */
async function callsWith(
  { rules, pods }: { readonly rules: number; readonly pods: number },
  { at = start, modes = own }: { readonly at?: number; readonly modes?: ConfiguredModes } = {},
): Promise<number> {
  let calls = 0;
  let configured = own;
  const world = createWorld({
    start,
    modes: () => configured,
    around: (name, call) => {
      if (tableCalls.includes(name)) calls++;
      return call();
    },
  });
  const changes = [
    ...Array.from({ length: rules }, (_, i) =>
      upserted(aRule(`rule-${i}`, start, { deviceSelector: { pool: 'none' } })),
    ),
    ...Array.from({ length: pods }, (_, i) => upserted(aPod(`pod-${i}`))),
  ];
  await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start)] });
  for (let i = 0; i < changes.length; i += 10)
    await world.deliver({ stage: 'ingest', at: start, body: changes.slice(i, i + 10) });
  calls = 0;
  configured = modes;
  world.setNow(at);
  await sweep(world.deps, world.cluster);
  return calls;
}

async function sentFor(world: World, key: { readonly pk: string; readonly sk: string }) {
  const state = { table: world.table, cluster: world.cluster };
  await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start)] });
  world.messages.length = 0;
  await world.table.write({ kind: 'Put', row: { ...key, ...dueAttributes(state, key, start - 1) } });
  await sweep(world.deps, world.cluster);
  return world.messages.splice(0).map(({ stage, body }) => ({ stage, body }));
}

describe('sweeping a cluster', () => {
  it('a sweep makes at most two calls more than the due index has shards, whatever the number of rules and pods', async () => {
    const small = await callsWith({ rules: 1, pods: 1 });
    expect(await callsWith({ rules: 200, pods: 200 })).toBe(small);
    expect(small).toBeLessThanOrEqual(dueShardCount + 2);
  });

  it('a sweep makes the same number of calls for gauges, whatever the number of pods', async () => {
    const small = await callsWith({ rules: 1, pods: 1 }, { at: gaugesAt });
    expect(await callsWith({ rules: 1, pods: 200 }, { at: gaugesAt })).toBe(small);
    expect(small).toBeLessThanOrEqual(dueShardCount + 4);
  });

  it('a sweep makes the same number of calls for a mode to apply, whatever the number of pods', async () => {
    const modes: ConfiguredModes = { native: 'off', paced: 'own' };
    const small = await callsWith({ rules: 1, pods: 1 }, { modes });
    expect(await callsWith({ rules: 1, pods: 200 }, { modes })).toBe(small);
    expect(small).toBeLessThanOrEqual(dueShardCount + 3);
  });

  it.each([
    ['LIMITERS', 'dueEvict'],
    ['RECORD#uid', 'dueEvict'],
    ['INTENT#3', 'dueEvict'],
    ['REPORT', 'dueReport'],
    ['PLANS', 'dueReport'],
    ['RELEASE', 'dueReport'],
  ])('a sweep sends a due row of %s as %s, at most once a minute', async (kind, stage) => {
    const world = createWorld({ start });
    const key = { pk: `${world.cluster}#${kind}`, sk: 'some' };
    expect(await sentFor(world, key)).toEqual([{ stage, body: { cluster: world.cluster, rows: [key] } }]);
    await sweep(world.deps, world.cluster);
    expect(world.messages).toEqual([]);
    world.setNow(start + 60_000);
    await sweep(world.deps, world.cluster);
    expect(world.messages).toHaveLength(1);
  });

  it.each(['POD#1', 'FANOUT#rule', 'SHADOW#2', 'RULE'])('a sweep sends a due row of %s to ingest', async (kind) => {
    const world = createWorld({ start });
    const key = { pk: `${world.cluster}#${kind}`, sk: 'some' };
    expect(await sentFor(world, key)).toEqual([{ stage: 'ingest', body: [{ type: 'Due', rows: [key] }] }]);
  });
});
