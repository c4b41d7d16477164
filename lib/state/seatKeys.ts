// Keys of numbered seats: of a taint's canary, and of the evictions in flight of one node or one owner.
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterName } from '../model/identity.ts';
import type { Key } from '../table.ts';

/** Seats of a limiter's canary; one lot of them for each epoch. */
export const canaryPartition = (cluster: ClusterName, limiter: LimiterId) => `${cluster}#CANARY#${limiter}`;
export const canaryPrefix = (epoch: number) => `${epoch}#`;

export function canarySeatKey(cluster: ClusterName, limiter: LimiterId, by: { epoch: number; seat: number }): Key {
  const seat = String(by.seat).padStart(6, '0');
  return { pk: canaryPartition(cluster, limiter), sk: `${canaryPrefix(by.epoch)}${seat}` };
}

/** Seats of the evictions in flight of one node or one owner. */
export const flightPartition = (cluster: ClusterName, { kind, of }: { kind: string; of: string }) =>
  `${cluster}#FLIGHT#${kind}#${of}`;

export function flightSeatKey(cluster: ClusterName, scope: { kind: string; of: string }, seat: number): Key {
  return { pk: flightPartition(cluster, scope), sk: String(seat).padStart(6, '0') };
}
