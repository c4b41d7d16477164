// A limiter's lease: it saves work and protects nothing, since every step is conditional on the rows that it changes.
import type { LimiterId } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, all, any, compare, type Row } from '../table.ts';
import { limiterControlKey } from './keys.ts';
import type { State } from './state.ts';

/** Long enough for a slow call; a holder that crashed costs so much. */
const leaseDuration: Milliseconds = 10_000;

export interface Lease {
  readonly limiter: LimiterId;
  /** Names the holder; moves with every holder. */
  readonly term: number;
  /** Asked for since; see `releaseLease`. */
  readonly wanted: number;
  readonly until: Instant;
}

export interface Held {
  readonly kind: 'Held';
  /** Invocations that have handed the limiter on, the holder included. */
  readonly hops: number;
}

/**
 * `Held`: another invocation works on the limiter and has been told to look once more before it ends. `isTakenOver`: the holder before
 * did not end its lease.
 */
export async function takeLease(
  state: State,
  limiter: LimiterId,
  by: { readonly now: Instant; readonly hops: number },
): Promise<({ readonly kind: 'Taken'; readonly isTakenOver?: true } & Lease) | Held> {
  const key = limiterControlKey(state.cluster, limiter);
  const until = by.now + leaseDuration;
  const set = { leaseUntil: until, hops: by.hops };
  const change = { set, add: { wanted: 1, term: 1 }, remove: ['successor'] };
  const free = any(absent('leaseUntil'), compare('successor', '=', by.hops));
  const result = await state.table.write({ kind: 'Update', key, change, when: free });
  if (result.kind === 'Written') return { kind: 'Taken', limiter, until, ...numbersOf(result.row) };
  const ranOut = all(compare('leaseUntil', '<', by.now), compare('term', '=', numbersOf(result.row).term));
  const over =
    Number(result.row?.leaseUntil ?? by.now) < by.now
      ? await state.table.write({ kind: 'Update', key, change, when: ranOut })
      : undefined;
  if (over?.kind === 'Written') return { kind: 'Taken', isTakenOver: true, limiter, until, ...numbersOf(over.row) };
  const asked = await state.table.write({ kind: 'Update', key, change: { add: { wanted: 1 } } });
  return { kind: 'Held', hops: Number(asked.row?.hops ?? 0) };
}

/** `Lost`: it ran out, and another invocation has taken it. */
export async function renewLease(state: State, lease: Lease, now: Instant): Promise<Lease | 'Lost'> {
  const until = now + leaseDuration;
  const key = limiterControlKey(state.cluster, lease.limiter);
  const when = compare('term', '=', lease.term);
  const result = await state.table.write({ kind: 'Update', key, change: { set: { leaseUntil: until } }, when });
  return result.kind === 'Written' ? { ...lease, until } : 'Lost';
}

/** Ends the lease. `Wanted`: another step has asked meanwhile; the caller looks again and still holds it. */
export async function releaseLease(
  state: State,
  lease: Lease,
): Promise<{ readonly kind: 'Released' } | { readonly kind: 'Wanted'; readonly lease: Lease }> {
  const key = limiterControlKey(state.cluster, lease.limiter);
  const result = await state.table.write({
    kind: 'Update',
    key,
    change: { remove: ['leaseUntil', 'hops'] },
    when: all(compare('wanted', '=', lease.wanted), compare('term', '=', lease.term)),
  });
  const { term, wanted } = numbersOf(result.row);
  if (result.kind === 'Written' || term !== lease.term) return { kind: 'Released' };
  return { kind: 'Wanted', lease: { ...lease, wanted } };
}

/**
 * At the end of its time the holder leaves what is left to the next one. With `hops` to the message that has been handed on so often:
 * others for the same limiter are still in the queue, and would take the place of a limiter that waits for its first invocation. A
 * message that does not come costs the rest of the lease.
 */
export async function endLease(
  state: State,
  lease: Lease,
  successor?: { readonly hops: number; readonly now: Instant },
): Promise<void> {
  const key = limiterControlKey(state.cluster, lease.limiter);
  const when = compare('term', '=', lease.term);
  const change = successor
    ? { set: { leaseUntil: successor.now + leaseDuration, successor: successor.hops } }
    : { remove: ['leaseUntil', 'hops'] };
  await state.table.write({ kind: 'Update', key, change, when });
}

function numbersOf(row: Row | undefined): { readonly term: number; readonly wanted: number } {
  return { term: Number(row?.term ?? 0), wanted: Number(row?.wanted ?? 0) };
}

/** Whether this caller is the first to ask for another look after a failure; until then it is asked for once. */
export async function claimRetry(
  state: State,
  limiter: LimiterId,
  { now, at }: { readonly now: Instant; readonly at: Instant },
): Promise<boolean> {
  const result = await state.table.write({
    kind: 'Update',
    key: limiterControlKey(state.cluster, limiter),
    change: { set: { retryAt: at } },
    when: any(absent('retryAt'), compare('retryAt', '<=', now)),
  });
  return result.kind === 'Written';
}

/** Whether this caller is the first for a while, or at this rate, to send the delayed messages of a slow limiter. */
export async function claimWakes(
  state: State,
  limiter: LimiterId,
  by: { readonly now: Instant; readonly until: Instant; readonly rate: number },
): Promise<boolean> {
  const result = await state.table.write({
    kind: 'Update',
    key: limiterControlKey(state.cluster, limiter),
    change: { set: { wokenUntil: by.until, wokenAt: by.rate } },
    when: any(absent('wokenUntil'), compare('wokenUntil', '<=', by.now), compare('wokenAt', '<>', by.rate)),
  });
  return result.kind === 'Written';
}
