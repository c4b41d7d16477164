// The delay a policy adds to a taint's own time: minimum age, healthy delay, observer check.
import type { EvictionPolicy } from '../model/policy.ts';
import type { StandingTaint, TaintDelay } from '../model/standing.ts';
import { farFuture, type Instant } from '../model/time.ts';

export interface Delayed {
  /** The taint evicts no pod before it. */
  readonly notBefore: Instant;
  readonly delay: TaintDelay;
}

/** Whether a policy needs the age of taints, or the number that appeared at once. */
export function asksForAge({ minimumAge = 0, healthyDelay = 0, observer }: EvictionPolicy): boolean {
  return minimumAge > 0 || healthyDelay > 0 || observer !== undefined;
}

/** A rule's taint counts from its own time or from when the rule was first seen with effect NoExecute, whichever is later. */
export function ruleDelay(
  policy: EvictionPolicy | undefined,
  by: { readonly timeAdded: Instant | undefined; readonly actingSince: Instant | undefined },
): Delayed | undefined {
  const since = Math.max(by.timeAdded ?? 0, by.actingSince ?? 0);
  return policy && aged(policy, since);
}

/**
 * A slice taint counts from its own time or from when it was first seen, whichever is later. A taint that returns within `healthyDelay` of
 * its removal is a flap: it must be present for `healthyDelay` again. A taint not yet recorded as present does not evict; a taint of a wave
 * does not evict until the wave is approved.
 */
export function sliceDelay(
  policy: EvictionPolicy | undefined,
  by: {
    readonly timeAdded: Instant | undefined;
    readonly seen: StandingTaint | undefined;
    readonly isHeld: (policy: EvictionPolicy) => boolean;
  },
): Delayed | undefined {
  if (!policy || !asksForAge(policy)) return undefined;
  const { seen } = by;
  if (by.isHeld(policy)) return { notBefore: farFuture, delay: { reason: 'BrokenObserver', policy: policy.name } };
  if (!seen || seen.liftedAt !== undefined)
    return { notBefore: farFuture, delay: { reason: 'NotSeenYet', policy: policy.name } };
  const old = aged(policy, Math.max(by.timeAdded ?? 0, seen.since));
  const calm = calmed(policy, seen);
  return calm && calm.notBefore > (old?.notBefore ?? 0) ? calm : old;
}

function aged({ name, minimumAge = 0 }: EvictionPolicy, since: Instant): Delayed | undefined {
  if (minimumAge <= 0) return undefined;
  return { notBefore: Math.min(since + minimumAge, farFuture), delay: { reason: 'MinimumAge', policy: name } };
}

function calmed({ name, healthyDelay = 0 }: EvictionPolicy, { since, healedAt }: StandingTaint): Delayed | undefined {
  if (healedAt === undefined || since - healedAt >= healthyDelay) return undefined;
  return { notBefore: Math.min(since + healthyDelay, farFuture), delay: { reason: 'HealthyDelay', policy: name } };
}
