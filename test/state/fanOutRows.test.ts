// Whether a fan-out is still open, asked while it advances.
import { expect, it } from 'vitest';
import { advanceFanOut, beginFanOut, isFanningOut, openFanOut } from '../../lib/state/fanOutRows.ts';
import type { Table } from '../../lib/table.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

const now = 1_800_000_000_000;
const of = { cause: 'rule', epoch: 'uid/1', reaches: [{}] };

it('a fan-out counts as open when its last page is handed over between the two reads of it', async () => {
  const table = createInMemoryTable();
  const state = { table, cluster: 'c@i' } as const;
  await openFanOut(state, of, now);
  const fanOut = await beginFanOut(state, of, now);
  let isAsked = false;
  const slow: Table = {
    ...table,
    async query(range) {
      const page = await table.query(range);
      isAsked = true;
      return page;
    },
    async get(key) {
      for (let i = 0; i < 5 && !isAsked; i++) await Promise.resolve();
      if (isAsked) await advanceFanOut(state, fanOut, { page: { pods: ['default/a'], pools: [] }, now });
      return table.get(key);
    },
  };
  expect(await isFanningOut({ ...state, table: slow }, of.cause, of.epoch)).toBe(true);
});
