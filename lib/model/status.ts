// Conditions and Events as values, before they are written.
import type { PodRef, Uid } from './identity.ts';
import type { ObjectKind } from './projection.ts';
import type { EventReason } from './reasons.ts';
import type { Instant } from './time.ts';

/** The fields of metav1.Condition that Sluice writes. */
export interface RuleCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: Instant;
}

/** A core/v1 Event on a pod, a claim, a rule or a policy. `name` is derived from what happened, so a repeat is the same Event. */
export interface EventToRecord {
  readonly name: string;
  readonly regarding:
    | PodRef
    | (PodRef & { readonly kind: 'ResourceClaim' })
    | { readonly kind: ObjectKind; readonly namespace?: string; readonly name: string; readonly uid: Uid };
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
  readonly at: Instant;
}
