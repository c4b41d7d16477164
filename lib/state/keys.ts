// The keys of the state table (those of canaries are in canaryKeys.ts, of records in recordKeys.ts), and the only code that builds one. All begin with the cluster's name.
import { hashOf } from '../mirror/ranges.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterName, DeviceId, NamespacedName } from '../model/identity.ts';
import { deviceKey, nameKey, poolKey } from '../model/identity.ts';
import { parseRuleRef, type RuleRef } from '../model/rule.ts';
import { taintSliceRef } from '../model/taintSlice.ts';
import type { Instant } from '../model/time.ts';
import type { Key } from '../table.ts';

/** Rows of one kind are spread over this many partitions, so that a listing is a few queries and a write none too hot. */
export const shardCount = 8;
export const shards: readonly number[] = Array.from({ length: shardCount }, (_, i) => i);

export function shardOf(text: string): number {
  return hashOf(text) % shardCount;
}

/** Pads an instant for sort keys; instants before the epoch count as the epoch. */
export function instantText(at: Instant): string {
  return String(Math.max(0, Math.floor(at))).padStart(16, '0');
}

export const podPartition = (cluster: ClusterName, shard: number) => `${cluster}#POD#${shard}`;
export const claimPartition = (cluster: ClusterName, shard: number) => `${cluster}#CLAIM#${shard}`;
export const slicePartition = (cluster: ClusterName, shard: number) => `${cluster}#SLICE#${shard}`;
export const rulePartition = (cluster: ClusterName) => `${cluster}#RULE`;
export const limiterPartition = (cluster: ClusterName, limiter: LimiterId) => `${cluster}#LIMITER#${limiter}`;
export const groupPartition = (cluster: ClusterName, limiter: LimiterId, group: string) =>
  `${cluster}#GROUP#${limiter}#${group}`;
export const limitersPartition = (cluster: ClusterName) => `${cluster}#LIMITERS`;
export const allocationPartition = (cluster: ClusterName, shard: number) => `${cluster}#ALLOC#${shard}`;
export const claimPodsPartition = (cluster: ClusterName, claim: string) => `${cluster}#CLAIMPODS#${claim}`;
export const fanOutPartition = (cluster: ClusterName, rule: string) => `${cluster}#FANOUT#${rule}`;
export const reportPartition = (cluster: ClusterName) => `${cluster}#REPORT`;
export const recentPartition = (cluster: ClusterName, shard: number) => `${cluster}#RECENT#${shard}`;

export const plansPartition = (cluster: ClusterName) => `${cluster}#PLANS`;
export const planPodsPartition = (cluster: ClusterName, rule: string) => `${cluster}#PLAN#${rule}`;

export function podRowKey(cluster: ClusterName, pod: string): Key {
  return { pk: podPartition(cluster, shardOf(pod)), sk: pod };
}

export function claimRowKey(cluster: ClusterName, claim: string): Key {
  return { pk: claimPartition(cluster, shardOf(claim)), sk: claim };
}

/** A pool's slices lie side by side: `driver|pool|slice`. The key of a slice in manifests is this sort key. */
export function sliceKey(slice: { driver: string; pool: { name: string }; name: string }): string {
  return `${poolKey(slice.driver, slice.pool.name)}|${slice.name}`;
}

/** Among the slices of its pool; no name of a ResourceSlice holds a slash. */
export function taintSliceKey(slice: { driver: string; pool: string; name: string }): string {
  return `${poolKey(slice.driver, slice.pool)}|${taintSliceRef(slice.name)}`;
}

export function sliceRowKey(cluster: ClusterName, key: string): Key {
  return { pk: slicePartition(cluster, shardOf(poolOfSliceKey(key))), sk: key };
}

export function poolOfSliceKey(key: string): string {
  return key.slice(0, key.lastIndexOf('|'));
}

/** Rules of both kinds and device classes lie together, because they are read together. */
export function ruleRowKey(cluster: ClusterName, rule: RuleRef): Key {
  const { kind, name } = parseRuleRef(rule);
  return { pk: rulePartition(cluster), sk: `${kind}#${name}` };
}

export function classRowKey(cluster: ClusterName, name: string): Key {
  return { pk: rulePartition(cluster), sk: `DeviceClass#${name}` };
}

export function policyRowKey(cluster: ClusterName, name: string): Key {
  return { pk: rulePartition(cluster), sk: `EvictionPolicy#${name}` };
}

