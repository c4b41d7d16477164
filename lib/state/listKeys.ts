// The partitions of a limiter's list: one, or sixteen for a long list.
import { hashOf } from '../mirror/ranges.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterId, Uid } from '../model/identity.ts';
import { groupPartition, limiterPartition } from './keys.ts';
import { type ListingRow, pendingPrefix, waitingPrefix } from './listingRows.ts';

/** Partitions of a spread list; each takes 1,000 writes and 3,000 reads a second (Amazon DynamoDB, partition quotas). */
export const listShardCount = 16;

/** All but the first partition, in which every list begins. */
export const otherListShards: readonly number[] = Array.from({ length: listShardCount - 1 }, (_, i) => i + 1);

export function listPartition(cluster: ClusterId, limiter: LimiterId, shard = 0): string {
  const first = limiterPartition(cluster, limiter);
  return shard === 0 ? first : `${first}#${shard}`;
}

/** The partition of a pod in a spread list. */
export function listShardOf(uid: Uid): number {
  return hashOf(uid) % listShardCount;
}

/** The partition of the row that lists a pod. */
export function partitionOf(cluster: ClusterId, { limiter, group, shard }: ListingRow): string {
  return group === undefined ? listPartition(cluster, limiter, shard) : groupPartition(cluster, limiter, group);
}

/**
 * Marker rows in the first partition that say that the list is spread. They sort first among pending and among waiting rows, so
 * that each query of the first partition sees a marker together with the pods.
 */
export const spreadMarks: readonly string[] = [`${pendingPrefix} spread`, `${waitingPrefix} spread`];

export function isSpreadMark(sk: string): boolean {
  return spreadMarks.includes(sk);
}
