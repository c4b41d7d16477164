// Reads an EvictionStop of sluice.dev/v1alpha1.
import type { EvictionStop } from '../../model/stop.ts';
import { authorOf, writerOf } from './author.ts';
import { instantOf, objectOf, textOf } from './read.ts';

/** A stop counts even if its fields are unreadable. */
export function stopOf(item: unknown): EvictionStop {
  const { metadata, spec } = objectOf(item);
  const { name, uid, creationTimestamp } = objectOf(metadata);
  // One line: lists and conditions show it beside others.
  const reason = textOf(objectOf(spec).reason)?.replace(/\s+/g, ' ').trim();
  const since = instantOf(creationTimestamp);
  // A stop without a spec has no field of it that anyone wrote.
  const by = (authorOf(objectOf(item)) ?? writerOf(objectOf(item), []))?.manager;
  return {
    name: textOf(name) ?? '',
    uid: textOf(uid) ?? '',
    ...(reason ? { reason } : {}),
    ...(by === undefined ? {} : { by }),
    ...(since === undefined ? {} : { since }),
  };
}
