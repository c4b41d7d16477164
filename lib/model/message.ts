// What stages tell one another: what to look at, never what to do.
import type { EvictionTask, LimiterId } from './eviction.ts';
import type { ClusterName } from './identity.ts';
import type { RuleRef } from './rule.ts';
import type { EventToRecord } from './status.ts';
import type { Milliseconds } from './time.ts';

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
  /** As in the message that had the slots given. */
  readonly hops?: number;
}

/** Long enough for a function that starts cold and a queue that is seconds behind; an evictor waits so long at no great cost. */
const earlierEachTime = 4000;

const earliest = 8000;

/**
 * How long before its first slot a message is meant to come. A pod whose slot passed before its message came is told of the next
 * one earlier, and once more so, since the next may lie far behind all that others have been given.
 */
export function leadOf({ hops = 0 }: EvictMessage): Milliseconds {
  return Math.min(hops * earlierEachTime, earliest);
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
