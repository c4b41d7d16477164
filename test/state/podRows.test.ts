// The listing rows of a pod, and which writes remove them.
import { expect, it } from 'vitest';
import type { Ledger } from '../../lib/model/eviction.ts';
import { farFuture, type Instant } from '../../lib/model/time.ts';
import { closeLedger, type PodRow, readPod, writeLedger } from '../../lib/state/podRows.ts';
import { storePod } from '../../lib/state/storePod.ts';
import { aPod } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;
const listing = (limiter: string, dueAt: Instant) => ({ limiter, dueAt, firstDueAt: dueAt });

/** A pod that is pending at two limiters and due at the first of them. */
async function given() {
  const { table, cluster } = createWorld({ start });
  const state = { table, cluster };
  const pod = aPod('a');
  await storePod(state, pod, { seen: pod, now: start });
  const read = async (): Promise<PodRow> => {
    const row = await readPod(state, 'default/a');
    if (!row) throw new Error('no pod');
    return row;
  };
  const ledger = {
    podUid: pod.uid,
    state: 'Pending',
    because: [],
    listings: [listing('rule|one', start), listing('rule|two', start + 5000)],
  } as unknown as Ledger;
  const rows = () => table.rows().filter((row) => row.pk.includes('#LIMITER#') && row.uid === pod.uid);
  return { state, table, read, ledger, rows };
}

it('closing an eviction removes every listing, although the pod was evaluated after the intent was written', async () => {
  const { state, table, read, ledger, rows } = await given();
  await writeLedger(state, await read(), { ledger, now: start });
  expect(rows()).toHaveLength(2);
  const deleting = { ...ledger, state: 'Deleting', leaseUntil: start + 20_000 } as Ledger;
  const begun = await writeLedger(state, await read(), { ledger: deleting, now: start });
  if (begun.kind === 'Lost') throw new Error('lost');
  // It is no longer pending at the second limiter.
  await writeLedger(state, await read(), { ledger: undefined, now: start + 6000, evaluation: 'Done' });
  const close = closeLedger(state, begun.row, { ...deleting, state: 'Evicted', listings: [] } as unknown as Ledger);
  expect((await table.transact(close ?? [])).kind).not.toBe('Lost');
  expect(rows()).toEqual([]);
  expect((await read()).listed).toEqual([]);
});

it('a pod that is put back is listed again at every limiter of its ledger', async () => {
  const { state, read, ledger, rows } = await given();
  await writeLedger(state, await read(), { ledger, now: start });
  const deleting = { ...ledger, state: 'Deleting', leaseUntil: start + 20_000 } as Ledger;
  await writeLedger(state, await read(), { ledger: deleting, now: start });
  await writeLedger(state, await read(), { ledger: undefined, now: start + 6000, evaluation: 'Done' });
  const back = { ...ledger, listings: [listing('rule|one', start), listing('rule|two', farFuture)] } as Ledger;
  await writeLedger(state, await read(), { ledger: back, now: start + 6000 });
  expect(rows().map(({ pk, sk }) => `${pk.split('#').at(-1)} ${sk.slice(0, 2)}`)).toEqual([
    'rule|one P#',
    'rule|two W#',
  ]);
});
