// Detects eviction loops: the owner's new pods keep returning to the same tainted device.
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

/** Default: 3 evictions in 10 minutes; a policy can change both. `undefined` if the policy's limit is 0. */
export function loopLimitsOf(
  policy: Pick<EvictionPolicy, 'loopLimit' | 'loopWindow'> | undefined,
): LoopLimits | undefined {
  const { loopLimit: limit = 3, loopWindow: window = 600_000 } = policy ?? {};
  return limit > 0 ? { limit, window } : undefined;
}

export type Round =
  /** The pod already existed at the last counted eviction: it is evicted too, and not counted. */
  | { readonly kind: 'Same' }
  /** The pod was created after the last counted eviction. `times`: the evictions to store from now on. */
  | { readonly kind: 'Next'; readonly times: readonly Instant[] }
  | { readonly kind: 'Loop'; readonly times: number; readonly until: Instant };

/**
 * Many pods of one owner may share a device, and evicting them together is not a loop: an eviction counts only if the pod was created after
 * the last counted one. Creation times are whole seconds, so of several rounds within a second one counts.
 */
export function roundOf(
  times: readonly Instant[],
  by: { readonly limits: LoopLimits; readonly createdAt: Instant | undefined; readonly now: Instant },
): Round {
  const { limit, window } = by.limits;
  const recent = times.filter((at) => by.now - at < window).sort((a, b) => a - b);
  const last = recent.at(-1);
  // Stryker disable next-line ConditionalExpression,LogicalOperator: every comparison with undefined is false
  if (last !== undefined && by.createdAt !== undefined && by.createdAt <= last) return { kind: 'Same' };
  // The oldest of the last `limit` evictions; undefined if there are fewer.
  const first = recent.at(-limit);
  if (first !== undefined) return { kind: 'Loop', times: recent.length, until: Math.min(first + window, farFuture) };
  return { kind: 'Next', times: [...recent, by.now] };
}

/** How many of a pod's devices are counted per round. */
const devicesCounted = 16;

/** Devices (`driver|pool|device`) whose taints evict the pod under a limiter. */
export function devicesUnder(limiter: LimiterId, because: readonly Reason[]): readonly string[] {
  const mine = because.filter((reason) => limiterOf(reason) === limiter);
  return [...new Set(mine.map(({ device }) => deviceKey(device)))].sort().slice(0, devicesCounted);
}

/** The ledger's loops that still delay the pod at one of its limiters. */
export function loopsAt(loops: readonly Loop[], listings: readonly Listing[], now: Instant): readonly Loop[] {
  return loops.filter(({ limiter, until }) => until > now && listings.some((one) => one.limiter === limiter));
}

/** A loop delays the due time at its own limiter only. */
export function keptBy(listing: Listing, loops: readonly Loop[]): Listing {
  const until = loops.find(({ limiter }) => limiter === listing.limiter)?.until;
  return until === undefined ? listing : { ...listing, dueAt: Math.max(listing.dueAt, until) };
}
