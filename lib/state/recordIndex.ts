// By what a record is found besides the UID of its pod: the pod's name, each of the rules or slices and each of the devices.
import { deviceKey, type PodRef } from '../model/identity.ts';
import { farFuture, type Instant } from '../model/time.ts';
import { type Reason, refOf } from '../model/verdict.ts';
import type { Write } from '../table.ts';
import { instantText, shardOf } from './keys.ts';
import { recordsByDevice, recordsByPod, recordsByRule } from './recordKeys.ts';
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

function newestFirst(at: Instant): string {
  return instantText(farFuture - at);
}
