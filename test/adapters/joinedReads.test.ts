// Reads of one turn of the event loop are joined into one call; each caller sees at least what it would see alone.
import { describe, expect, it } from 'vitest';
import { joinReads } from '../../lib/adapters/dynamodb/joinedReads.ts';
import type { Key, Table } from '../../lib/table.ts';
import { tableContract } from '../contracts/table.contract.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

tableContract('joined reads of a table in memory', async () => ({
  table: joinReads(createInMemoryTable()),
  stop: async () => {},
}));

/** Which calls reach the table, with their keys. */
function watched(table: Table = createInMemoryTable()) {
  const calls: string[] = [];
  const joined = joinReads({
    ...table,
    get(key) {
      calls.push(`get ${key.sk}`);
      return table.get(key);
    },
    getMany(keys) {
      calls.push(`getMany ${keys.map(({ sk }) => sk).join()}`);
      return table.getMany(keys);
    },
    query(range) {
      calls.push(`query ${range.prefix ?? ''}`);
      return table.query(range);
    },
  });
  return { table: joined, calls };
}

const key = (sk: string): Key => ({ pk: 'p', sk });
const put = (table: Table, sk: string, n: number) => table.write({ kind: 'Put', row: { ...key(sk), n } });

describe('joined reads', () => {
  it('reads of several callers within one turn are one call, and each caller gets its own rows', async () => {
    const { table, calls } = watched();
    await Promise.all([put(table, 'a', 1), put(table, 'b', 2)]);
    const [a, absent, several] = await Promise.all([
      table.get(key('a')),
      table.get(key('x')),
      Promise.resolve().then(() => table.getMany([key('b'), key('a'), key('b'), key('x')])),
    ]);
    expect(a?.n).toBe(1);
    expect(absent).toBeUndefined();
    expect(several.map(({ n }) => n)).toEqual([2, 1]);
    expect(calls).toEqual(['getMany a,x,b']);
  });

  it('two reads of one key are a batch of one key, and a read of no keys adds nothing', async () => {
    const { table, calls } = watched();
    await Promise.all([table.get(key('a')), table.get(key('a')), table.getMany([])]);
    expect(calls).toEqual(['getMany a']);
  });

  it('queries of the same range are one call, in whatever order its fields are written; another range is another call', async () => {
    const { table, calls } = watched();
    await put(table, 'a', 1);
    const pages = await Promise.all([
      table.query({ pk: 'p', prefix: 'a', limit: 5 }),
      table.query({ limit: 5, prefix: 'a', pk: 'p' }),
      table.query({ pk: 'p', prefix: 'b', limit: 5 }),
    ]);
    expect(pages.map(({ rows }) => rows.length)).toEqual([1, 1, 0]);
    expect(calls).toEqual(['query a', 'query b']);
  });

  it('reads of the next turn are sent again, because rows may have changed', async () => {
    const { table, calls } = watched();
    await put(table, 'a', 1);
    expect((await table.get(key('a')))?.n).toBe(1);
    await put(table, 'a', 2);
    expect((await table.get(key('a')))?.n).toBe(2);
    expect(calls).toEqual(['getMany a', 'getMany a']);
  });

  it('a read sees every write that was made before it was asked for, even if it joins an earlier read', async () => {
    const { table } = watched();
    await put(table, 'a', 1);
    const range = { pk: 'p', prefix: 'a', limit: 5 };
    const earlier = [table.get(key('a')), table.query(range)] as const;
    await put(table, 'a', 2);
    const [row, page] = await Promise.all([table.get(key('a')), table.query(range)]);
    expect([row?.n, page.rows[0]?.n]).toEqual([2, 2]);
    await Promise.all(earlier);
  });

  it('joined reads fail together, and the reads after them succeed', async () => {
    const broken = createInMemoryTable();
    let fails = true;
    const { table } = watched({
      ...broken,
      getMany: (keys) => (fails ? Promise.reject(new Error('throttled')) : broken.getMany(keys)),
    });
    const results = await Promise.allSettled([table.get(key('a')), table.getMany([key('b')])]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await Promise.all([table.get(key('a')), table.get(key('b'))])).toEqual([undefined, undefined]);
  });
});
