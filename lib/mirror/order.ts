// Decides which of two statements about an object is newer: only by UID and resourceVersion, never by a clock or the sender.
import type { ResourceVersion, Uid } from '../model/identity.ts';

/**
 * `Live`: the row holds the object. `Expected`: the object exists in a version that has not arrived. `Gone`: the object does not exist.
 */
export type MirrorState = 'Live' | 'Expected' | 'Gone';

/** The ordering fields of a row. `at`: the newest version at which the row is known to be correct, padded (`versionText`). */
export interface Known {
  readonly uid: Uid;
  readonly at: string;
  readonly mirror: MirrorState;
}

/** The object that a statement is about, and its version. */
export interface Seen {
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
}

/** Pads a resourceVersion so that text order is number order; int64 has at most 19 digits. */
export function versionText(resourceVersion: ResourceVersion): string {
  return resourceVersion.replace(/^0+/, '').padStart(20, '0');
}

/**
 * `Stale`: the row is newer. `Same`: a redelivery, whose first delivery may have been interrupted. `Inserts`: the object becomes
 * live; a manifest may already have reported it as gone, so the watermark of its range decides.
 */
export type Heard = 'Stale' | 'Same' | 'Newer' | 'Inserts';

/** Compares an object from a list or watch with its row. A message never revives the same UID; only a manifest does. */
export function hearShown(known: Known | undefined, seen: Seen): Heard {
  const version = versionText(seen.resourceVersion);
  if (!known) return 'Inserts';
  if (known.uid !== seen.uid) return version > known.at ? 'Inserts' : 'Stale';
  if (known.mirror === 'Gone' || version < known.at) return 'Stale';
  return version === known.at ? 'Same' : 'Newer';
}

/** Compares a DELETED event, or a version at which the object did not exist, with the row. */
export function hearGone(known: Known | undefined, seen: Seen): Exclude<Heard, 'Inserts'> {
  const version = versionText(seen.resourceVersion);
  if (!known) return 'Newer';
  if (known.uid !== seen.uid) return version > known.at ? 'Newer' : 'Stale';
  if (version < known.at) return 'Stale';
  return known.mirror === 'Gone' && version === known.at ? 'Same' : 'Newer';
}

/** Compares a row with a manifest of version `at` (padded). `entry`: what the manifest says about the key, if anything. */
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
 * Whether a row is newer than a manifest of version `at` (padded): a message overtook the manifest, or the message was wrong.
 * False where the object is gone in both.
 */
export function isAhead(known: Known, by: { readonly entry: Seen | undefined; readonly at: string }): boolean {
  return known.at > by.at && (by.entry !== undefined || known.mirror !== 'Gone');
}
