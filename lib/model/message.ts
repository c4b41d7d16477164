// What stages tell one another: what to look at, never what to do.
import type { EvictionTask, LimiterId } from './eviction.ts';
import type { ClusterName } from './identity.ts';
import type { ObjectKind } from './projection.ts';
import type { RuleRef } from './rule.ts';
import type { EventToRecord } from './status.ts';
import type { Instant, Milliseconds } from './time.ts';

export interface ReconcileMessage {
  readonly cluster: ClusterName;
  /** `namespace/name` of pods. */
  readonly pods: readonly string[];
  /** Of a fan-out; it is open until its pods are evaluated (lib/state/chunkRows.ts). */
  readonly chunk?: { readonly cause: string; readonly epoch: string; readonly id: string };
}

export interface PaceMessage {
  readonly cluster: ClusterName;
  readonly limiter: LimiterId;
  /** How often the evictor has given a slot back in this chain of messages; absent means never. */
  readonly hops?: number;
  /** How often of these because the slot had passed. A release before this one drops it. */
  readonly late?: number;
}

export interface EvictMessage {
  readonly cluster: ClusterName;
  readonly limiter: LimiterId;
  readonly tasks: readonly EvictionTask[];
  /** Both as in the message that had the slots given. */
  readonly hops?: number;
  readonly late?: number;
}

/** Enough for a function that starts cold behind a queue that is seconds behind. */
const earlierEachTime = 3000;

const earliest = 6000;

/**
 * How long before its first slot a message is meant to come. After a slot that passed before its message came the next ones are told
 * of earlier, and once more so: a limiter with a backlog has given its slots far ahead, and a queue that is always behind would
 * otherwise lose every one of them.
 */
export function leadOf({ late = 0 }: Pick<EvictMessage, 'late'>): Milliseconds {
  return Math.min(late * earlierEachTime, earliest);
}

/** When a message is meant to come, which has at least one task. */
export function meantFor(message: Pick<EvictMessage, 'late' | 'tasks'>): Instant {
  return Math.min(...message.tasks.map(({ slot }) => slot)) - leadOf(message);
}

export interface ReportMessage {
  readonly cluster: ClusterName;
  /** Of a rule, or of a DeviceTaintSlice. */
  readonly rule: RuleRef;
  /** Only its plan is to be looked at again: upstream's preview is counted once per version of the rule. */
  readonly plan?: true;
}

/** An object that the mirror expects, by its key in manifests. */
export interface RequestedObject {
  readonly kind: ObjectKind;
  readonly key: string;
}

/** To the watcher of a cluster: these are to be sent again, or said to be absent. */
export interface ResendMessage {
  readonly cluster: ClusterName;
  readonly objects: readonly RequestedObject[];
}

/** To the stage that keeps the mirror: these rows are due. */
export interface DueMessage {
  readonly cluster: ClusterName;
  readonly rows: readonly { readonly pk: string; readonly sk: string }[];
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
