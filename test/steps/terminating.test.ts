// What it costs that a pod begins to terminate because Sluice evicts it: one write, unless a rule counts it.
import { describe, expect, it } from 'vitest';
import type { PacedTaintRule } from '../../lib/model/rule.ts';
import { aPacedRule, aPod, nextVersion, upserted } from '../support/objects.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

/** A pod whose DELETE was sent, and which the watcher then shows terminating. */
async function evictedPod(rules: readonly PacedTaintRule[]): Promise<PacedWorld> {
  const paced = await pacedWorld({ p: {} });
  for (const rule of rules) await paced.write(rule);
  await paced.run(3);
  expect(paced.gone()).toEqual(['p']);
  return paced;
}

const terminating = () => upserted(aPod('p', { deletionTimestamp: start, resourceVersion: nextVersion() }));

/** Calls that write, by the kind of row. */
async function writesOf({ world, ingest }: PacedWorld): Promise<readonly string[]> {
  const { table } = world;
  const written: string[] = [];
  const { write, transact } = table;
  table.write = async (one) => {
    const { pk, sk } = one.kind === 'Put' ? one.row : one.key;
    written.push(`${pk.split('#')[1]} ${sk}`);
    return write(one);
  };
  table.transact = async (writes) => {
    written.push(`${writes.length} rows`);
    return transact(writes);
  };
  await ingest(terminating());
  Object.assign(table, { write, transact });
  return written;
}

describe('a pod that begins to terminate because it was evicted', () => {
  it('is stored by one write and not evaluated', async () => {
    const paced = await evictedPod([aPacedRule('bad')]);
    expect(await writesOf(paced)).toEqual([expect.stringContaining('default/p')]);
  });

  it('is evaluated where a rule keeps a plan, which counts it no more', async () => {
    const paced = await evictedPod([aPacedRule('bad'), aPacedRule('asks', { taints: [{ key: 'k', effect: 'None' }] })]);
    expect((await writesOf(paced)).length).toBeGreaterThan(1);
  });

  it('is evaluated when it is gone', async () => {
    const paced = await evictedPod([aPacedRule('bad')]);
    await paced.ingest(terminating());
    const gone = aPod('p', { deletionTimestamp: start, resourceVersion: nextVersion() });
    await paced.ingest({ type: 'Deleted', object: gone });
    const row = paced.world.table.rows().find(({ sk, object }) => sk === 'default/p' && object !== undefined);
    expect(row).toMatchObject({ mirror: 'Gone', ledger: { state: 'Evicted' } });
    expect(row?.dirty).toBeUndefined();
  });
});
