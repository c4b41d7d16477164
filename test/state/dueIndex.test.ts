// The due index finds the rows of a cluster with unfinished work, shard by shard.

import { describe, expect, it } from 'vitest';
import { dueAttributes, dueShards, noDue, readDueEntries } from '../../lib/state/dueIndex.ts';
import type { State } from '../../lib/state/state.ts';
import type { Row } from '../../lib/table.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

const table = createInMemoryTable();
const state: State = { table, cluster: 'prod@incarnation' };
const other: State = { table, cluster: 'prod-2@incarnation' };
const key = (i: number) => ({ pk: 'prod#POD#1', sk: `ns/pod-${i}` });

const due = async (of: typeof state, now: number) => {
  const pages = await Promise.all(dueShards.map((shard) => readDueEntries(of, { shard, now, limit: 100 })));
  return pages.flatMap(({ rows }) => rows.map(({ sk }) => sk)).toSorted();
};

describe('entries of the due index', () => {
  it('the due index finds a row from its due time until its entry is removed', async () => {
    const row: Row = { ...key(1), ...dueAttributes(state, key(1), 1000.7) };
    await table.write({ kind: 'Put', row });
    expect(await due(state, 999)).toEqual([]);
    expect(await due(state, 1000)).toEqual(['ns/pod-1']);
    await table.write({ kind: 'Update', key: key(1), change: { remove: noDue } });
    expect(await due(state, 1000)).toEqual([]);
  });

  it('the due index spreads rows over its shards, and a row always has the same shard', () => {
    const shards = new Set(Array.from({ length: 200 }, (_, i) => dueAttributes(state, key(i), 0).due));
    expect(shards.size).toBe(dueShards.length);
    expect(dueAttributes(state, key(7), 1).due).toBe(dueAttributes(state, key(7), 2).due);
  });

  it('the due index of a cluster has no rows of another cluster', async () => {
    const row: Row = {
      pk: 'prod-2#POD#1',
      sk: 'ns/other',
      ...dueAttributes(other, { pk: 'prod-2#POD#1', sk: 'ns/other' }, 5),
    };
    await table.write({ kind: 'Put', row });
    expect(await due(state, 10)).toEqual([]);
    expect(await due(other, 10)).toEqual(['ns/other']);
  });
});
