// A page of a limiter's listings, read while another step moves them.
import { expect, it } from 'vitest';
import type { Ledger } from '../../../lib/model/eviction.ts';
import { openPage, seePage } from '../../../lib/stages/evict/page.ts';
import { partitionOf } from '../../../lib/state/listKeys.ts';
import { readPod, writeLedger } from '../../../lib/state/podRows.ts';
import { storePod } from '../../../lib/state/storePod.ts';
import { aPod } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';

const now = 1_800_000_000_000;
const limiter = 'rule|uid-r|example.com/bad|NoExecute';

it('a pod stays listed when its listing moves between the read of the page and the read of the pod', async () => {
  const { table, cluster, deps } = createWorld({ start: now });
  const state = { table, cluster };
  const pod = aPod('a');
  const ledger: Ledger = {
    podUid: pod.uid,
    state: 'Pending',
    listings: [{ limiter, dueAt: now }],
    because: [],
    order: '5',
  };
  await storePod(state, pod, { seen: { uid: pod.uid, resourceVersion: pod.resourceVersion }, now });
  const write = async (at: number) => {
    const row = await readPod(state, 'default/a');
    if (row) await writeLedger(state, row, { ledger, now: at });
  };
  await write(now);
  let isMoved = false;
  const moving: typeof table = {
    ...table,
    async getMany(keys) {
      // A function whose clock is behind lists the pod as not due yet.
      if (!isMoved) await write(now - 1000);
      isMoved = true;
      return table.getMany(keys);
    },
  };
  const seen = await seePage(deps, { ...state, table: moving }, { limiter, after: undefined });
  await openPage(deps, state, seen);
  const row = await readPod(state, 'default/a');
  expect(isMoved).toBe(true);
  expect(row?.listed).toHaveLength(1);
  const there = new Set(table.rows().map(({ pk, sk }) => `${pk} ${sk}`));
  for (const one of row?.listed ?? []) expect(there).toContain(`${partitionOf(cluster, one)} ${one.sk}`);
});
