// By what a record is found besides the UID of its pod: the pod's name, by the index of heads, and each of the rules or slices and each of the devices, by rows.
import { headIndex } from '../contract.ts';
import { deviceKey, type PodRef } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { type Reason, refOf } from '../model/verdict.ts';
import type { Write } from '../table.ts';
import { shardOf } from './keys.ts';
import { newestFirst, recordHeads, recordsByDevice, recordsByRule } from './recordKeys.ts';
import type { State } from './state.ts';

/** More would not fit into the transaction that opens a record; the record itself names all. */
const rulesKept = 16;
const devicesKept = 32;

/** The same keys for each attempt at one eviction, since they come from when the first one was made. */
export function indexWrites(
  state: State,
  pod: PodRef,
  by: { readonly because: readonly Reason[]; readonly openedAt: Instant; readonly ttl: number },
): readonly Write[] {
  const sk = indexSortKey(pod, by.openedAt);
  const { cluster } = state;
  const rules = new Set(by.because.map(sourceOf));
  const devices = new Map(by.because.map(({ device }) => [deviceKey(device), device]));
  const partitions = [
    ...[...rules].slice(0, rulesKept).map((rule) => recordsByRule(cluster, rule, shardOf(pod.uid))),
    ...[...devices.values()].slice(0, devicesKept).map((device) => recordsByDevice(cluster, device)),
  ];
  return partitions.map((pk) => ({ kind: 'Put', row: { pk, sk, uid: pod.uid, ttl: by.ttl } }));
}

/** Puts the record itself into the index of heads: a row of its own would be one more in each transaction that opens a record. */
export function byPod({ cluster }: State, pod: PodRef, openedAt: Instant): Record<string, unknown> {
  const head = recordHeads(cluster, `${pod.namespace}/${pod.name}`);
  return { [headIndex.partition]: head, [headIndex.sort]: indexSortKey(pod, openedAt), uid: pod.uid };
}

function indexSortKey({ uid }: PodRef, openedAt: Instant): string {
  return `${newestFirst(openedAt)}#${uid}`;
}

function sourceOf({ origin }: Reason): string {
  if (origin.kind === 'Slice') return `${origin.sliceKind ?? 'ResourceSlice'}/${origin.name}`;
  return refOf(origin) ?? origin.name;
}
