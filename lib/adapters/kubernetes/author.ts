// Who last wrote an object's spec, read from metadata.managedFields.
import type { SpecAuthor } from '../../model/objects.ts';
import { instantOf, type Json, listOf, objectOf, textOf } from './read.ts';

/** Writers of status or metadata alone do not count; of several that own parts of the spec the last one does. */
export function authorOf(object: Json): SpecAuthor | undefined {
  const writers = listOf(objectOf(object.metadata).managedFields).flatMap((entry) => {
    const manager = textOf(entry.manager);
    const wroteSpec = textOf(entry.subresource) === undefined && objectOf(entry.fieldsV1)['f:spec'] !== undefined;
    if (!wroteSpec || manager === undefined) return [];
    const at = instantOf(entry.time);
    return [{ manager, operation: textOf(entry.operation) ?? '', ...(at === undefined ? {} : { at }) }];
  });
  return writers.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];
}
