// What stages tell one another: what to look at, never what to do.
import type { EvictionTask, LimiterId } from './eviction.ts';
import type { ClusterName } from './identity.ts';
import type { RuleRef } from './rule.ts';
import type { EventToRecord } from './status.ts';

export interface ReconcileMessage {
  readonly cluster: ClusterName;
  /** `namespace/name` of pods. */
  readonly pods: readonly string[];
  readonly fanout?: { readonly rule: string; readonly epoch: string; readonly chunk: string };
}

export interface PaceMessage {
  readonly cluster: ClusterName;
  readonly limiter: LimiterId;
  /** How often the evictor has given a slot back in this chain of messages; absent means never. */
  readonly hops?: number;
}

export interface EvictMessage {
  readonly cluster: ClusterName;
  readonly limiter: LimiterId;
  readonly tasks: readonly EvictionTask[];
  readonly hops?: number;
}

export interface ReportMessage {
  readonly cluster: ClusterName;
  /** Of a rule, or of a DeviceTaintSlice. */
  readonly rule: RuleRef;
  /** Only its plan is to be looked at again: upstream's preview is counted once per version of the rule. */
  readonly plan?: true;
}

/** Travels on the report queue. */
export interface ReleaseMessage {
  readonly cluster: ClusterName;
  /** `namespace/name`. */
  readonly claim: string;
}

/** Travels on the report queue. */
export interface EventMessage {
  readonly cluster: ClusterName;
  readonly event: EventToRecord;
}
