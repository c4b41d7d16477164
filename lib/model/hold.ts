// Why pods stay although a taint would have them go.
import type { holdReasons } from './reasons.ts';

export interface Hold {
  readonly reason: keyof typeof holdReasons;
  /** A sentence for the rule's condition. */
  readonly message: string;
}

/** How the message of a pause begins; its names follow. */
export const pausedBy = 'Paused by ';

/** Whether a person's approval ends it. */
export function awaitsApproval(hold: Pick<Hold, 'reason'> | undefined): boolean {
  return hold !== undefined && ['AwaitingApproval', 'PlanGrew', 'OverLimits', 'PolicyGone'].includes(hold.reason);
}

/** The digest of what a person has looked at and lets go; on a rule, or on a policy for taints in slices. */
export const approveAnnotation = 'sluice.dev/approve';
