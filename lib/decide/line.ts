// A pod's place in a limiter's backlog, and the group it is evicted with.
import type { Ledger, Listing } from '../model/eviction.ts';
import type { Pod } from '../model/objects.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { farFuture } from '../model/time.ts';
import { groupOf } from './group.ts';
import { evictionOrder } from './limiter.ts';

/** The listing with the order and group from the limiter's policy; without a policy the order is by priority and age. */
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

/** Sixteen digits hold every instant up to the far future; times before 1970 count as 1970. */
function dueText(at: number): string {
  return String(Math.min(Math.max(0, Math.round(at)), farFuture)).padStart(16, '0');
}

/** Sorts as text: smaller is evicted first; equal orders are sorted by UID. */
export function placeAt({ order, podUid }: Pick<Ledger, 'order' | 'podUid'>, listing: Listing): string {
  return `${listing.order ?? order}#${podUid}`;
}
