// The due index: rows with unfinished work, and when the sweep sends each to a stage. An entry is part of the row's own write.
import { dueIndex } from '../contract.ts';
import { hashOf } from '../mirror/ranges.ts';
import type { ClusterId } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { compare, type DuePage, type DueRow, type Key } from '../table.ts';
import type { State } from './state.ts';

/** Number of index partitions over which the entries of one cluster are spread. */
export const dueShardCount = 16;
export const dueShards: readonly number[] = Array.from({ length: dueShardCount }, (_, i) => i);

export type DueStage = 'ingest' | 'evict' | 'report';

/** By the kind in the key; all other kinds are rows of the mirror, or fan-outs. */
const stageOfKind: Readonly<Record<string, DueStage>> = {
  LIMITERS: 'evict',
  RECORD: 'evict',
  /** Written by releases up to 0.2. */
  INTENT: 'evict',
  PLANS: 'report',
  RELEASE: 'report',
  REPORT: 'report',
};

/** The stage that processes a due row. */
export function stageOfDue({ pk }: Pick<Key, 'pk'>): DueStage {
  return stageOfKind[kindOfDue({ pk })] ?? 'ingest';
}

export function kindOfDue({ pk }: Pick<Key, 'pk'>): string {
  return pk.split('#')[1] ?? '';
}

/** Attributes to remove from a row whose work is finished. */
export const noDue: readonly string[] = [dueIndex.partition, dueIndex.time];

/** Attributes for the write that makes a row unfinished; `key`: the row's own key. */
export function dueAttributes({ cluster }: Pick<State, 'cluster'>, key: Key, at: Instant): Record<string, unknown> {
  const shard = hashOf(`${key.pk}\n${key.sk}`) % dueShardCount;
  return { [dueIndex.partition]: duePartition(cluster, shard), [dueIndex.time]: Math.floor(at) };
}

/** A page of due entries of one shard, oldest due time first. The row may have changed since: read it before acting. */
export function readDueEntries(
  { table, cluster }: State,
  by: { readonly shard: number; readonly now: Instant; readonly limit: number; readonly after?: DueRow },
): Promise<DuePage> {
  const after = by.after === undefined ? {} : { after: by.after };
  return table.queryDue({ pk: duePartition(cluster, by.shard), upTo: Math.floor(by.now), limit: by.limit, ...after });
}

/** Sets a later due time, unless the row's due time has changed. */
export async function postponeDue(state: State, { pk, sk, dueAt }: DueRow, until: Instant): Promise<void> {
  const change = { set: { [dueIndex.time]: Math.floor(until) } };
  await state.table.write({ kind: 'Update', key: { pk, sk }, change, when: compare(dueIndex.time, '=', dueAt) });
}

function duePartition(cluster: ClusterId, shard: number): string {
  return `${cluster}#DUE#${shard}`;
}
