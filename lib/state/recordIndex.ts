// Indexes of records besides the pod's UID: the pod's name through the head index; rules or slices and devices through rows.
import { headIndex } from '../contract.ts';
import { deviceKey, type PodRef } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { type Reason, refOf } from '../model/verdict.ts';
import type { Write } from '../table.ts';
import { shardOf } from './keys.ts';
import { newestFirst, recordHeads, recordsByDevice, recordsByRule } from './recordKeys.ts';
import type { State } from './state.ts';

/** Maximum index rows, so that the transaction that opens a record fits; the record itself names all. */
const rulesKept = 16;
const devicesKept = 32;

/** The keys are the same for each attempt at one eviction, since they use the time of the first attempt. */
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

/** Puts the record itself into the head index: a row of its own would add a write to each transaction that opens a record. */
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
