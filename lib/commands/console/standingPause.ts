// Which pause a form for its end was made for: one that was ended and made again under its name meanwhile is another person's.
import type { Json } from '../../adapters/kubernetes/read.ts';
import { stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import type { PauseNote } from '../../model/note.ts';
import { findObject, uidOf } from '../cluster/objects.ts';
import { Failure } from '../failure.ts';
import { type Annotated, annotatedObject } from '../pause/annotatedPause.ts';
import { whoseText } from '../pause/note.ts';
import { annotatedRow, type PauseRow, stopRow } from '../pause/pauseRows.ts';
import type { Acting } from './acting.ts';

/** What the console pauses. */
export type PausedSubject = Annotated | { readonly kind: 'Stop' };

/** Hidden field of the form. */
export const standingField = 'standing';

/** Of an object with this UID: differs for every other pause. */
export function standingOf(uid: string, row: PauseNote): string {
  return `${uid} ${whoseText(row)}`;
}

/** From the API server; absent if there is no such pause. */
export async function standingPause(
  { cluster }: Pick<Acting, 'cluster'>,
  subject: PausedSubject,
  name: string,
): Promise<{ readonly id: string; readonly row: PauseRow } | undefined> {
  const found = await pausedObject(cluster, subject, name);
  if (!found) return undefined;
  const row = subject.kind === 'Stop' ? stopRow(found, cluster.context) : annotatedRow(found, name);
  return row && { id: standingOf(uidOf(found), row), row };
}

async function pausedObject(
  cluster: Acting['cluster'],
  subject: PausedSubject,
  name: string,
): Promise<Json | undefined> {
  if (subject.kind === 'Stop') return findObject(cluster, stopResource, { name });
  return (await annotatedObject(cluster, subject)).object;
}

/** Throws unless the pause is the one of which the form says what its end does; a request without that field names no form. */
export function requireSame(
  seen: string | undefined,
  now: { readonly id: string; readonly row: PauseNote } | undefined,
): void {
  if (seen === undefined || now === undefined || seen === now.id) return;
  throw new Failure(
    `another pause of this name was made since this page was loaded, ${whoseText(now.row)}; nothing was done`,
    'look at what its end does, and resume it then',
  );
}
