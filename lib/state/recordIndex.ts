// By what a record is found besides the UID of its pod: the pod's name, each of the rules or slices and each of the devices.
import { type DeviceId, deviceKey, type PodRef } from '../model/identity.ts';
import { farFuture, type Instant } from '../model/time.ts';
import { type Reason, refOf } from '../model/verdict.ts';
import type { Row, RowRange, Write } from '../table.ts';
import { instantText, recordKey, recordsByDevice, recordsByPod, recordsByRule, shardOf, shards } from './keys.ts';
import { type EvictionRecord, recordOf } from './readRecord.ts';
import type { State } from './state.ts';

/** More would not fit into the transaction that opens a record; the record itself names all. */
const rulesKept = 16;
const devicesKept = 32;

export type RecordsOf =
  /** `namespace/name`. */
  | { readonly kind: 'Pod'; readonly pod: string }
  /** `NAME` of a DeviceTaintRule, `PacedTaintRule/NAME`, `ResourceSlice/NAME` or `DeviceTaintSlice/NAME`. */
  | { readonly kind: 'Rule'; readonly rule: string }
  | { readonly kind: 'Device'; readonly device: DeviceId };

/** The same keys for each attempt at one eviction, since they come from when the first one was made. */
export function indexWrites(
  state: State,
  pod: PodRef,
  by: { readonly because: readonly Reason[]; readonly openedAt: Instant; readonly ttl: number },
): readonly Write[] {
  const sk = `${newestFirst(by.openedAt)}#${pod.uid}`;
  const { cluster } = state;
  const rules = new Set(by.because.map(sourceOf));
  const devices = new Map(by.because.map(({ device }) => [deviceKey(device), device]));
  const partitions = [
    recordsByPod(cluster, `${pod.namespace}/${pod.name}`),
    ...[...rules].slice(0, rulesKept).map((rule) => recordsByRule(cluster, rule, shardOf(pod.uid))),
    ...[...devices.values()].slice(0, devicesKept).map((device) => recordsByDevice(cluster, device)),
  ];
  return partitions.map((pk) => ({ kind: 'Put', row: { pk, sk, uid: pod.uid, ttl: by.ttl } }));
}

function sourceOf({ origin }: Reason): string {
  if (origin.kind === 'Slice') return `${origin.sliceKind ?? 'ResourceSlice'}/${origin.name}`;
  return refOf(origin) ?? origin.name;
}

/** Newest first by the first attempt, at most `limit`. */
export async function findRecords(state: State, of: RecordsOf, limit: number): Promise<readonly EvictionRecord[]> {
  const pages = await Promise.all(rangesOf(state, of).map((range) => state.table.query({ ...range, limit })));
  const rows = pages.flatMap((page) => page.rows).toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
  const uids = [...new Set(rows.flatMap(({ uid }) => (typeof uid === 'string' ? [uid] : [])))].slice(0, limit);
  const found = await state.table.getMany(uids.map((uid) => recordKey(state.cluster, uid)));
  const records = new Map(found.map((row): [string, Row] => [row.pk, row]));
  return uids.flatMap((uid) => recordOf(records.get(recordKey(state.cluster, uid).pk)) ?? []);
}

function rangesOf({ cluster }: State, of: RecordsOf): readonly RowRange[] {
  switch (of.kind) {
    case 'Pod':
      return [{ pk: recordsByPod(cluster, of.pod) }];
    case 'Rule':
      return shards.map((shard) => ({ pk: recordsByRule(cluster, of.rule, shard) }));
    case 'Device':
      return [{ pk: recordsByDevice(cluster, of.device) }];
    default:
      return of satisfies never;
  }
}

function newestFirst(at: Instant): string {
  return instantText(farFuture - at);
}
