// The due index: which rows have unfinished work, and from when on the sweep sends them to a stage. An entry is written with the row that it belongs to.
import { dueIndex } from '../contract.ts';
import { hashOf } from '../mirror/ranges.ts';
import type { ClusterId } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { compare, type DuePage, type DueRow, type Key } from '../table.ts';
import type { State } from './state.ts';

/** Entries of one cluster are spread over this many partitions of the index. */
export const dueShardCount = 16;
export const dueShards: readonly number[] = Array.from({ length: dueShardCount }, (_, i) => i);

export type DueStage = 'ingest' | 'evict' | 'report';

/** By what the key says after the name of the cluster; all others are rows of the mirror, or hand pods on. */
const stageOfKind: Readonly<Record<string, DueStage>> = {
  LIMITERS: 'evict',
  RECORD: 'evict',
  /** Of releases up to 0.2. */
  INTENT: 'evict',
  PLANS: 'report',
  RELEASE: 'report',
  REPORT: 'report',
};

/** The stage that looks at a row. */
export function stageOfDue({ pk }: Pick<Key, 'pk'>): DueStage {
  return stageOfKind[kindOfDue({ pk })] ?? 'ingest';
}

export function kindOfDue({ pk }: Pick<Key, 'pk'>): string {
  return pk.split('#')[1] ?? '';
}

/** Attributes to remove from a row whose work is finished. */
export const noDue: readonly string[] = [dueIndex.partition, dueIndex.time];

/** To be set on a row in the write that makes it unfinished; `key` is the row's own. */
export function dueAttributes({ cluster }: Pick<State, 'cluster'>, key: Key, at: Instant): Record<string, unknown> {
  const shard = hashOf(`${key.pk}\n${key.sk}`) % dueShardCount;
  return { [dueIndex.partition]: duePartition(cluster, shard), [dueIndex.time]: Math.floor(at) };
}

/** A page of what is due in one shard, the longest due first. The row may have been written since: read it before acting. */
export function readDueEntries(
  { table, cluster }: State,
  by: { readonly shard: number; readonly now: Instant; readonly limit: number; readonly after?: DueRow },
): Promise<DuePage> {
  const after = by.after === undefined ? {} : { after: by.after };
  return table.queryDue({ pk: duePartition(cluster, by.shard), upTo: Math.floor(by.now), limit: by.limit, ...after });
}

/** Has an entry looked at again later, unless its row has said something else since. */
export async function postponeDue(state: State, { pk, sk, dueAt }: DueRow, until: Instant): Promise<void> {
  const change = { set: { [dueIndex.time]: Math.floor(until) } };
  await state.table.write({ kind: 'Update', key: { pk, sk }, change, when: compare(dueIndex.time, '=', dueAt) });
}

function duePartition(cluster: ClusterId, shard: number): string {
  return `${cluster}#DUE#${shard}`;
}