export function namespaceRowKey(cluster: ClusterName, name: string): Key {
  return { pk: rulePartition(cluster), sk: `Namespace#${name}` };
}

export const devicePartition = (cluster: ClusterName, shard: number) => `${cluster}#DEVICE#${shard}`;

/** A device as it was when it was last published. */
export function deviceRowKey(cluster: ClusterName, device: DeviceId): Key {
  return { pk: devicePartition(cluster, shardOf(poolKey(device.driver, device.pool))), sk: deviceKey(device) };
}

export const standingPartition = (cluster: ClusterName, shard: number) => `${cluster}#STANDING#${shard}`;

/** When taints came and went on a device (`driver|pool|device`); those of a pool lie together. */
export function standingRowKey(cluster: ClusterName, pool: string, device: string): Key {
  return { pk: standingPartition(cluster, shardOf(pool)), sk: device };
}

export const wavePartition = (cluster: ClusterName) => `${cluster}#WAVES`;

export function waveRowKey(cluster: ClusterName, wave: string): Key {
  return { pk: wavePartition(cluster), sk: wave };
}

/** How often pods of an owner (by UID) were evicted from a device (`driver|pool|device`). */
export function loopKey(cluster: ClusterName, owner: string, device: string): Key {
  return { pk: `${cluster}#LOOP#${owner}`, sk: device };
}

export function ruleVersionKey(cluster: ClusterName): Key {
  return { pk: rulePartition(cluster), sk: 'VERSION' };
}

/** All claims allocated in one pool lie in one partition, sorted by device. */
export function allocationKey(cluster: ClusterName, device: DeviceId, claim: NamespacedName): Key {
  const pool = poolKey(device.driver, device.pool);
  return { pk: allocationPartition(cluster, shardOf(pool)), sk: `${deviceKey(device)}|${nameKey(claim)}` };
}

export function claimPodKey(cluster: ClusterName, claim: string, podName: string): Key {
  return { pk: claimPodsPartition(cluster, claim), sk: podName };
}

/** By the limiter's name, which outlives its rule's UID. */
export function bucketKey(cluster: ClusterName, name: string): Key {
  return { pk: `${cluster}#BUCKET#${name}`, sk: '-' };
}

/** Of the limit of a whole cluster. */
export const clusterBucketKey = (cluster: ClusterName): Key => ({ pk: `${cluster}#CLUSTERBUCKET`, sk: '-' });

/** Evictions in flight of one node, one owner or one pool. */
export function inFlightKey(cluster: ClusterName, { kind, of }: { kind: string; of: string }): Key {
  return { pk: `${cluster}#INFLIGHT#${kind}#${of}`, sk: '-' };
}

/** Stands for all clusters; no cluster can have this name (infra/checks.ts). */
export const everyCluster = '*';
export const pausePartition = (cluster: ClusterName) => `${cluster}#PAUSE`;

/** What was last seen to stop a cluster. */
export function stopKey(cluster: ClusterName): Key {
  return { pk: `${cluster}#STOP`, sk: '-' };
}

export function pauseKey(cluster: ClusterName, name: string): Key {
  return { pk: pausePartition(cluster), sk: name };
}

/** Plans of a rule that people were asked to approve of. */
export function approvalKey(cluster: ClusterName, ruleUid: string, digest: string): Key {
  return { pk: `${cluster}#APPROVAL#${ruleUid}`, sk: digest };
}

export function limiterControlKey(cluster: ClusterName, limiter: LimiterId): Key {
  return { pk: limitersPartition(cluster), sk: limiter };
}

/** Tallies are spread because every eviction adds to one, inside a transaction. */
export function tallyKey(cluster: ClusterName, ruleUid: string, podUid: string): Key {
  return { pk: `${cluster}#TALLY#${ruleUid}`, sk: String(shardOf(podUid)) };
}

export const tallyPartition = (cluster: ClusterName, ruleUid: string) => `${cluster}#TALLY#${ruleUid}`;

export const heartbeatKey = (cluster: ClusterName): Key => ({ pk: `${cluster}#HEARTBEAT`, sk: '-' });

export const planKey = (cluster: ClusterName, rule: string): Key => ({ pk: plansPartition(cluster), sk: rule });

export function planPodKey(cluster: ClusterName, rule: string, pod: string): Key {
  return { pk: planPodsPartition(cluster, rule), sk: pod };
}

export function reportKey(cluster: ClusterName, rule: string): Key {
  return { pk: reportPartition(cluster), sk: rule };
}
