// Inter-stage messages. They are hints (level-triggered), never commands.
import type { LimiterId } from './eviction.ts';
import type { ClusterId } from './identity.ts';
import type { ObjectKind } from './projection.ts';
import type { RuleRef } from './rule.ts';
import type { EventToRecord } from './status.ts';

export interface EvaluateMessage {
  readonly cluster: ClusterId;
  /** Pods as `namespace/name`. */
  readonly pods: readonly string[];
  /** The chunk of a fan-out; it stays open until its pods are evaluated (lib/state/fanOutRows.ts). */
  readonly chunk?: { readonly cause: string; readonly epoch: string; readonly id: string };
}

/** A limiter at which pods may be due. */
export interface EvictMessage {
  readonly cluster: ClusterId;
  readonly limiter: LimiterId;
  /** How many invocations have passed the limiter on since the sweep or an evaluation sent it; absent means 0. */
  readonly hops?: number;
  /** Consecutive retries that failed; absent means 0. */
  readonly retries?: number;
}

export interface ReportMessage {
  readonly cluster: ClusterId;
  /** Ref of a rule, a DeviceTaintSlice or an EvictionPolicy. */
  readonly rule: RuleRef;
  /** Only its plan has changed. Upstream's preview is counted once per generation of the rule. */
  readonly plan?: true;
}

/** An object that the mirror expects, by its manifest key. */
export interface RequestedObject {
  readonly kind: ObjectKind;
  readonly key: string;
}

/** To the watcher of a cluster: send these objects again, or report them as absent. */
export interface ResendMessage {
  readonly cluster: ClusterId;
  readonly objects: readonly RequestedObject[];
}

/** From the sweep to the stage that handles them: rows that are due. Each row contains what to do. */
export interface DueMessage {
  readonly cluster: ClusterId;
  readonly rows: readonly { readonly pk: string; readonly sk: string }[];
}

/** Sent through the report queue. */
export interface EventMessage {
  readonly cluster: ClusterId;
  readonly event: EventToRecord;
}
