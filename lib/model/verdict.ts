// The verdict of `evaluate` on one pod, with all reasons.
import type { DeviceId, NamespacedName, Uid } from './identity.ts';
import { type PacedTaint, type RuleRef, ruleLimiter, ruleRef } from './rule.ts';
import type { TaintDelay } from './standing.ts';
import type { Instant } from './time.ts';

/** The rule or slice that a taint comes from. */
export type TaintOrigin =
  | {
      readonly kind: 'Rule';
      /** Absent: a DeviceTaintRule. */
      readonly ruleKind?: 'PacedTaintRule';
      readonly name: string;
      readonly uid: Uid;
      readonly generation: number;
    }
  | {
      readonly kind: 'Slice';
      /** Absent: a ResourceSlice. */
      readonly sliceKind?: 'DeviceTaintSlice';
      readonly name: string;
      readonly index: number;
    };

/** A taint that a pod does not tolerate, or tolerates for a limited time. */
export interface Reason {
  readonly origin: TaintOrigin;
  readonly taint: PacedTaint;
  readonly device: DeviceId;
  readonly claim: NamespacedName;
  /** When this taint alone would evict the pod: timeAdded plus the smallest tolerationSeconds, later if a policy delays it. */
  readonly at: Instant;
  /** The delay by a policy. */
  readonly delay?: TaintDelay;
}

/** `isPassing`: the verdict will change soon, so no Event about the kept pod is written yet. */
export type Verdict =
  /** No untolerated NoExecute taint reaches the pod. */
  | { readonly kind: 'Keep'; readonly isPassing?: true }
  /** The pod is due at `at`, the smallest of its reasons' times. `because` is never empty. */
  | { readonly kind: 'EvictAt'; readonly at: Instant; readonly because: readonly Reason[] }
  /** Undecidable: the pod is kept, and `why` is reported. */
  | { readonly kind: 'Unknown'; readonly why: string; readonly isPassing?: true };

/** Ref of the rule; `undefined` for a slice taint. */
export function refOf(origin: TaintOrigin): RuleRef | undefined {
  return origin.kind === 'Rule'
    ? ruleRef({ kind: origin.ruleKind ?? 'DeviceTaintRule', name: origin.name })
    : undefined;
}

/** In words: `DeviceTaintRule bad-gpus`. */
export function describeOrigin(origin: TaintOrigin): string {
  return origin.kind === 'Rule'
    ? `${origin.ruleKind ?? 'DeviceTaintRule'} ${origin.name}`
    : `${origin.sliceKind ?? 'ResourceSlice'} ${origin.name}`;
}

/**
 * Identity of an origin: rules by UID, slice taints by driver, key, value and effect. Agent taints with the same rate of their own share a
 * limiter.
 */
export function originKey(reason: Reason): string {
  const { origin } = reason;
  if (origin.kind === 'Rule')
    return ruleLimiter({ kind: origin.ruleKind ?? 'DeviceTaintRule', uid: origin.uid, taint: reason.taint });
  return sliceLimiter(reason.device.driver, reason.taint);
}

/** Limiter of a slice taint. */
export function sliceLimiter(
  driver: string,
  { key, value = '', effect, evictionsPerSecond, burst }: PacedTaint,
): string {
  const shared = `slice|${driver}|${key}|${value}|${effect}`;
  if (evictionsPerSecond === undefined && burst === undefined) return shared;
  return `${shared}|${evictionsPerSecond ?? ''}/${burst ?? ''}`;
}
