// What `evaluate` says about one pod, with every reason.
import type { DeviceId, NamespacedName, Uid } from './identity.ts';
import { type PacedTaint, type RuleRef, ruleLimiter, ruleRef } from './rule.ts';
import type { TaintDelay } from './standing.ts';
import type { Instant } from './time.ts';

/** Where a taint came from. */
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

/** One taint that a pod does not tolerate, or only for a while. */
export interface Reason {
  readonly origin: TaintOrigin;
  readonly taint: PacedTaint;
  readonly device: DeviceId;
  readonly claim: NamespacedName;
  /** When this taint alone would evict the pod: timeAdded plus the smallest tolerated seconds, later where a policy delays it. */
  readonly at: Instant;
  /** Why it is later. */
  readonly delay?: TaintDelay;
}

/** `isPassing`: Sluice is about to find out more, so no Event says yet that the pod stays. */
export type Verdict =
  /** No untolerated NoExecute taint reaches the pod. */
  | { readonly kind: 'Keep'; readonly isPassing?: true }
  /** The pod is due at `at`, the smallest of its reasons' times. Never empty reasons. */
  | { readonly kind: 'EvictAt'; readonly at: Instant; readonly because: readonly Reason[] }
  /** Cannot be decided; never evicts, and is shown. */
  | { readonly kind: 'Unknown'; readonly why: string; readonly isPassing?: true };

/** The rule among rules of all kinds; `undefined` for a taint in a slice. */
export function refOf(origin: TaintOrigin): RuleRef | undefined {
  return origin.kind === 'Rule'
    ? ruleRef({ kind: origin.ruleKind ?? 'DeviceTaintRule', name: origin.name })
    : undefined;
}

/** `DeviceTaintRule bad-gpus`, for people. */
export function describeOrigin(origin: TaintOrigin): string {
  return origin.kind === 'Rule'
    ? `${origin.ruleKind ?? 'DeviceTaintRule'} ${origin.name}`
    : `${origin.sliceKind ?? 'ResourceSlice'} ${origin.name}`;
}

/**
 * An origin's identity: rules by UID, slice taints by driver, key, value and effect across the whole driver. Taints of agents that
 * ask for a rate of their own share a bucket with those that ask for the same.
 */
export function originKey(reason: Reason): string {
  const { origin } = reason;
  if (origin.kind === 'Rule')
    return ruleLimiter({ kind: origin.ruleKind ?? 'DeviceTaintRule', uid: origin.uid, taint: reason.taint });
  return sliceLimiter(reason.device.driver, reason.taint);
}

/** That of a taint in slices. */
export function sliceLimiter(
  driver: string,
  { key, value = '', effect, evictionsPerSecond, burst }: PacedTaint,
): string {
  const shared = `slice|${driver}|${key}|${value}|${effect}`;
  if (evictionsPerSecond === undefined && burst === undefined) return shared;
  return `${shared}|${evictionsPerSecond ?? ''}/${burst ?? ''}`;
}
