// Why the pods of a taint are held.
import type { holdReasons } from './reasons.ts';

export interface Hold {
  readonly reason: keyof typeof holdReasons;
  /** A sentence for the rule's condition. */
  readonly message: string;
}

/** Prefix of a pause's message; the names of the pauses follow. */
export const pausedBy = 'Paused by ';

/** Whether a person's approval ends it. */
export function awaitsApproval(hold: { readonly reason: string } | undefined): boolean {
  return hold !== undefined && ['AwaitingApproval', 'PlanGrew', 'OverLimits', 'PolicyGone'].includes(hold.reason);
}

/** Annotation with the digest of the plan a person approves; on a rule, or on a policy for slice taints. */
export const approveAnnotation = 'sluice.dev/approve';
