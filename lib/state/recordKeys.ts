// Keys of the rows about one eviction: its record, the index rows, and intents of older releases.
import { type ClusterId, type DeviceId, deviceKey } from '../model/identity.ts';
import { farFuture, type Instant } from '../model/time.ts';
import type { Key } from '../table.ts';
import { instantText } from './keys.ts';

/** Sort keys ascend, so the newest must be smallest: the time left until the far future. */
export function newestFirst(at: Instant): string {
  return instantText(farFuture - at);
}

export function recordKey(cluster: ClusterId, podUid: string): Key {
  return { pk: `${cluster}#RECORD#${podUid}`, sk: '-' };
}

/** Rows of releases up to 0.2, which stored intents separately. */
export const intentPartition = (cluster: ClusterId, shard: number) => `${cluster}#INTENT#${shard}`;

/** Partition in the head index. */
export const recordHeads = (cluster: ClusterId, pod: string) => `${cluster}#HEAD#RECORD#${pod}`;
/** Rows of releases up to 0.2. */
export const recordsByPod = (cluster: ClusterId, pod: string) => `${cluster}#RECORDS#POD#${pod}`;
export const recordsByDevice = (cluster: ClusterId, device: DeviceId) =>
  `${cluster}#RECORDS#DEVICE#${deviceKey(device)}`;
/** Sharded, because every eviction of a rule writes one row. */
export const recordsByRule = (cluster: ClusterId, rule: string, shard: number) =>
  `${cluster}#RECORDS#RULE#${rule}#${shard}`;
