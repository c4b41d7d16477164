// Of several changes of one pod or claim in a batch, only the newest must be stored.
import type { SingleChange } from '../../model/change.ts';
import { compareResourceVersions } from '../../model/identity.ts';

/**
 * For each change, the index of the change that replaces it: a newer version of the same pod or claim, by kind and UID, or itself.
 * An older one would be stale at once. Rules and slices are not skipped, because their earlier versions are recorded too.
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

/** For equal versions, the deletion is newer. */
function isNewer(a: SingleChange, b: SingleChange): boolean {
  if (!('object' in a) || !('object' in b)) return false;
  const versions = compareResourceVersions(a.object.resourceVersion, b.object.resourceVersion);
  return versions !== 0 ? versions > 0 : a.type === 'Deleted' && b.type === 'Upserted';
}
