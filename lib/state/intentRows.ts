// Evictions that are under way: records that stand open.
import type { PodRef } from '../model/identity.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { type DueRow, pageSize, queryAll, type Row } from '../table.ts';
import { dueShards, kindOfDue, readDueEntries } from './dueIndex.ts';
import { shards } from './keys.ts';
import { recordOf } from './readRecord.ts';
import { intentPartition } from './recordKeys.ts';
import type { State } from './state.ts';

/** One that was written right before the PATCH and the DELETE. */
export interface Intent {
  readonly pod: PodRef;
  readonly openedAt: Instant;
}

/** A row is in the index of what is due by then; DynamoDB gives no bound, and is far below this as a rule. */
export const indexLag: Milliseconds = 1000;

/** A record that stands open is looked at again within this time: it is due after `interruptedAfter`, and later by the sweep. */
const lookedAtWithin: Milliseconds = 10 * 60_000;

/**
 * Intents that have stood open since before `before`. An open record is due until it is closed, so that the index of what is due finds it
 * without the lists; the index lags (`indexLag`), and what it names is read.
 */
export async function readIntents(state: State, before: Instant): Promise<readonly Intent[]> {
  const [records, earlier] = await Promise.all([
    Promise.all(dueShards.map((shard) => openRecords(state, shard, before))),
    Promise.all(shards.map((shard) => queryAll(state.table, { pk: intentPartition(state.cluster, shard) }))),
  ]);
  return [...records.flat(), ...earlier.flat().map(intentOf)].filter(({ openedAt }) => openedAt < before);
}

async function openRecords(state: State, shard: number, before: Instant): Promise<readonly Intent[]> {
  const found: Intent[] = [];
  let after: DueRow | undefined;
  do {
    const range = { shard, now: before + lookedAtWithin, limit: pageSize };
    const page = await readDueEntries(state, after ? { ...range, after } : range);
    const keys = page.rows.filter((row) => kindOfDue(row) === 'RECORD').map(({ pk, sk }) => ({ pk, sk }));
    const rows = keys.length > 0 ? await state.table.getMany(keys) : [];
    found.push(...rows.flatMap((row) => recordOf(row) ?? []).filter(({ outcome }) => outcome === 'Open'));
    after = page.next;
  } while (after);
  return found;
}

/** Of a row of releases up to 0.2. */
export function intentOf(row: Row): Intent {
  const { pod, openedAt } = row as Row & Intent;
  return { pod, openedAt };
}
