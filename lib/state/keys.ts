// Builds the keys of the state table, as do the other *Keys.ts files here. All but those of a cluster's name begin with the ClusterId.
import { hashOf } from '../mirror/ranges.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterId, ClusterName, DeviceId, NamespacedName } from '../model/identity.ts';
import { clusterNameOf, deviceKey, nameKey, poolKey } from '../model/identity.ts';
import { parseRuleRef, type RuleRef } from '../model/rule.ts';
import { taintSliceRef } from '../model/taintSlice.ts';
import type { Instant } from '../model/time.ts';
import type { Key } from '../table.ts';

/** Partitions per kind of row: few queries for a listing, and no partition too hot for writes. */
const shardCount = 8;
export const shards: readonly number[] = Array.from({ length: shardCount }, (_, i) => i);

export function shardOf(text: string): number {
  return hashOf(text) % shardCount;
}

/** Pads a timestamp for sort keys; times before the epoch count as the epoch. */
export function instantText(at: Instant): string {
  return String(Math.max(0, Math.floor(at))).padStart(16, '0');
}

export const podPartition = (cluster: ClusterId, shard: number) => `${cluster}#POD#${shard}`;
export const claimPartition = (cluster: ClusterId, shard: number) => `${cluster}#CLAIM#${shard}`;
export const slicePartition = (cluster: ClusterId, shard: number) => `${cluster}#SLICE#${shard}`;
export const rulePartition = (cluster: ClusterId) => `${cluster}#RULE`;
export const limiterPartition = (cluster: ClusterId, limiter: LimiterId) => `${cluster}#LIMITER#${limiter}`;
export const groupPartition = (cluster: ClusterId, limiter: LimiterId, group: string) =>
  `${cluster}#GROUP#${limiter}#${group}`;
export const limitersPartition = (cluster: ClusterId) => `${cluster}#LIMITERS`;
export const allocationPartition = (cluster: ClusterId, shard: number) => `${cluster}#ALLOC#${shard}`;
export const claimPodsPartition = (cluster: ClusterId, claim: string) => `${cluster}#CLAIMPODS#${claim}`;
export const fanOutPartition = (cluster: ClusterId, rule: string) => `${cluster}#FANOUT#${rule}`;
export const refusedPartition = (cluster: ClusterId) => `${cluster}#REFUSED`;

export function refusedKey(cluster: ClusterId, { kind, key }: { kind: string; key: string }): Key {
  return { pk: refusedPartition(cluster), sk: `${kind}|${key}` };
}

export const reportPartition = (cluster: ClusterId) => `${cluster}#REPORT`;
export const recentPartition = (cluster: ClusterId, shard: number) => `${cluster}#RECENT#${shard}`;

export const plansPartition = (cluster: ClusterId) => `${cluster}#PLANS`;
export const planPodsPartition = (cluster: ClusterId, rule: string) => `${cluster}#PLAN#${rule}`;

export function podRowKey(cluster: ClusterId, pod: string): Key {
  return { pk: podPartition(cluster, shardOf(pod)), sk: pod };
}

export function claimRowKey(cluster: ClusterId, claim: string): Key {
  return { pk: claimPartition(cluster, shardOf(claim)), sk: claim };
}

/** `driver|pool|slice`, so that a pool's slices are adjacent; also the key of a slice in manifests. */
export function sliceKey(slice: { driver: string; pool: { name: string }; name: string }): string {
  return `${poolKey(slice.driver, slice.pool.name)}|${slice.name}`;
}

/** Sorts among the slices of its pool; the name of a ResourceSlice contains no slash. */
export function taintSliceKey(slice: { driver: string; pool: string; name: string }): string {
  return `${poolKey(slice.driver, slice.pool)}|${taintSliceRef(slice.name)}`;
}

export function sliceRowKey(cluster: ClusterId, key: string): Key {
  return { pk: slicePartition(cluster, shardOf(poolOfSliceKey(key))), sk: key };
}

export function poolOfSliceKey(key: string): string {
  return key.slice(0, key.lastIndexOf('|'));
}

/** Rules of both kinds and device classes share a partition, because they are read together. */
export function ruleRowKey(cluster: ClusterId, rule: RuleRef): Key {
  const { kind, name } = parseRuleRef(rule);
  return { pk: rulePartition(cluster), sk: `${kind}#${name}` };
}

export function classRowKey(cluster: ClusterId, name: string): Key {
  return { pk: rulePartition(cluster), sk: `DeviceClass#${name}` };
}

export function policyRowKey(cluster: ClusterId, name: string): Key {
  return { pk: rulePartition(cluster), sk: `EvictionPolicy#${name}` };
}

export function namespaceRowKey(cluster: ClusterId, name: string): Key {
  return { pk: rulePartition(cluster), sk: `Namespace#${name}` };
}

export const standingPartition = (cluster: ClusterId, shard: number) => `${cluster}#STANDING#${shard}`;

