// Who last wrote an object's spec or another field of it, read from metadata.managedFields.
import type { SpecAuthor } from '../../model/objects.ts';
import { instantOf, type Json, listOf, objectOf, textOf } from './read.ts';

/** Writers of status or metadata alone do not count; of several that own parts of the spec the last one does. */
export function authorOf(object: Json): SpecAuthor | undefined {
  return writerOf(object, ['spec']);
}

/** Who last wrote a field, or something in it; `path` is that of the field, as in `metadata`, `annotations`, KEY. */
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
