// Which pods hold the seats (permits) of a limiter's canary: one row per seat, so that a seat is never given twice.
import type { CanarySeat } from '../decide/canary.ts';
import { hashOf } from '../mirror/ranges.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { absent, queryAll, type Row, type Write } from '../table.ts';
import { canaryPartition, canaryPrefix, canarySeatKey } from './canaryKeys.ts';
import type { State } from './state.ts';

/** How long the canary of a rule is kept; as long as its records. */
const retentionSeconds = 90 * 24 * 3600;

/** Identifies one canary. The epoch is the rule's generation: an edit of the rule restarts its canary. */
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

/** Concurrent evictors choose different seats where possible. */
export function chooseSeat(free: readonly number[], uid: Uid): number | undefined {
  return free[hashOf(uid) % free.length];
}

interface Seating {
  readonly seat: number;
  readonly uid: Uid;
  readonly now: Instant;
}

/** Must be in the transaction after which the pod may be deleted. */
export function takeSeat(state: State, of: CanaryOf, by: Seating): Write {
  return { kind: 'Put', row: rowOf(state, of, by), when: absent('uid') };
}

/** Must be in the transaction that closes the record, so it happens once: the pod was deleted, or its seat is free again. */
export function leaveSeat(state: State, of: CanaryOf, by: Seating & { readonly deleted: boolean }): Write {
  const { pk, sk, ...row } = rowOf(state, of, by);
  return by.deleted ? { kind: 'Put', row: { pk, sk, ...row, deletedAt: by.now } } : { kind: 'Delete', key: { pk, sk } };
}

function rowOf(state: State, { limiter, epoch }: CanaryOf, { seat, uid, now }: Seating): Row {
  const ttl = Math.floor(now / 1000) + retentionSeconds;
  return { ...canarySeatKey(state.cluster, limiter, { epoch, seat }), seat, uid, ttl };
}

/** For taints without an epoch: after a long time without listed pods, the canary starts again. */
export async function forgetCanary(state: State, limiter: LimiterId): Promise<void> {
  for (const { pk, sk } of await queryAll(state.table, { pk: canaryPartition(state.cluster, limiter) }))
    await state.table.write({ kind: 'Delete', key: { pk, sk } });
}
