// Open records: an eviction is in progress, or was interrupted, and a step has to find out its outcome.
import type { PodRef } from '../model/identity.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { compare, queryAll, type Row, type Write } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { shards } from './keys.ts';
import { intentKey, intentPartition } from './recordKeys.ts';
import type { State } from './state.ts';

/** An intent that is open for so long was interrupted: longer than an evictor's lease. */
export const interruptedAfter: Milliseconds = 30_000;

/** An intent as it was written, right before the PATCH and the DELETE. */
export interface Intent {
  readonly pod: PodRef;
  readonly openedAt: Instant;
}

/** Belongs in the transaction that opens the record. */
export function intentWrite(state: State, pod: PodRef, openedAt: Instant): Write {
  const key = intentKey(state.cluster, pod.uid);
  return { kind: 'Put', row: { ...key, pod, openedAt, ...dueAttributes(state, key, openedAt + interruptedAfter) } };
}

/** Belongs in the transaction that closes the record. */
export function dropIntent(state: State, pod: PodRef): Write {
  return { kind: 'Delete', key: intentKey(state.cluster, pod.uid) };
}

/** Intents that have stood open since before `before`. */
export async function readIntents(state: State, before: Instant): Promise<readonly Intent[]> {
  const found = await Promise.all(
    shards.map((shard) => queryAll(state.table, { pk: intentPartition(state.cluster, shard) })),
  );
  return found
    .flat()
    .map(intentOf)
    .filter(({ openedAt }) => openedAt < before);
}

export function intentOf(row: Row): Intent {
  const { pod, openedAt } = row as Row & Intent;
  return { pod, openedAt };
}

/** Of a record that is closed or was dropped; not one that has been opened again since. */
export async function forgetIntent(state: State, { pod, openedAt }: Intent): Promise<void> {
  const when = compare('openedAt', '=', openedAt);
  await state.table.write({ kind: 'Delete', key: intentKey(state.cluster, pod.uid), when });
}
