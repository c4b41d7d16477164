// Which of two statements about an object is newer: by UID and resourceVersion alone, never by a clock or by who said it.
import type { ResourceVersion, Uid } from '../model/identity.ts';

/**
 * `Live`: the row holds the object. `Expected`: the cluster has it in a version that has not arrived. `Gone`: the cluster does not have it.
 */
export type MirrorState = 'Live' | 'Expected' | 'Gone';

/** What a row says. `at`: the version at which it is known to hold, padded (`versionText`). */
export interface Known {
  readonly uid: Uid;
  readonly at: string;
  readonly mirror: MirrorState;
}

/** Which object a statement is about, and in which version. */
export interface Seen {
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
}

/** Pads a resourceVersion so that text order is number order; int64 has at most 19 digits. */
export function versionText(resourceVersion: ResourceVersion): string {
  return resourceVersion.replace(/^0+/, '').padStart(20, '0');
}

/**
 * `Stale`: the row knows better. `Same`: a redelivery, whose first delivery may have ended half way. `Inserts`: an object becomes
 * live that was not, so a manifest may already have said that it is gone: the watermark of its range decides.
 */
export type Heard = 'Stale' | 'Same' | 'Newer' | 'Inserts';

/** What an object in a list or watch means for its row. Gone stays gone for a message: only a manifest knows better. */
export function hearShown(known: Known | undefined, seen: Seen): Heard {
  const version = versionText(seen.resourceVersion);
  if (!known) return 'Inserts';
  if (known.uid !== seen.uid) return version > known.at ? 'Inserts' : 'Stale';
  if (known.mirror === 'Gone' || version < known.at) return 'Stale';
  return version === known.at ? 'Same' : 'Newer';
}

/** What a DELETED event, or a version at which the object was not there, means for its row. */
export function hearGone(known: Known | undefined, seen: Seen): Exclude<Heard, 'Inserts'> {
  const version = versionText(seen.resourceVersion);
  if (!known) return 'Newer';
  if (known.uid !== seen.uid) return version > known.at ? 'Newer' : 'Stale';
  if (version < known.at) return 'Stale';
  return known.mirror === 'Gone' && version === known.at ? 'Same' : 'Newer';
}

/** What a manifest of version `at` (padded) makes of a row: `entry` is what it says about the key, if anything. */
export function heldAgainst(
  known: Known | undefined,
  by: { readonly entry: Seen | undefined; readonly at: string },
): 'Agrees' | 'Expected' | 'Gone' {
  const { entry, at } = by;
  if (known && known.at > at) return 'Agrees';
  if (!entry) return !known || known.mirror === 'Gone' ? 'Agrees' : 'Gone';
  const isHeld = known?.uid === entry.uid && known.mirror !== 'Gone' && known.at >= versionText(entry.resourceVersion);
  return isHeld ? 'Agrees' : 'Expected';
}

/**
 * Whether a row says anything that a manifest of version `at` (padded) cannot have known: a message that overtook it, or one that was
 * not true. What both say is gone is not asked about.
 */
export function isAhead(known: Known, by: { readonly entry: Seen | undefined; readonly at: string }): boolean {
  return known.at > by.at && (by.entry !== undefined || known.mirror !== 'Gone');
}
