// Evictions under way: records with outcome Open.
import type { PodRef } from '../model/identity.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { type DueRow, pageSize, queryAll, type Row } from '../table.ts';
import { dueShards, kindOfDue, readDueEntries } from './dueIndex.ts';
import { shards } from './keys.ts';
import { recordOf } from './readRecord.ts';
import { intentPartition } from './recordKeys.ts';
import type { State } from './state.ts';

/** Written right before PATCH and DELETE. */
export interface Intent {
  readonly pod: PodRef;
  readonly openedAt: Instant;
}

/** Assumed lag of the due index; DynamoDB guarantees no bound, but is usually far below this. */
export const indexLag: Milliseconds = 1000;

/** An open record is processed again within this time: it is due after `interruptedAfter`, and the sweep postpones it. */
const lookedAtWithin: Milliseconds = 10 * 60_000;

/**
 * Intents that were opened before `before`. An open record is due until it is closed, so the due index finds it without reading
 * the lists; the index lags (`indexLag`), so each record that it names is read.
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

/** Reads a row of releases up to 0.2. */
export function intentOf(row: Row): Intent {
  const { pod, openedAt } = row as Row & Intent;
  return { pod, openedAt };
}
