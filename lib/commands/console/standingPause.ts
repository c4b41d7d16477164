// Which pause a form for its end was made for: one that was ended and made again under its name meanwhile is another person's.
import type { Json } from '../../adapters/kubernetes/read.ts';
import { stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { findObject, uidOf } from '../cluster/objects.ts';
import { Failure } from '../failure.ts';
import { type Annotated, annotatedObject } from '../pause/annotatedPause.ts';
import { annotatedRow, type PauseRow, stopRow } from '../pause/pauseRows.ts';
import type { Acting } from './acting.ts';

/** What the console pauses. */
export type PausedSubject = Annotated | { readonly kind: 'Stop' };

type Row = Pick<PauseRow, 'by' | 'since' | 'why'>;

/** Hidden field of the form. */
export const standingField = 'standing';

/** `by ada since 2026-01-01T12:00:00Z (until Monday)`; empty if nothing of it is known. */
export function rowText({ by, since, why }: Row): string {
  return [by && `by ${by}`, since && `since ${since}`, why && `(${why})`].filter(Boolean).join(' ');
}

/** Of an object with this UID: differs for every other pause. */
export function standingOf(uid: string, row: Row): string {
  return `${uid} ${rowText(row)}`;
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
  now: { readonly id: string; readonly row: Row } | undefined,
): void {
  if (seen === undefined || now === undefined || seen === now.id) return;
  throw new Failure(
    `another pause of this name was made since this page was loaded, ${rowText(now.row)}; nothing was done`,
    'look at what its end does, and resume it then',
  );
}
