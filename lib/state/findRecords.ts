// Finds records by pod name, by rule or slice, or by device.
import type { DeviceId } from '../model/identity.ts';
import type { Row, RowRange } from '../table.ts';
import { shards } from './keys.ts';
import { type EvictionRecord, recordOf } from './readRecord.ts';
import { recordHeads, recordKey, recordsByDevice, recordsByPod, recordsByRule } from './recordKeys.ts';
import type { State } from './state.ts';

export type RecordsOf =
  /** `namespace/name`. */
  | { readonly kind: 'Pod'; readonly pod: string }
  /** `NAME` of a DeviceTaintRule, `PacedTaintRule/NAME`, `ResourceSlice/NAME` or `DeviceTaintSlice/NAME`. */
  | { readonly kind: 'Rule'; readonly rule: string }
  | { readonly kind: 'Device'; readonly device: DeviceId };

/** At most `limit` records, the most recent first attempt first. */
export async function findRecords(state: State, of: RecordsOf, limit: number): Promise<readonly EvictionRecord[]> {
  const [heads, ...pages] = await Promise.all([
    of.kind === 'Pod' ? readHeads(state, of.pod, limit) : [],
    ...rangesOf(state, of).map((range) => state.table.query({ ...range, limit })),
  ]);
  const rows = [...heads, ...pages.flatMap((page) => page.rows)].toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
  const uids = [...new Set(rows.flatMap(({ uid }) => (typeof uid === 'string' ? [uid] : [])))].slice(0, limit);
  const found = await state.table.getMany(uids.map((uid) => recordKey(state.cluster, uid)));
  const records = new Map(found.map((row): [string, Row] => [row.pk, row]));
  return uids.flatMap((uid) => recordOf(records.get(recordKey(state.cluster, uid).pk)) ?? []);
}

/** The index is eventually consistent, so an eviction of a moment ago may be missing. */
async function readHeads({ table, cluster }: State, pod: string, limit: number) {
  const { rows } = await table.queryHeads({ pk: recordHeads(cluster, pod), from: '0', to: ':', limit });
  return rows.map(({ headKey, uid }) => ({ sk: headKey, uid }));
}

function rangesOf({ cluster }: State, of: RecordsOf): readonly RowRange[] {
  switch (of.kind) {
    case 'Pod':
      // Rows of releases up to 0.2.
      return [{ pk: recordsByPod(cluster, of.pod) }];
    case 'Rule':
      return shards.map((shard) => ({ pk: recordsByRule(cluster, of.rule, shard) }));
    case 'Device':
      return [{ pk: recordsByDevice(cluster, of.device) }];
    default:
      return of satisfies never;
  }
}
