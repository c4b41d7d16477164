// Of several changes of one pod or claim in a batch only the newest has to be taken in.
import type { SingleChange } from '../../model/change.ts';
import { compareResourceVersions } from '../../model/identity.ts';

/**
 * For each change the position of the one that stands for it: a newer version of the same pod or claim, by kind and UID, or itself.
 * The others would be stale the moment after. Of rules and slices older states are remembered, so that each of theirs counts.
 */
export function newestOf(changes: readonly SingleChange[]): readonly number[] {
  const newest = new Map<string, { readonly change: SingleChange; readonly at: number }>();
  for (const [at, change] of changes.entries()) {
    const key = keyOf(change);
    const known = key === undefined ? undefined : newest.get(key);
    if (key !== undefined && !(known && isNewer(known.change, change))) newest.set(key, { change, at });
  }
  return changes.map((change, at) => newest.get(keyOf(change) ?? '')?.at ?? at);
}

function keyOf(change: SingleChange): string | undefined {
  if (change.type !== 'Upserted' && change.type !== 'Deleted') return undefined;
  const { kind, uid } = change.object;
  return kind === 'Pod' || kind === 'ResourceClaim' ? `${kind}|${uid}` : undefined;
}

/** Of the same version the deletion counts. */
function isNewer(a: SingleChange, b: SingleChange): boolean {
  if (!('object' in a) || !('object' in b)) return false;
  const versions = compareResourceVersions(a.object.resourceVersion, b.object.resourceVersion);
  return versions !== 0 ? versions > 0 : a.type === 'Deleted' && b.type === 'Upserted';
}
