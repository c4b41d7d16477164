// Keys of the rows about one eviction: its record, by what it is found, and the intent while it stands open.
import { type ClusterId, type DeviceId, deviceKey } from '../model/identity.ts';
import type { Key } from '../table.ts';
import { shardOf } from './keys.ts';

export function recordKey(cluster: ClusterId, podUid: string): Key {
  return { pk: `${cluster}#RECORD#${podUid}`, sk: '-' };
}

export const intentPartition = (cluster: ClusterId, shard: number) => `${cluster}#INTENT#${shard}`;

export function intentKey(cluster: ClusterId, podUid: string): Key {
  return { pk: intentPartition(cluster, shardOf(podUid)), sk: podUid };
}

export const recordsByPod = (cluster: ClusterId, pod: string) => `${cluster}#RECORDS#POD#${pod}`;
export const recordsByDevice = (cluster: ClusterId, device: DeviceId) =>
  `${cluster}#RECORDS#DEVICE#${deviceKey(device)}`;
/** Spread, because every eviction of a rule writes one. */
export const recordsByRule = (cluster: ClusterId, rule: string, shard: number) =>
  `${cluster}#RECORDS#RULE#${rule}#${shard}`;
