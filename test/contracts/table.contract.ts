// What every Table must do, whatever stores it; the steps rely on each of these.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  absent,
  all,
  any,
  compare,
  type DuePage,
  type DueRange,
  type DueRow,
  present,
  queryAll,
  type Row,
  type Table,
} from '../../lib/table.ts';

let partitions = 0;

/** `start` answers a table that may hold other suites' rows; every case works in a partition of its own. */
export function tableContract(name: string, start: () => Promise<{ table: Table; stop: () => Promise<void> }>): void {
  describe(`table contract: ${name}`, () => {
    let table: Table;
    let stop = async () => {};
    beforeAll(async () => {
      ({ table, stop } = await start());
    });
    afterAll(() => stop());
    const partition = () => `contract-${++partitions}`;

    it('a row is read as it was put, with nested values and without undefined members', async () => {
      const row: Row = {
        pk: partition(),
        sk: 'a',
        n: 1.5,
        list: [{ a: 'b' }],
        flag: false,
        empty: '',
        gone: undefined,
      };
      await table.write({ kind: 'Put', row });
      const { gone: _, ...stored } = row;
      expect(await table.get({ pk: row.pk, sk: 'a' })).toEqual(stored);
      expect(await table.get({ pk: row.pk, sk: 'b' })).toBeUndefined();
    });

    it('a write whose condition fails is Lost, changes nothing and returns the row', async () => {
      const key = { pk: partition(), sk: 'a' };
      await table.write({ kind: 'Put', row: { ...key, v: 1 }, when: absent('v') });
      const lost = await table.write({ kind: 'Put', row: { ...key, v: 2 }, when: absent('v') });
      expect(lost).toEqual({ kind: 'Lost', row: { ...key, v: 1 } });
      expect(await table.get(key)).toEqual({ ...key, v: 1 });
    });

    it.each([
      ['absent on an absent attribute', absent('x'), true],
      ['present on an absent attribute', present('x'), false],
      ['equal', compare('v', '=', 5), true],
      ['less on an absent attribute', compare('x', '<', 5), false],
      ['unequal on an absent attribute', compare('x', '<>', 5), true],
      ['numbers are compared as numbers', compare('v', '<', 10), true],
      ['text is compared by code unit', compare('t', '>=', 'b'), true],
      ['all needs every part', all(compare('v', '=', 5), present('x')), false],
      ['any needs one part', any(compare('v', '=', 6), absent('x')), true],
      ['nested', any(all(present('v'), compare('v', '>', 4)), present('x')), true],
    ])('a write succeeds if its condition holds: %s', async (_, when, holds) => {
      const key = { pk: partition(), sk: 'a' };
      await table.write({ kind: 'Put', row: { ...key, v: 5, t: 'b' } });
      const result = await table.write({ kind: 'Update', key, change: { set: { hit: 1 } }, when });
      expect(result.kind).toBe(holds ? 'Written' : 'Lost');
    });

    it('an update creates the row, sets, adds from zero, removes, and returns the new row', async () => {
      const key = { pk: partition(), sk: 'a' };
      await table.write({ kind: 'Update', key, change: { set: { a: 1, b: { c: 2 } }, add: { n: 2 } } });
      const after = await table.write({ kind: 'Update', key, change: { add: { n: -5 }, remove: ['a'] } });
      expect(after).toEqual({ kind: 'Written', row: { ...key, b: { c: 2 }, n: -3 } });
    });

    it('a delete of an absent row is no error, and a conditional one is Lost', async () => {
      const key = { pk: partition(), sk: 'a' };
      expect((await table.write({ kind: 'Delete', key })).kind).toBe('Written');
      expect((await table.write({ kind: 'Delete', key, when: present('v') })).kind).toBe('Lost');
    });

    it('a transaction writes all or nothing', async () => {
      const pk = partition();
      const put = (sk: string) => ({ kind: 'Put', row: { pk, sk, v: 1 } }) as const;
      expect(await table.transact([put('a'), put('b')])).toEqual({ kind: 'Written' });
      const refused = {
        kind: 'Update',
        key: { pk, sk: 'a' },
        change: { add: { v: 1 } },
        when: compare('v', '=', 9),
      } as const;
      expect(await table.transact([put('c'), refused])).toEqual({ kind: 'Lost' });
      expect((await table.query({ pk })).rows.map((row) => row.sk)).toEqual(['a', 'b']);
      await expect(table.transact([put('d'), put('d')])).rejects.toThrow();
      await expect(table.transact([])).rejects.toThrow();
    });

    it('a query returns rows in order of sort keys, by prefix, by bounds, and page by page', async () => {
      const pk = partition();
      const keys = ['P#1', 'P#2', 'P#3', 'R#1', 'W#1', 'W#2'];
      await Promise.all(keys.map((sk) => table.write({ kind: 'Put', row: { pk, sk } })));
      const of = async (range: object) => (await queryAll(table, { pk, ...range })).map((row) => row.sk);
      expect(await of({})).toEqual(keys);
      expect(await of({ prefix: 'P#' })).toEqual(['P#1', 'P#2', 'P#3']);
      expect(await of({ from: 'P#2', to: 'R#1' })).toEqual(['P#2', 'P#3', 'R#1']);
      expect(await of({ from: 'W#' })).toEqual(['W#1', 'W#2']);
      expect(await of({ to: 'P#1' })).toEqual(['P#1']);
      expect(await of({ prefix: 'P#', limit: 2 })).toEqual(['P#1', 'P#2', 'P#3']);
      const first = await table.query({ pk, limit: 4 });
      expect(first.next).toBe('R#1');
      expect(await of({ after: 'R#1' })).toEqual(['W#1', 'W#2']);
      expect(await of({ prefix: 'Q#' })).toEqual([]);
    });

    it('many keys are read at once, duplicates once, and absent ones are left out', async () => {
      const pk = partition();
      const keys = Array.from({ length: 130 }, (_, i) => ({ pk, sk: `k${i}` }));
      await Promise.all(keys.slice(0, 120).map((key) => table.write({ kind: 'Put', row: key })));
      const rows = await table.getMany([...keys, ...keys]);
      expect(rows.map((row) => row.sk).sort()).toEqual(
        keys
          .slice(0, 120)
          .map((key) => key.sk)
          .sort(),
      );
      expect(await table.getMany([])).toEqual([]);
    });

    /** The index is eventually consistent, so a case reads until it shows the expected rows. */
    const dueRows = async (range: DueRange, isThere: (rows: readonly DueRow[]) => boolean): Promise<DuePage> => {
      for (let attempt = 0; ; attempt++) {
        const page = await table.queryDue(range);
        if (isThere(page.rows) || attempt === 50) return page;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    it('due rows are read with their keys alone, the earliest first, up to an instant', async () => {
      const [pk, due] = [partition(), `${partition()}#DUE#3`];
      const put = (sk: string, more: object) => table.write({ kind: 'Put', row: { pk, sk, v: 1, ...more } });
      await put('late', { due, dueAt: 3000 });
      await put('early', { due, dueAt: 1000 });
      await put('between', { due, dueAt: 2000 });
      await put('elsewhere', { due: `${due}x`, dueAt: 500 });
      await put('never', {});
      const { rows, next } = await dueRows({ pk: due, upTo: 2000, limit: 10 }, (found) => found.length === 2);
      expect(rows).toEqual([
        { pk, sk: 'early', dueAt: 1000 },
        { pk, sk: 'between', dueAt: 2000 },
      ]);
      expect(next).toBeUndefined();
    });

    it('due rows are read page by page, even if all are due at one instant', async () => {
      const [pk, due] = [partition(), `${partition()}#DUE#0`];
      const keys = ['a', 'b', 'c', 'd', 'e'];
      await Promise.all(keys.map((sk) => table.write({ kind: 'Put', row: { pk, sk, due, dueAt: 1000 } })));
      await dueRows({ pk: due, upTo: 1000, limit: 10 }, (found) => found.length === keys.length);
      const found: string[] = [];
      let after: DueRow | undefined;
      do {
        const page = await table.queryDue({ pk: due, upTo: 1000, limit: 2, ...(after ? { after } : {}) });
        expect(page.rows.length).toBeLessThanOrEqual(2);
        found.push(...page.rows.map(({ sk }) => sk));
        after = page.next;
      } while (after);
      expect(found.toSorted()).toEqual(keys);
    });

    it('a row leaves the due index with its attributes or its deletion, and moves with its time', async () => {
      const [pk, due] = [partition(), `${partition()}#DUE#1`];
      await Promise.all(['a', 'b', 'c'].map((sk) => table.write({ kind: 'Put', row: { pk, sk, due, dueAt: 1000 } })));
      await table.write({ kind: 'Update', key: { pk, sk: 'a' }, change: { remove: ['due', 'dueAt'] } });
      await table.write({ kind: 'Update', key: { pk, sk: 'b' }, change: { set: { dueAt: 5000 } } });
      await table.write({ kind: 'Delete', key: { pk, sk: 'c' } });
      const range = { pk: due, upTo: 9000, limit: 10 };
      const { rows } = await dueRows(range, (found) => found.length === 1 && found[0]?.dueAt === 5000);
      expect(rows).toEqual([{ pk, sk: 'b', dueAt: 5000 }]);
    });

    it('heads are read in order of their keys, page by page, with the projected attributes and no more', async () => {
      const [pk, head] = [partition(), `${partition()}#HEAD`];
      const put = (sk: string, headKey: string) =>
        table.write({
          kind: 'Put',
          row: { pk, sk, head, headKey, uid: `u-${sk}`, at: '5', mirror: 'Live', object: {} },
        });
      await Promise.all([put('c', '01#c'), put('a', '02#a'), put('b', '00#b'), put('d', '03#d')]);
      await table.write({ kind: 'Put', row: { pk, sk: 'none', uid: 'x', at: '1', mirror: 'Live' } });
      const range = { pk: head, from: '00#', to: '02$', limit: 2 };
      let first = await table.queryHeads({ ...range, limit: 10 });
      for (let i = 0; i < 50 && first.rows.length < 3; i++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        first = await table.queryHeads({ ...range, limit: 10 });
      }
      const headOf = (sk: string, headKey: string) => ({ pk, sk, headKey, uid: `u-${sk}`, at: '5', mirror: 'Live' });
      expect(first.rows).toEqual([headOf('b', '00#b'), headOf('c', '01#c'), headOf('a', '02#a')]);
      const page = await table.queryHeads(range);
      expect(page.rows.map(({ sk }) => sk)).toEqual(['b', 'c']);
      expect(page.next?.sk).toBe('c');
      const after = page.next ? { after: page.next } : {};
      expect((await table.queryHeads({ ...range, ...after })).rows.map(({ sk }) => sk)).toEqual(['a']);
    });

    it('exactly one of many racing conditional writers wins each version', async () => {
      const key = { pk: partition(), sk: 'a' };
      await table.write({ kind: 'Put', row: { ...key, ver: 0 } });
      const race = Array.from({ length: 20 }, () =>
        table.write({ kind: 'Update', key, change: { add: { ver: 1 } }, when: compare('ver', '=', 0) }),
      );
      expect((await Promise.all(race)).filter((result) => result.kind === 'Written')).toHaveLength(1);
    });
  });
}
