// Where a pod stands among those that wait at one limiter, and with whom it goes.
import type { Ledger, Listing } from '../model/eviction.ts';
import type { Pod } from '../model/objects.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { farFuture } from '../model/time.ts';
import { groupOf } from './group.ts';
import { evictionOrder } from './limiter.ts';

/** The same listing with the place and the group that the policy of its limiter gives the pod; without one its priority and age decide. */
export function inLine(
  listing: Listing,
  pod: Pod,
  policy: Pick<EvictionPolicy, 'order' | 'groupBy'> | undefined,
): Listing {
  const group = policy?.groupBy === undefined ? undefined : groupOf(pod, policy.groupBy);
  return {
    ...listing,
    ...(policy?.order === 'DueTime' ? { order: `${dueText(listing.dueAt)}.${evictionOrder(pod)}` } : {}),
    ...(group === undefined ? {} : { group }),
  };
}

/** Sixteen digits hold every instant up to the far future; an earlier one than 1970 counts as 1970. */
function dueText(at: number): string {
  return String(Math.min(Math.max(0, Math.round(at)), farFuture)).padStart(16, '0');
}

/** Smaller goes first; pods of the same place go by UID. */
export function placeAt({ order, podUid }: Pick<Ledger, 'order' | 'podUid'>, listing: Listing): string {
  return `${listing.order ?? order}#${podUid}`;
}
