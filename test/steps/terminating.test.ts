// The cost of a pod that Sluice evicted and that then terminates and is gone: one write each, unless a rule or a policy counts it.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { PacedTaintRule } from '../../lib/model/rule.ts';
import type { Write } from '../../lib/table.ts';
import { aPacedRule, aPod, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

/** A pod whose DELETE was sent. */
async function evictedPod(rules: readonly PacedTaintRule[]): Promise<PacedWorld> {
  const paced = await pacedWorld({ p: {} });
  for (const rule of rules) await paced.write(rule);
  await paced.run(3);
  expect(paced.gone()).toEqual(['p']);
  return paced;
}

const terminating = () => upserted(aPod('p', { deletionTimestamp: start, resourceVersion: nextVersion() }));

const isGone = (): Change => ({
  type: 'Deleted',
  object: aPod('p', { deletionTimestamp: start, resourceVersion: nextVersion() }),
});

/** Rows that are written, alone or in a transaction. */
async function writesOf({ world, ingest }: PacedWorld, change: Change = terminating()): Promise<readonly string[]> {
  const { table } = world;
  const written: string[] = [];
  const { write, transact } = table;
  const note = (one: Write) => {
    const { pk, sk } = one.kind === 'Put' ? one.row : one.key;
    written.push(`${pk.split('#')[1]} ${sk}`);
  };
  table.write = async (one) => {
    note(one);
    return write(one);
  };
  table.transact = async (writes) => {
    for (const one of writes) note(one);
    return transact(writes);
  };
  await ingest(change);
  Object.assign(table, { write, transact });
  return written;
}

describe('a pod that begins to terminate because it was evicted', () => {
  it('an evicted pod that begins to terminate is stored in one write and not evaluated', async () => {
    const paced = await evictedPod([aPacedRule('bad')]);
    expect(await writesOf(paced)).toEqual([expect.stringContaining('default/p')]);
  });

  it('an evicted pod that begins to terminate is evaluated if a rule keeps a plan', async () => {
    const paced = await evictedPod([aPacedRule('bad'), aPacedRule('asks', { taints: [{ key: 'k', effect: 'None' }] })]);
    expect((await writesOf(paced)).length).toBeGreaterThan(1);
  });

  it('an evicted pod that is gone leaves one tombstone and no index row of its claim, and is not evaluated', async () => {
    const paced = await evictedPod([aPacedRule('bad')]);
    await paced.ingest(terminating());
    expect(await writesOf(paced, isGone())).toEqual([
      expect.stringMatching(/^POD/),
      expect.stringMatching(/^CLAIMPODS/),
    ]);
    const row = paced.world.table.rows().find(({ sk, object }) => sk === 'default/p' && object !== undefined);
    expect(row).toMatchObject({ mirror: 'Gone', ledger: { state: 'Evicted' } });
    expect(row).not.toHaveProperty('due');
  });

  it('an evicted pod that is gone is evaluated if a policy counts pods in flight', async () => {
    const paced = await evictedPod([aPacedRule('bad')]);
    await paced.ask(evictionPolicy({ limits: { maxPerNode: { count: 1 } } }));
    await paced.run(2);
    await paced.ingest(terminating());
    expect((await writesOf(paced, isGone())).length).toBeGreaterThan(2);
  });
});
