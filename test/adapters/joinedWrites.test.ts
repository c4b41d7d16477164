// Transactions of one turn of the event loop are sent as one request, and each has its own outcome.
import { describe, expect, it } from 'vitest';
import { joinTransactions } from '../../lib/adapters/dynamodb/joinedWrites.ts';
import { absent, type Table, type Write } from '../../lib/table.ts';
import { tableContract } from '../contracts/table.contract.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

tableContract('joined transactions of a table in memory', async () => ({
  table: joinTransactions(createInMemoryTable()),
  stop: async () => {},
}));

/** Which rows each transaction that reaches the table writes. */
function watched(transact: (writes: readonly Write[], table: Table) => ReturnType<Table['transact']>) {
  const table = createInMemoryTable();
  const sent: string[] = [];
  const watch = (writes: readonly Write[]) => {
    sent.push(writes.map((write) => (write.kind === 'Put' ? write.row.sk : write.key.sk)).join(''));
    return transact(writes, table);
  };
  const joined = joinTransactions({ ...table, transact: watch, write: (write) => watch([write]) });
  return { joined, table, sent };
}

const through = (writes: readonly Write[], table: Table) => table.transact(writes);
const insert = (sk: string): Write => ({ kind: 'Put', row: { pk: 'p', sk }, when: absent('pk') });
const many = (count: number, first: string) => Array.from({ length: count }, (_, i) => insert(`${first}${i}.`));

describe('joined transactions', () => {
  it('transactions of one turn are one request', async () => {
    const { joined, table, sent } = watched(through);
    const outcomes = await Promise.all([
      joined.transact([insert('a'), insert('b')]),
      Promise.resolve().then(() => joined.transact([insert('c')])),
    ]);
    expect(outcomes).toEqual([{ kind: 'Written' }, { kind: 'Written' }]);
    expect(sent).toEqual(['abc']);
    expect(table.rows().map(({ sk }) => sk)).toEqual(['a', 'b', 'c']);
  });

  it('transactions of two turns are two requests', async () => {
    const { joined, sent } = watched(through);
    await joined.transact([insert('a')]);
    await joined.transact([insert('b')]);
    expect(sent).toEqual(['a', 'b']);
  });

  it('joined transactions are sent one by one after one of them lost, and the others are written', async () => {
    const { joined, table, sent } = watched(through);
    await table.write(insert('b'));
    const outcomes = await Promise.all(['a', 'b', 'c'].map((sk) => joined.transact([insert(sk), insert(`${sk}1`)])));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['Written', 'Lost', 'Written']);
    expect(sent).toEqual(['aa1bb1cc1', 'aa1', 'bb1', 'cc1']);
    expect(
      table
        .rows()
        .map(({ sk }) => sk)
        .sort(),
    ).toEqual(['a', 'a1', 'b', 'c', 'c1']);
  });

  it('two transactions on the same row are sent separately, and the later one finds what the earlier one wrote', async () => {
    const { joined, sent } = watched(through);
    const outcomes = await Promise.all([joined.transact([insert('a')]), joined.transact([insert('a'), insert('b')])]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['Written', 'Lost']);
    expect(sent).toEqual(['a', 'ab']);
  });

  it('joined transactions write at most 25 rows together, and a larger one is sent alone', async () => {
    const { joined, sent } = watched(through);
    await Promise.all([12, 13, 1, 40].map((count, i) => joined.transact(many(count, `${i}-`))));
    expect(sent.map((rows) => rows.split('.').length - 1)).toEqual([25, 1, 40]);
  });

  it('joined transactions are sent one by one after the table refused them as too large', async () => {
    const { joined, sent } = watched(async (writes, table) => {
      if (writes.length > 2) throw Object.assign(new Error('too large'), { name: 'ValidationException' });
      return table.transact(writes);
    });
    const outcomes = await Promise.all(['a', 'b'].map((sk) => joined.transact([insert(sk), insert(`${sk}1`)])));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['Written', 'Written']);
    expect(sent).toEqual(['aa1bb1', 'aa1', 'bb1']);
  });

  it('joined transactions fail together when the table does not answer, and are not sent again', async () => {
    const { joined, sent } = watched(async () => {
      throw new Error('no answer');
    });
    const outcomes = await Promise.allSettled(['a', 'b'].map((sk) => joined.transact([insert(sk), insert(`${sk}1`)])));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toEqual(['aa1bb1']);
  });

  it('a few transactions of one row each are sent alone, because a row costs twice in a transaction', async () => {
    const { joined, sent } = watched(through);
    await Promise.all(['a', 'b', 'c'].map((sk) => joined.transact([insert(sk)])));
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('many transactions of one row each are joined by the hundred', async () => {
    const { joined, sent, table } = watched(through);
    await Promise.all(many(220, '').map((write) => joined.transact([write])));
    expect(sent.map((rows) => rows.split('.').length - 1)).toEqual([100, 100, 20]);
    expect(table.rows()).toHaveLength(220);
  });
});
