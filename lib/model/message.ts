// Inter-stage messages. They are hints (level-triggered), never commands.
import type { LimiterId } from './eviction.ts';
import type { ClusterId } from './identity.ts';
import type { ObjectKind } from './projection.ts';
import type { RuleRef } from './rule.ts';
import type { EventToRecord } from './status.ts';

export interface EvaluateMessage {
  readonly cluster: ClusterId;
  /** `namespace/name` of pods. */
  readonly pods: readonly string[];
  /** Of a fan-out; it is open until its pods are evaluated (lib/state/fanOutRows.ts). */
  readonly chunk?: { readonly cause: string; readonly epoch: string; readonly id: string };
}

/** A limiter at which pods may be due. */
export interface EvictMessage {
  readonly cluster: ClusterId;
  readonly limiter: LimiterId;
  /** How many invocations have handed the limiter on since the sweep or an evaluation asked for it; absent means none. */
  readonly hops?: number;
  /** Looks in a row that followed a failure and met another one; absent means none. */
  readonly retries?: number;
}

export interface ReportMessage {
  readonly cluster: ClusterId;
  /** Of a rule, or of a DeviceTaintSlice. */
  readonly rule: RuleRef;
  /** Only its plan has changed: upstream's preview is counted once per version of the rule. */
  readonly plan?: true;
}

/** An object that the mirror expects, by its key in manifests. */
export interface RequestedObject {
  readonly kind: ObjectKind;
  readonly key: string;
}

/** To the watcher of a cluster: send these again, or say that they are absent. */
export interface ResendMessage {
  readonly cluster: ClusterId;
  readonly objects: readonly RequestedObject[];
}

/** From the sweep to the stage that looks at them: these rows are due. Each says itself what to do. */
export interface DueMessage {
  readonly cluster: ClusterId;
  readonly rows: readonly { readonly pk: string; readonly sk: string }[];
}

/** Travels on the report queue. */
export interface EventMessage {
  readonly cluster: ClusterId;
  readonly event: EventToRecord;
}
