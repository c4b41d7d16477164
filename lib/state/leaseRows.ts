// A limiter's lease: it avoids duplicate work but is not needed for safety, since every write is conditional on its rows.
import type { LimiterId } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, all, any, compare, type Row } from '../table.ts';
import { limiterControlKey } from './keys.ts';
import type { State } from './state.ts';

/** Long enough for a slow call; after a crash, the limiter is idle this long. */
const leaseDuration: Milliseconds = 10_000;

export interface Lease {
  readonly limiter: LimiterId;
  /** Identifies the holder; increases with every holder. */
  readonly term: number;
  /** Number of requests for this limiter; see `releaseLease`. */
  readonly wanted: number;
  readonly until: Instant;
}

export interface Held {
  readonly kind: 'Held';
  /** Invocations that handed the limiter on, including the holder. */
  readonly hops: number;
}

/** Attempts to take a lease whose holder ended while it was asked; each needs another holder. */
const attempts = 10;

type Taken = { readonly kind: 'Taken'; readonly isTakenOver?: true } & Lease;

/**
 * `Held`: another invocation holds the limiter, and will look again before it ends. `isTakenOver`: the previous holder did not
 * end its lease.
 */
export async function takeLease(
  state: State,
  limiter: LimiterId,
  by: { readonly now: Instant; readonly hops: number },
): Promise<Taken | Held> {
  const key = limiterControlKey(state.cluster, limiter);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const taken = await takeFree(state, limiter, by);
    if (taken) return taken;
    const asked = await state.table.write({ kind: 'Update', key, change: { add: { wanted: 1 } } });
    // Otherwise the holder has ended in between: it did not see this request, and no other invocation would look before the sweep.
    if (asked.row?.leaseUntil !== undefined) return { kind: 'Held', hops: Number(asked.row.hops ?? 0) };
  }
  throw new Error(`the lease of limiter ${limiter} was taken and ended ${attempts} times while it was asked for`);
}

/** `undefined` where another invocation holds it. */
async function takeFree(
  state: State,
  limiter: LimiterId,
  by: { readonly now: Instant; readonly hops: number },
): Promise<Taken | undefined> {
  const key = limiterControlKey(state.cluster, limiter);
  const until = by.now + leaseDuration;
  const set = { leaseUntil: until, hops: by.hops };
  const change = { set, add: { wanted: 1, term: 1 }, remove: ['successor'] };
  const free = any(absent('leaseUntil'), compare('successor', '=', by.hops));
  const result = await state.table.write({ kind: 'Update', key, change, when: free });
  if (result.kind === 'Written') return { kind: 'Taken', limiter, until, ...numbersOf(result.row) };
  if (Number(result.row?.leaseUntil ?? by.now) >= by.now) return undefined;
  const ranOut = all(compare('leaseUntil', '<', by.now), compare('term', '=', numbersOf(result.row).term));
  const over = await state.table.write({ kind: 'Update', key, change, when: ranOut });
  return over.kind === 'Written'
    ? { kind: 'Taken', isTakenOver: true, limiter, until, ...numbersOf(over.row) }
    : undefined;
}

/** `Lost`: the lease expired, and another invocation has taken it. */
export async function renewLease(state: State, lease: Lease, now: Instant): Promise<Lease | 'Lost'> {
  const until = now + leaseDuration;
  const key = limiterControlKey(state.cluster, lease.limiter);
  const when = compare('term', '=', lease.term);
  const result = await state.table.write({ kind: 'Update', key, change: { set: { leaseUntil: until } }, when });
  return result.kind === 'Written' ? { ...lease, until } : 'Lost';
}

/** Ends the lease. `Wanted`: another step has asked in the meantime; the caller keeps the lease and looks again. */
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
 * Ends the lease of a holder whose time is up. With `successor` only the message with this `hops` may take the lease: other
 * messages for the limiter are still queued, and would delay limiters that wait for their first invocation. If that message is
 * lost, the limiter is idle for the rest of the lease.
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

/** Whether this caller is the first to request a retry after a failure; until `at` no other caller sends one. */
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

/** Whether this caller is the first until `until`, or at this rate, to send the delayed messages of a slow limiter. */
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
