// How much later than its own time a taint evicts, because its policy wants to see it stand first.
import type { EvictionPolicy } from '../model/policy.ts';
import type { StandingTaint, TaintDelay } from '../model/standing.ts';
import { farFuture, type Instant } from '../model/time.ts';

export interface Delayed {
  /** The taint evicts no pod before it. */
  readonly notBefore: Instant;
  readonly delay: TaintDelay;
}

/** Whether a policy asks how long taints have stood, or how many came at once. */
export function asksForAge({ minimumAge = 0, healthyDelay = 0, observer }: EvictionPolicy): boolean {
  return minimumAge > 0 || healthyDelay > 0 || observer !== undefined;
}

/** The taint of a rule has stood since its own time, or since the rule was first seen to evict by it, if that was later. */
export function ruleDelay(
  policy: EvictionPolicy | undefined,
  by: { readonly timeAdded: Instant | undefined; readonly actingSince: Instant | undefined },
): Delayed | undefined {
  const since = Math.max(by.timeAdded ?? 0, by.actingSince ?? 0);
  return policy && aged(policy, since);
}

/**
 * The taint of a slice has stood since its own time, or since it was first seen, if that was later. One that came back within
 * `healthyDelay` of going flaps: it has to stand for that long again. A taint that has not been seen to stand yet waits; so does one
 * of a wave, for an approval.
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
