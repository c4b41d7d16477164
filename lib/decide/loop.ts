// Whether evicting a pod is of use, or its owner's pods keep coming back to the same tainted device.
import type { LimiterId, Listing, Loop } from '../model/eviction.ts';
import { deviceKey } from '../model/identity.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { farFuture, type Instant, type Milliseconds } from '../model/time.ts';
import type { Reason } from '../model/verdict.ts';
import { limiterOf } from './limiter.ts';

export interface LoopLimits {
  readonly limit: number;
  readonly window: Milliseconds;
}

/** Three times in ten minutes unless a policy sets other values; `undefined` where its limit is 0. */
export function loopLimitsOf(
  policy: Pick<EvictionPolicy, 'loopLimit' | 'loopWindow'> | undefined,
): LoopLimits | undefined {
  const { loopLimit: limit = 3, loopWindow: window = 600_000 } = policy ?? {};
  return limit > 0 ? { limit, window } : undefined;
}

export type Round =
  /** The pod was there when the last one was evicted: it goes with it, and is not counted. */
  | { readonly kind: 'Same' }
  /** It came after that: `times` are those that count from now on. */
  | { readonly kind: 'Next'; readonly times: readonly Instant[] }
  | { readonly kind: 'Loop'; readonly times: number; readonly until: Instant };

/**
 * Many pods of one owner may share a device, and going together is no loop: only those count that were created after the last
 * eviction that counted. Creation times are whole seconds, so of several rounds within a second one counts.
 */
export function roundOf(
  times: readonly Instant[],
  by: { readonly limits: LoopLimits; readonly createdAt: Instant | undefined; readonly now: Instant },
): Round {
  const { limit, window } = by.limits;
  const recent = times.filter((at) => by.now - at < window).sort((a, b) => a - b);
  const last = recent.at(-1);
  // Stryker disable next-line ConditionalExpression,LogicalOperator: what is absent is not before anything
  if (last !== undefined && by.createdAt !== undefined && by.createdAt <= last) return { kind: 'Same' };
  // Of the last `limit` ones; there is none where fewer count.
  const first = recent.at(-limit);
  if (first !== undefined) return { kind: 'Loop', times: recent.length, until: Math.min(first + window, farFuture) };
  return { kind: 'Next', times: [...recent, by.now] };
}

/** Most of a pod's devices that one round is counted for. */
const devicesCounted = 16;

/** The devices, each `driver|pool|device`, whose taints evict a pod under a limiter. */
export function devicesUnder(limiter: LimiterId, because: readonly Reason[]): readonly string[] {
  const mine = because.filter((reason) => limiterOf(reason) === limiter);
  return [...new Set(mine.map(({ device }) => deviceKey(device)))].sort().slice(0, devicesCounted);
}

/** The loops of a ledger that still keep the pod somewhere. */
export function loopsAt(loops: readonly Loop[], listings: readonly Listing[], now: Instant): readonly Loop[] {
  return loops.filter(({ limiter, until }) => until > now && listings.some((one) => one.limiter === limiter));
}

/** A loop moves the due time at its limiter, and at no other. */
export function keptBy(listing: Listing, loops: readonly Loop[]): Listing {
  const until = loops.find(({ limiter }) => limiter === listing.limiter)?.until;
  return until === undefined ? listing : { ...listing, dueAt: Math.max(listing.dueAt, until) };
}
