// Where the rows of a limiter's list lie: in one partition, or, of a long list, in sixteen.
import { hashOf } from '../mirror/ranges.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterId, Uid } from '../model/identity.ts';
import { groupPartition, limiterPartition } from './keys.ts';
import { type ListingRow, pendingPrefix, waitingPrefix } from './listingRows.ts';

/** Partitions of a list that is spread; each takes 1,000 writes and 3,000 reads a second (Amazon DynamoDB, partition quotas). */
export const listShardCount = 16;

/** Those beside the first one, in which every list begins. */
export const otherListShards: readonly number[] = Array.from({ length: listShardCount - 1 }, (_, i) => i + 1);

export function listPartition(cluster: ClusterId, limiter: LimiterId, shard = 0): string {
  const first = limiterPartition(cluster, limiter);
  return shard === 0 ? first : `${first}#${shard}`;
}

/** Of a pod in a list that is spread. */
export function listShardOf(uid: Uid): number {
  return hashOf(uid) % listShardCount;
}

/** Of the row that lists a pod. */
export function partitionOf(cluster: ClusterId, { limiter, group, shard }: ListingRow): string {
  return group === undefined ? listPartition(cluster, limiter, shard) : groupPartition(cluster, limiter, group);
}

/**
 * Rows of the first partition that say that the list has others: the first ones among those who may go and among those who wait, so that
 * each look that begins there sees one together with the pods.
 */
export const spreadMarks: readonly string[] = [`${pendingPrefix} spread`, `${waitingPrefix} spread`];

export function isSpreadMark(sk: string): boolean {
  return spreadMarks.includes(sk);
}
