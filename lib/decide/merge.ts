// Which version of an object is kept when its changes arrive late, twice or in another order.
import { compareResourceVersions, type ResourceVersion } from '../model/identity.ts';

/** `Same` is a redelivery: the row stands, but what it asked for may not have been done yet (a crash after the write). */
export type Freshness = 'Newer' | 'Same' | 'Older';

/** By resourceVersion alone: a deletion and a successor of the same name carry later versions than what they end. */
export function newerThan(
  stored: { readonly resourceVersion: ResourceVersion } | undefined,
  incoming: { readonly resourceVersion: ResourceVersion },
): Freshness {
  if (!stored) return 'Newer';
  switch (compareResourceVersions(stored.resourceVersion, incoming.resourceVersion)) {
    case -1:
      return 'Newer';
    case 0:
      return 'Same';
    default:
      return 'Older';
  }
}
