// Taints that must last before they evict, through the whole path: minimum ages, flapping devices, crashed handlers.
import { describe, expect, it } from 'vitest';
import type { ClusterId } from '../../lib/model/identity.ts';
import { dueAttributes } from '../../lib/state/dueIndex.ts';
import { readStanding } from '../../lib/state/standingRows.ts';
import type { Row } from '../../lib/table.ts';
import { aPacedRule, aRule, aSlice, aTaintSlice, deleted, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const ecc = { key: 'example.com/ecc', effect: 'NoExecute' };
const old = { ...ecc, timeAdded: start - 3_600_000 };
const device = (name: string) => ({ driver: 'gpu.example.com', pool: 'node-1', device: name });

async function fleet(policy: Parameters<typeof evictionPolicy>[0]) {
  const paced = await pacedWorld({ a: {} });
  await paced.ask(evictionPolicy(policy));
  return {
    ...paced,
    taint: () => paced.ingest(upserted(aSlice('slice-a', { devices: [{ name: 'a', taints: [old] }] }))),
    heal: () => paced.ingest(upserted(aSlice('slice-a', { devices: [{ name: 'a' }] }))),
  };
}

describe('a minimum age', () => {
  it('a minimumAge delays a slice taint for that long, whatever its timeAdded', async () => {
    const { taint, run, gone } = await fleet({ minimumAge: 30_000 });
    await taint();
    await run(29);
    expect(gone()).toEqual([]);
    await run(3);
    expect(gone()).toEqual(['a']);
  });

  it('a taint that is removed before its minimumAge evicts no pod', async () => {
    const { taint, heal, run, gone } = await fleet({ minimumAge: 30_000 });
    await taint();
    await run(20);
    await heal();
    await run(60);
    expect(gone()).toEqual([]);
  });

  it('a minimumAge restarts whenever a rule changes from None to NoExecute', async () => {
    const { world, ingest, run, gone } = await fleet({ minimumAge: 30_000 });
    const asking = aRule('r', start - 3_600_000);
    const tell = async (effect: string, generation: number) => {
      const rule = { ...asking, generation, taint: { ...asking.taint, effect }, resourceVersion: nextVersion() };
      world.api.rules.set('r', { rule, conditions: [] });
      await ingest(upserted(rule));
    };
    await tell('None', 1);
    await run(40);
    await tell('NoExecute', 2);
    await run(20);
    await tell('None', 3);
    await run(5);
    await tell('NoExecute', 4);
    await run(25);
    expect(gone()).toEqual([]);
    await run(7);
    expect(gone()).toEqual(['a']);
  });

  it('a minimumAge does not restart when the same rule is received again', async () => {
    const { world, ingest, run, gone } = await fleet({ minimumAge: 30_000 });
    const rule = aRule('r', start - 3_600_000);
    world.api.rules.set('r', { rule, conditions: [] });
    await ingest(upserted(rule));
    await run(20);
    await ingest(upserted({ ...rule, resourceVersion: nextVersion() }));
    await run(12);
    expect(gone()).toEqual(['a']);
  });

  it('a minimumAge restarts for another rule of the same name', async () => {
    const { world, ingest, run, gone } = await fleet({ minimumAge: 30_000 });
    const rule = aRule('r', start - 3_600_000);
    world.api.rules.set('r', { rule, conditions: [] });
    await ingest(upserted(rule));
    await run(20);
    const other = { ...rule, uid: 'another', resourceVersion: nextVersion() };
    world.api.rules.set('r', { rule: other, conditions: [] });
    await ingest(upserted(other));
    await run(20);
    expect(gone()).toEqual([]);
    await run(12);
    expect(gone()).toEqual(['a']);
  });

  it('a minimumAge applies to a PacedTaintRule too', async () => {
    const { write, run, gone } = await fleet({ minimumAge: 30_000 });
    await write(aPacedRule('r', { taints: [{ key: 'k', effect: 'NoExecute', timeAdded: start - 3_600_000 }] }));
    await run(29);
    expect(gone()).toEqual([]);
    await run(4);
    expect(gone()).toEqual(['a']);
  });

  it('pods that wait for a minimumAge are evicted when their policy removes it', async () => {
    const { taint, ask, run, gone } = await fleet({ minimumAge: 3_600_000 });
    await taint();
    await run(10);
    await ask(evictionPolicy({ generation: 2 }));
    await run(5);
    expect(gone()).toEqual(['a']);
  });

  it('a minimumAge outlives its policy until another policy without one selects the taint', async () => {
    const { world, ingest, ask, taint, run, gone } = await fleet({ minimumAge: 3_600_000 });
    await taint();
    await run(10);
    world.api.policyObjects.clear();
    await ingest(deleted(evictionPolicy({ resourceVersion: nextVersion() })));
    await run(5);
    expect(gone()).toEqual([]);
    await ask(evictionPolicy({ name: 'other', uid: 'other' }));
    await run(5);
    expect(gone()).toEqual(['a']);
  });

  it('a minimumAge ends when a more specific policy without one selects the taint', async () => {
    const { taint, ask, run, gone } = await fleet({ minimumAge: 3_600_000 });
    await taint();
    await run(10);
    await ask(evictionPolicy({ name: 'ecc', uid: 'ecc', taints: { keys: [ecc.key] } }));
    await run(5);
    expect(gone()).toEqual(['a']);
  });

  it('a minimumAge that is added while a pod is pending keeps the pod for that long', async () => {
    const { taint, ask, run, gone } = await fleet({ evictionsPerSecond: 0 });
    await taint();
    await run(5);
    await ask(evictionPolicy({ generation: 2, minimumAge: 60_000 }));
    await run(40);
    expect(gone()).toEqual([]);
    await run(25);
    expect(gone()).toEqual(['a']);
  });
});

describe('a healthy delay', () => {
  it('a healthyDelay does not delay the first taint of a device', async () => {
    const { taint, run, gone } = await fleet({ healthyDelay: 60_000 });
    await taint();
    await run(3);
    expect(gone()).toEqual(['a']);
  });

  it('a taint that returns within the healthyDelay evicts only after lasting that long', async () => {
    const { taint, heal, run, gone, ask } = await fleet({ healthyDelay: 60_000, evictionsPerSecond: 0 });
    await taint();
    await run(5);
    await heal();
    await run(30);
    await ask(evictionPolicy({ generation: 2, healthyDelay: 60_000 }));
    await taint();
    await run(58);
    expect(gone()).toEqual([]);
    await run(5);
    expect(gone()).toEqual(['a']);
  });

  it('a taint that returns after the healthyDelay evicts at once', async () => {
    const { taint, heal, run, gone, ask } = await fleet({ healthyDelay: 60_000, evictionsPerSecond: 0 });
    await taint();
    await run(5);
    await heal();
    await run(61);
    await ask(evictionPolicy({ generation: 2, healthyDelay: 60_000 }));
    await taint();
    await run(3);
    expect(gone()).toEqual(['a']);
  });

  it('a healthyDelay applies to a DeviceTaintSlice that went stale with its pool and returned', async () => {
    const { world, publish, ingest, run, gone, ask } = await fleet({ healthyDelay: 60_000, evictionsPerSecond: 0 });
    const agent = aTaintSlice('agent', { poolGeneration: 1, taints: [{ device: 'a', taint: ecc }] });
    await publish(agent);
    await run(5);
    await ingest(upserted(aSlice('slice-a', { pool: { name: 'node-1', generation: 2 }, devices: [{ name: 'a' }] })));
    await run(20);
    const state = { table: world.table, cluster: world.cluster };
    expect((await readStanding(state, [device('a')])).get('gpu.example.com|node-1|a')).toMatchObject([
      { source: 'DeviceTaintSlice', key: ecc.key, liftedAt: start + 5000 },
    ]);
    await ask(evictionPolicy({ generation: 2, healthyDelay: 60_000 }));
    await publish({ ...agent, generation: 2, poolGeneration: 2 });
    await run(50);
    expect(gone()).toEqual([]);
    await run(15);
    expect(gone()).toEqual(['a']);
  });
});

/** The attributes of a slice that was just stored, before any of its follow-up work. */
const unfinished = (cluster: ClusterId, { pk, sk }: Row) => ({
  dirty: '*',
  ...dueAttributes({ cluster }, { pk, sk }, start),
});

it('the sweep records a taint whose handler crashed, and its pod is evicted', async () => {
  const { world, run, gone, taint } = await fleet({ minimumAge: 10_000 });
  await taint();
  for (const row of world.table.rows())
    if (row.pk.includes('#STANDING#')) await world.table.write({ kind: 'Delete', key: row });
    else if (row.pk.includes('#SLICE#'))
      await world.table.write({ kind: 'Put', row: { ...row, ...unfinished(world.cluster, row) } });
  await run(30);
  expect(gone()).toEqual([]);
  await run(60);
  expect(gone()).toEqual(['a']);
});
