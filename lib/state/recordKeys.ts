// Keys of the rows about one eviction: its record, by what it is found, and the intent while it stands open.
import { type ClusterId, type DeviceId, deviceKey } from '../model/identity.ts';
import { farFuture, type Instant } from '../model/time.ts';
import type { Key } from '../table.ts';
import { instantText } from './keys.ts';

/** Tables sort upwards: what remains until the end of time is smallest for the newest. */
export function newestFirst(at: Instant): string {
  return instantText(farFuture - at);
}

export function recordKey(cluster: ClusterId, podUid: string): Key {
  return { pk: `${cluster}#RECORD#${podUid}`, sk: '-' };
}

/** Of releases up to 0.2: intents in rows of their own. */
export const intentPartition = (cluster: ClusterId, shard: number) => `${cluster}#INTENT#${shard}`;

/** In the index of heads. */
export const recordHeads = (cluster: ClusterId, pod: string) => `${cluster}#HEAD#RECORD#${pod}`;
/** Of releases up to 0.2. */
export const recordsByPod = (cluster: ClusterId, pod: string) => `${cluster}#RECORDS#POD#${pod}`;
export const recordsByDevice = (cluster: ClusterId, device: DeviceId) =>
  `${cluster}#RECORDS#DEVICE#${deviceKey(device)}`;
/** Spread, because every eviction of a rule writes one. */
export const recordsByRule = (cluster: ClusterId, rule: string, shard: number) =>
  `${cluster}#RECORDS#RULE#${rule}#${shard}`;