/** When taints of a device (`driver|pool|device`) appeared and were removed; the rows of a pool share a partition. */
export function standingRowKey(cluster: ClusterId, pool: string, device: string): Key {
  return { pk: standingPartition(cluster, shardOf(pool)), sk: device };
}

export const wavePartition = (cluster: ClusterId) => `${cluster}#WAVES`;

export function waveRowKey(cluster: ClusterId, wave: string): Key {
  return { pk: wavePartition(cluster), sk: wave };
}

/** Evictions of an owner's pods (by the owner's UID) from a device (`driver|pool|device`). */
export function loopKey(cluster: ClusterId, owner: string, device: string): Key {
  return { pk: `${cluster}#LOOP#${owner}`, sk: device };
}

export function ruleVersionKey(cluster: ClusterId): Key {
  return { pk: rulePartition(cluster), sk: 'VERSION' };
}

/** All claims allocated in one pool share a partition, sorted by device. */
export function allocationKey(cluster: ClusterId, device: DeviceId, claim: NamespacedName): Key {
  const pool = poolKey(device.driver, device.pool);
  return { pk: allocationPartition(cluster, shardOf(pool)), sk: `${deviceKey(device)}|${nameKey(claim)}` };
}

export function claimPodKey(cluster: ClusterId, claim: string, podName: string): Key {
  return { pk: claimPodsPartition(cluster, claim), sk: podName };
}

/** By the limiter's name, which is stable when its rule is created again with another UID. */
export function bucketKey(cluster: ClusterId, name: string): Key {
  return { pk: `${cluster}#BUCKET#${name}`, sk: '-' };
}

/** The bucket of the cluster's limit. */
export const clusterBucketKey = (cluster: ClusterId): Key => ({ pk: `${cluster}#CLUSTERBUCKET`, sk: '-' });

/** Evictions in flight of one node, owner or pool. */
export function inFlightKey(cluster: ClusterId, { kind, of }: { kind: string; of: string }): Key {
  return { pk: `${cluster}#INFLIGHT#${kind}#${of}`, sk: '-' };
}

/** Means all clusters; no cluster can have this name (infra/checks.ts). */
export const everyCluster = '*';
/** Settings of operators belong to the cluster's name, and outlive an incarnation. */
export const pausePartition = (cluster: ClusterId | ClusterName) =>
  cluster === everyCluster ? 'PAUSE' : `PAUSE#${clusterNameOf(cluster)}`;
export const modesKey = (cluster: ClusterId | ClusterName): Key => ({ pk: `MODES#${clusterNameOf(cluster)}`, sk: '-' });

/** The incarnations that used a cluster name. */
export const incarnationPartition = (cluster: ClusterName) => `INCARNATIONS#${cluster}`;
export const incarnationKey = (cluster: ClusterName, incarnation: string): Key => ({
  pk: incarnationPartition(cluster),
  sk: incarnation,
});

/** A row that every cluster of release 0.1 has. */
export const firstReleaseHeartbeatKey = (cluster: ClusterName): Key => ({ pk: `${cluster}#HEARTBEAT`, sk: '-' });

/** The last EvictionStop seen in a cluster. */
export function stopKey(cluster: ClusterId): Key {
  return { pk: `${cluster}#STOP`, sk: '-' };
}

export function pauseKey(cluster: ClusterId | ClusterName, name: string): Key {
  return { pk: pausePartition(cluster), sk: name };
}

/** Plans of a rule that wait for approval. */
export function approvalKey(cluster: ClusterId, ruleUid: string, digest: string): Key {
  return { pk: `${cluster}#APPROVAL#${ruleUid}`, sk: digest };
}

export function limiterControlKey(cluster: ClusterId, limiter: LimiterId): Key {
  return { pk: limitersPartition(cluster), sk: limiter };
}

/** Tallies are sharded, because the transaction of every eviction adds to one. */
export function tallyKey(cluster: ClusterId, ruleUid: string, podUid: string): Key {
  return { pk: `${cluster}#TALLY#${ruleUid}`, sk: String(shardOf(podUid)) };
}

export const tallyPartition = (cluster: ClusterId, ruleUid: string) => `${cluster}#TALLY#${ruleUid}`;

export const heartbeatKey = (cluster: ClusterId): Key => ({ pk: `${cluster}#HEARTBEAT`, sk: '-' });

export const planKey = (cluster: ClusterId, rule: string): Key => ({ pk: plansPartition(cluster), sk: rule });

export function planPodKey(cluster: ClusterId, rule: string, pod: string): Key {
  return { pk: planPodsPartition(cluster, rule), sk: pod };
}

export function releaseKey(cluster: ClusterId, claim: string): Key {
  return { pk: `${cluster}#RELEASE`, sk: claim };
}

export function reportKey(cluster: ClusterId, rule: string): Key {
  return { pk: reportPartition(cluster), sk: rule };
}
