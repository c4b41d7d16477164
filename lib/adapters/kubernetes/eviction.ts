// What a pod, as the API server shows it, tells about its own eviction by Sluice.
import { dueCondition } from '../../contract.ts';
import type { Uid } from '../../model/identity.ts';
import type { Instant } from '../../model/time.ts';
import { instantOf, listOf, numberOf, objectOf, textOf } from './read.ts';

/** A pod that Sluice has marked. */
export interface MarkedPod {
  readonly uid: Uid;
  readonly due: Instant;
  /** The whole second in which its DELETE was answered; absent until then, and for a pod that went without any grace. */
  readonly deletedAt?: Instant;
}

/** `undefined` for every other pod, those of the in-tree controller and of the Eviction API included. */
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
