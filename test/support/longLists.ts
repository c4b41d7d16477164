// Limiter lists that count as long after a few pods.
import { expect } from 'vitest';
import { createMemory } from '../../lib/memory.ts';
import type { Ledger } from '../../lib/model/eviction.ts';
import type { Instant } from '../../lib/model/time.ts';
import { listedPages } from '../../lib/state/listedRows.ts';
import { isSpreadMark } from '../../lib/state/listKeys.ts';
import { type PendingPlace, readPending } from '../../lib/state/pendingRows.ts';
import { readPod, writeLedger } from '../../lib/state/podRows.ts';
import { registerLimiters, spreadSetting } from '../../lib/state/spreadList.ts';
import type { State } from '../../lib/state/state.ts';
import { storePod } from '../../lib/state/storePod.ts';
import type { Table } from '../../lib/table.ts';
import { createInMemoryTable, type InMemoryTable } from './fakes/table.ts';
import { aPod } from './objects.ts';

export const now = 1_800_000_000_000;
export const limiter = 'rule|uid-r|example.com/bad|NoExecute';
export const cluster = 'prod@incarnation';

/** State of one process; a list counts as long above two pods. */
export function processOn(table: Table, above = 2, noted = 1): State {
  const memory = createMemory();
  spreadSetting(memory, () => ({ above, noted }));
  return { table, cluster, memory };
}

export const ledgerOf = (uid: string, by: { readonly order?: string; readonly dueAt?: Instant } = {}): Ledger => ({
  podUid: uid,
  state: 'Pending',
  listings: [{ limiter, dueAt: by.dueAt ?? now }],
  because: [],
  order: by.order ?? '5',
});

export async function write(
  state: State,
  name: string,
  ledger: (uid: string) => Ledger,
  at: Instant = now,
): Promise<void> {
  const row = await readPod(state, `default/${name}`);
  if (row) await writeLedger(state, row, { ledger: ledger(row.uid), now: at });
}

/** Lists a pod, as the evaluate stage does. */
export async function list(state: State, name: string, by: Parameters<typeof ledgerOf>[1] = {}): Promise<void> {
  await registerLimiters(state, [limiter], now);
  await write(state, name, (uid) => ledgerOf(uid, by));
}

export const unlist = (state: State, name: string) =>
  write(state, name, (uid) => ({ ...ledgerOf(uid), state: 'Cancelled', listings: [] }));

export const nameOf = (i: number) => `p${String(i).padStart(4, '0')}`;

export async function stored(table: Table, pods: number): Promise<void> {
  for (let i = 0; i < pods; i++) {
    const pod = aPod(nameOf(i));
    await storePod({ table, cluster }, pod, { seen: pod, now });
  }
}

/** A list with this number of pods; the first two are in the first partition. */
export async function longList(pods: number, by: (i: number) => Parameters<typeof ledgerOf>[1] = () => ({})) {
  const table = createInMemoryTable();
  const state = processOn(table);
  await stored(table, pods);
  for (let i = 0; i < pods; i++) await list(state, nameOf(i), by(i));
  return { table, state };
}

export const listings = (table: InMemoryTable) =>
  table.rows().filter(({ pk, sk }) => pk.includes('#LIMITER#') && !isSpreadMark(sk));
export const marks = (table: InMemoryTable) => table.rows().filter(({ sk }) => isSpreadMark(sk));

export async function pendingOf(state: State, limit = 3): Promise<readonly string[]> {
  const pods: string[] = [];
  let after: PendingPlace | undefined;
  do {
    const page = await readPending(state, limiter, { limit, after });
    if (page.next) expect(page.rows).toHaveLength(limit);
    pods.push(...page.rows.map(({ pod }) => pod));
    after = page.next;
  } while (after);
  return pods;
}

export async function walked(state: State): Promise<readonly string[]> {
  const pods: string[] = [];
  for await (const page of listedPages(state, limiter)) pods.push(...page.map(({ pod }) => pod));
  return pods;
}
