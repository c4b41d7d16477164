// Keys of the canary permits of a limiter.
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterId } from '../model/identity.ts';
import type { Key } from '../table.ts';

/** Permits of a limiter's canary; each epoch has its own. */
export const canaryPartition = (cluster: ClusterId, limiter: LimiterId) => `${cluster}#CANARY#${limiter}`;
export const canaryPrefix = (epoch: number) => `${epoch}#`;

export function canarySeatKey(cluster: ClusterId, limiter: LimiterId, by: { epoch: number; seat: number }): Key {
  const seat = String(by.seat).padStart(6, '0');
  return { pk: canaryPartition(cluster, limiter), sk: `${canaryPrefix(by.epoch)}${seat}` };
}
