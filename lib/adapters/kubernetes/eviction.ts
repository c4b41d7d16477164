// Reads from a pod object how far Sluice's eviction of the pod is.
import { dueCondition } from '../../contract.ts';
import type { Uid } from '../../model/identity.ts';
import type { Instant } from '../../model/time.ts';
import { instantOf, listOf, numberOf, objectOf, textOf } from './read.ts';

/** A pod with Sluice's condition. */
export interface MarkedPod {
  readonly uid: Uid;
  readonly due: Instant;
  /** When the DELETE was accepted, in whole seconds; absent before, and for a pod deleted without a grace period. */
  readonly deletedAt?: Instant;
}

/** `undefined` for all other pods, including those of the in-tree controller and of the Eviction API. */
export function readMarkedPod(value: unknown): MarkedPod | undefined {
  const pod = objectOf(value);
  const metadata = objectOf(pod.metadata);
  const uid = textOf(metadata.uid);
  const condition = listOf(objectOf(pod.status).conditions).find((one) => one.type === dueCondition);
  const due = instantOf(condition?.lastTransitionTime);
  if (uid === undefined || condition?.status !== 'True' || due === undefined) return undefined;
  const ends = instantOf(metadata.deletionTimestamp);
  if (ends === undefined) return { uid, due };
  return { uid, due, deletedAt: ends - (numberOf(metadata.deletionGracePeriodSeconds) ?? 0) * 1000 };
}
