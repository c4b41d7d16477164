// Who has the seats of a limiter's canary: one row for each, so that no two evictors give one seat away twice.
import type { CanarySeat } from '../decide/canary.ts';
import { hashOf } from '../mirror/ranges.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { absent, queryAll, type Row, type Write } from '../table.ts';
import { canaryPartition, canaryPrefix, canarySeatKey } from './canaryKeys.ts';
import type { State } from './state.ts';

/** For so long a rule's canary is remembered; as long as its records. */
const retentionSeconds = 90 * 24 * 3600;

/** One set of seats. The epoch is the rule's generation: an edit of the rule restarts its canary. */
export interface CanaryOf {
  readonly limiter: LimiterId;
  readonly epoch: number;
}

export async function readCanary(state: State, { limiter, epoch }: CanaryOf): Promise<readonly CanarySeat[]> {
  const range = { pk: canaryPartition(state.cluster, limiter), prefix: canaryPrefix(epoch) };
  return (await queryAll(state.table, range)).map((row) => ({
    seat: row.seat as number,
    uid: row.uid as Uid,
    ...(row.deletedAt === undefined ? {} : { deletedAt: row.deletedAt as Instant }),
  }));
}

/** Evictors at work together choose different ones where they can. */
export function chooseSeat(free: readonly number[], uid: Uid): number | undefined {
  return free[hashOf(uid) % free.length];
}

interface Seating {
  readonly seat: number;
  readonly uid: Uid;
  readonly now: Instant;
}

/** Belongs in the transaction after which the pod may be deleted. */
export function takeSeat(state: State, of: CanaryOf, by: Seating): Write {
  return { kind: 'Put', row: rowOf(state, of, by), when: absent('uid') };
}

/** Belongs in the transaction that closes the record, which but one can: the pod was deleted, or another may have its seat. */
export function leaveSeat(state: State, of: CanaryOf, by: Seating & { readonly deleted: boolean }): Write {
  const { pk, sk, ...row } = rowOf(state, of, by);
  return by.deleted ? { kind: 'Put', row: { pk, sk, ...row, deletedAt: by.now } } : { kind: 'Delete', key: { pk, sk } };
}

function rowOf(state: State, { limiter, epoch }: CanaryOf, { seat, uid, now }: Seating): Row {
  const ttl = Math.floor(now / 1000) + retentionSeconds;
  return { ...canarySeatKey(state.cluster, limiter, { epoch, seat }), seat, uid, ttl };
}

/** For taints that have no epoch: when no pod has been listed for long, the next pods are first ones again. */
export async function forgetCanary(state: State, limiter: LimiterId): Promise<void> {
  for (const { pk, sk } of await queryAll(state.table, { pk: canaryPartition(state.cluster, limiter) }))
    await state.table.write({ kind: 'Delete', key: { pk, sk } });
}
