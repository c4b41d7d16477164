// Detects in one object a trace of an active in-tree device-taint-eviction-controller.
import { dueCondition } from '../../contract.ts';
import type { InTreeSeen } from '../../model/ownership.ts';
import type { ObjectKind } from '../../model/projection.ts';
import { ownsConditions } from './ownership.ts';
import { instantOf, type Json, listOf, objectOf, textOf } from './read.ts';

/** Reason of the DisruptionTarget condition that upstream's controller sets on a pod before deleting it (KEP-5055). */
const inTreeReason = 'DeletionByDeviceTaintManager';

/** A trace without a readable time counts as the oldest possible. Native rules created by Sluice can carry traces too. */
export function inTreeTraceOf(kind: ObjectKind, value: unknown): InTreeSeen | undefined {
  const object = objectOf(value);
  if (kind === 'DeviceTaintRule') return traceOfRule(object);
  return kind === 'Pod' ? traceOfPod(object) : undefined;
}

function traceOfRule({ metadata }: Json): InTreeSeen | undefined {
  const { managedFields, name } = objectOf(metadata);
  const entry = listOf(managedFields).find(ownsConditions);
  if (!entry) return undefined;
  return { at: instantOf(entry.time) ?? 0, evidence: `it manages the conditions of DeviceTaintRule ${textOf(name)}` };
}

function traceOfPod(pod: Json): InTreeSeen | undefined {
  const mark = markInTree(pod);
  if (!mark) return undefined;
  const { namespace, name } = objectOf(pod.metadata);
  return {
    at: instantOf(mark.lastTransitionTime) ?? 0,
    evidence: `it marked pod ${textOf(namespace)}/${textOf(name)}`,
  };
}

/** Sluice sets the same condition, plus one of its own that distinguishes its pods. */
export function markInTree(pod: Json): Json | undefined {
  const conditions = listOf(objectOf(pod.status).conditions).filter(({ status }) => status === 'True');
  if (conditions.some(({ type }) => type === dueCondition)) return undefined;
  return conditions.find(({ type, reason }) => type === 'DisruptionTarget' && reason === inTreeReason);
}
