// Evictions in progress are found by their open records, however many pods are listed.
import { expect, it } from 'vitest';
import { readIntents } from '../../lib/state/intentRows.ts';
import { limiterControlKey, limiterPartition } from '../../lib/state/keys.ts';
import { closeRecord, openRecord } from '../../lib/state/recordRows.ts';
import type { State } from '../../lib/state/state.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

const now = 1_800_000_000_000;
const limiter = 'rule|uid|1|key';

async function tableWith(listed: number) {
  let calls = 0;
  const table = createInMemoryTable(async () => void calls++);
  const state: State = { table, cluster: 'prod@incarnation' };
  await table.write({ kind: 'Put', row: { ...limiterControlKey(state.cluster, limiter) } });
  for (let i = 0; i < listed; i++) {
    const row = { pk: limiterPartition(state.cluster, limiter), sk: `P#${String(i).padStart(6, '0')}` };
    await table.write({ kind: 'Put', row: { ...row, pod: `ns/p${i}`, uid: `uid-${i}`, ns: 'ns' } });
  }
  const pod = (i: number) => ({ namespace: 'ns', name: `p${i}`, uid: `uid-${i}` });
  const open = async (i: number, at = now) => {
    const ledger = { because: [], token: { limiter, at }, request: 'Delete', openedAt: at };
    await table.transact(openRecord(state, pod(i), { ledger, grounds: {}, now: at, days: 90 } as never));
  };
  const close = (i: number) => table.transact(closeRecord(state, pod(i), { outcome: 'Evicted', now }));
  const read = async () => {
    calls = 0;
    const found = await readIntents(state, now + 1);
    return { pods: found.map((one) => one.pod.name).toSorted(), calls };
  };
  return { state, open, close, read };
}

it('open records are evictions in progress; closed records and records opened later are not', async () => {
  const { open, close, read } = await tableWith(5);
  await open(1);
  await open(2, now - 3_600_000);
  await open(3, now + 500);
  await open(4);
  await close(4);
  expect((await read()).pods).toEqual(['p1', 'p2']);
});

it('finding evictions in progress takes as many calls for 3,000 listed pods as for 30', async () => {
  const [small, large] = [await tableWith(30), await tableWith(3000)];
  for (const { open } of [small, large]) await open(0);
  expect((await large.read()).calls).toBe((await small.read()).calls);
});
