// The last writer of an object's spec, or of another field, from metadata.managedFields.
import type { SpecAuthor } from '../../model/objects.ts';
import { instantOf, type Json, listOf, objectOf, textOf } from './read.ts';

/** Ignores writers of status or metadata only; of several owners of spec fields the latest counts. */
export function authorOf(object: Json): SpecAuthor | undefined {
  return writerOf(object, ['spec']);
}

/** The last writer of a field or of anything in it; `path`: the field's path, such as `metadata`, `annotations`, KEY. */
export function writerOf(object: Json, path: readonly string[]): SpecAuthor | undefined {
  const writers = listOf(objectOf(object.metadata).managedFields).flatMap((entry) => {
    const manager = textOf(entry.manager);
    const written = path.reduce<unknown>((fields, name) => objectOf(fields)[`f:${name}`], entry.fieldsV1);
    if (textOf(entry.subresource) !== undefined || written === undefined || manager === undefined) return [];
    const at = instantOf(entry.time);
    return [{ manager, operation: textOf(entry.operation) ?? '', ...(at === undefined ? {} : { at }) }];
  });
  return writers.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];
}
