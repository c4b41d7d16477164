// Caches whether the pods that a rule or taint matches are approved: counted at most once a second per process.

import { remembered } from '../memory.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { StepDependencies } from './step.ts';

/** The evict stage asks for each pod; the count is not repeated for each. */
const remembersFor: Milliseconds = 1000;

/**
 * Additional cache time per counted pod, used only while the count holds pods: 10 seconds for 100,000 pods, so that counting takes
 * a part of the time. A count that lets pods be evicted is used for one second, because more pods may match by then.
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

/** Returns a cached count that is recent enough, or starts one. */
export async function recently(
  { memory, clock }: Pick<StepDependencies, 'memory' | 'clock'>,
  key: string,
  find: () => Promise<Counted>,
): Promise<Counted> {
  const counted = remembered<Kept>(memory, 'found');
  const asked = clock.now();
  for (let kept = counted.get(key); kept; ) {
    const found = await kept.found;
    // A count may take longer than its cache time; a caller that waited for the whole count may still use it.
    if (kept.at > asked - usableFor(found) && kept.at <= clock.now()) return found;
    // Another caller that waited may have started the next count already.
    const latest = counted.get(key);
    if (latest === kept) break;
    kept = latest;
  }
  const begun: Kept = { at: clock.now(), found: find() };
  if (counted.size > 1000) counted.clear();
  counted.set(key, begun);
  // Do not cache a failed count.
  begun.found.catch(() => {
    if (counted.get(key) === begun) counted.delete(key);
  });
  return begun.found;
}

function usableFor({ isUnapproved, pods }: Counted): Milliseconds {
  return isUnapproved ? Math.max(remembersFor, perPod * pods) : remembersFor;
}
