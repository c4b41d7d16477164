// Keys of the permits of a taint's canary.
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterId } from '../model/identity.ts';
import type { Key } from '../table.ts';

/** Permits of a limiter's canary; other ones for each epoch. */
export const canaryPartition = (cluster: ClusterId, limiter: LimiterId) => `${cluster}#CANARY#${limiter}`;
export const canaryPrefix = (epoch: number) => `${epoch}#`;

export function canarySeatKey(cluster: ClusterId, limiter: LimiterId, by: { epoch: number; seat: number }): Key {
  const seat = String(by.seat).padStart(6, '0');
  return { pk: canaryPartition(cluster, limiter), sk: `${canaryPrefix(by.epoch)}${seat}` };
}
