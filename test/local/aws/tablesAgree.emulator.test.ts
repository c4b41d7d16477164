// The table on SQLite answers as dynoxide does, whatever is written in whatever order.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbTable } from '../../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { serveTables } from '../../../lib/local/aws/table.ts';
import { absent, all, any, type Condition, compare, present, type Table, type Write } from '../../../lib/table.ts';
import { findDynoxide, startDynoxide } from '../../support/dynoxide.ts';
import { type EmulatedTable, startTable } from '../../support/emulators.ts';

const name = fc.constantFrom('a', 'b', 'c');
const value = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constantFrom('', 'x', 'ä', 'z'));
const sortKey = fc.constantFrom('k1', 'k2', 'kä', 'l');
const simple: fc.Arbitrary<Condition> = fc.oneof(
  name.map(absent),
  name.map(present),
  fc
    .tuple(name, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), value)
    .map(([of, op, to]) => compare(of, op as '=', to)),
);
const condition = fc.oneof(
  simple,
  fc.array(simple, { minLength: 2, maxLength: 3 }).map((of) => all(...of)),
  fc.tuple(simple, fc.array(simple, { minLength: 2, maxLength: 2 })).map(([one, of]) => any(one, all(...of))),
);
const when = fc.option(condition, { nil: undefined }).map((found) => (found ? { when: found } : {}));
const content = fc.dictionary(name, value, { maxKeys: 3 });
const write: fc.Arbitrary<(pk: string) => Write> = fc.oneof(
  fc.tuple(sortKey, content, when).map(
    ([sk, row, more]) =>
      (pk: string): Write => ({ kind: 'Put', row: { ...row, pk, sk }, ...more }),
  ),
  fc.tuple(sortKey, when).map(
    ([sk, more]) =>
      (pk: string): Write => ({ kind: 'Delete', key: { pk, sk }, ...more }),
  ),
  fc
    .tuple(sortKey, fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), value, fc.integer({ min: -3, max: 3 }), when)
    .map(([sk, [set, add, remove], to, by, more]) => {
      const change = {
        set: set === undefined ? {} : { [set]: to },
        add: add === undefined ? {} : { [add]: by },
        remove: remove === undefined ? [] : [remove],
      };
      return (pk: string): Write => ({ kind: 'Update', key: { pk, sk }, change, ...more });
    }),
);

/** Errors are compared by name, because their messages differ. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: Error) => ({ refused: error.name }));
}

const binary = findDynoxide();

describe.runIf(binary !== undefined)('the table on SQLite and dynoxide', () => {
  let servers: readonly EmulatedTable[] = [];
  let tables: readonly Table[] = [];
  let partitions = 0;
  beforeAll(async () => {
    servers = await Promise.all([startTable('table', startDynoxide(binary ?? '').then(serveTables)), startTable()]);
    tables = servers.map(({ documents }) => createDynamoDbTable(documents, 'table'));
  });
  afterAll(() => Promise.all(servers.map((one) => one.stop())));

  const both = async (ask: (table: Table) => Promise<unknown>) => {
    const [one, other] = await Promise.all(tables.map((table) => outcome(ask(table))));
    expect(other).toEqual(one);
  };

  it('the table on SQLite and dynoxide answer the same to every write, and have the same rows after it', async () => {
    const steps = fc.array(fc.oneof(write, fc.array(write, { minLength: 1, maxLength: 3 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, async (made) => {
        const pk = `agree-${++partitions}`;
        for (const step of made) {
          const writes = [step].flat().map((make) => make(pk));
          await both((table) => (Array.isArray(step) ? table.transact(writes) : table.write(writes[0] as Write)));
        }
        await both((table) => table.query({ pk }));
        await both((table) => table.query({ pk, prefix: 'k', limit: 2 }));
        await both((table) => table.query({ pk, from: 'k2', to: 'kä' }));
      }),
      { numRuns: 60 },
    );
  });
});
