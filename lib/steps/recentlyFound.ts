// Whether what a rule or a taint matches is approved, counted at most once a second by a process that asks for each of its pods.

import { remembered } from '../memory.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { StepDependencies } from './step.ts';

/** A step that lists all pods does not count again for each pod. */
const remembersFor: Milliseconds = 1000;

/**
 * And, where it keeps pods, for so much longer with each pod that was counted: of 100,000 ten seconds, so that counting takes a part of
 * the time. A count under which pods are evicted is used for one second only: more pods may match by then.
 */
const perPod: Milliseconds = 0.1;

export interface Counted {
  readonly isUnapproved: boolean;
  readonly pods: number;
}

interface Kept {
  readonly at: Instant;
  readonly found: Promise<Counted>;
}

/** A count that was begun before the caller asked, and recently enough, or one that begins now. */
export async function recently(
  { memory, clock }: Pick<StepDependencies, 'memory' | 'clock'>,
  key: string,
  find: () => Promise<Counted>,
): Promise<Counted> {
  const counted = remembered<Kept>(memory, 'found');
  const asked = clock.now();
  for (let kept = counted.get(key); kept; ) {
    const found = await kept.found;
    // However long it took to count: who waited for it from the beginning has what was asked for.
    if (kept.at > asked - usableFor(found) && kept.at <= clock.now()) return found;
    // Another one that waited for it may have begun to count again.
    const latest = counted.get(key);
    if (latest === kept) break;
    kept = latest;
  }
  const begun: Kept = { at: clock.now(), found: find() };
  if (counted.size > 1000) counted.clear();
  counted.set(key, begun);
  // A count that failed is not kept.
  begun.found.catch(() => {
    if (counted.get(key) === begun) counted.delete(key);
  });
  return begun.found;
}

function usableFor({ isUnapproved, pods }: Counted): Milliseconds {
  return isUnapproved ? Math.max(remembersFor, perPod * pods) : remembersFor;
}
