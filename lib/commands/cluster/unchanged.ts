// Writes to an object only while it is as it was read, so that two writers never overwrite each other.
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { Failure } from '../failure.ts';
import { uidOf } from './objects.ts';

/** The metadata with which a patch applies to this version of the object alone. */
export function asRead(object: Json): { readonly uid: string; readonly resourceVersion: string } {
  return { uid: uidOf(object), resourceVersion: textOf(objectOf(object.metadata).resourceVersion) ?? '' };
}

/** Status is written about once a second, so that several conflicts in a row are rare. */
const attempts = 10;

/** Repeats a read and its write while the write conflicts. Throws a Failure after several conflicts. */
export async function untilWritten<T>(what: string, attempt: () => Promise<T | 'Conflict'>): Promise<T> {
  for (let i = 0; i < attempts; i++) {
    const tried = await attempt();
    if (tried !== 'Conflict') return tried;
  }
  throw new Failure(`${what} changed during ${attempts} attempts to write it; nothing was written`, 'run it again');
}
