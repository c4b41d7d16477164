// Projects a Namespace (v1): the labels that set the eviction mode of its pods, and its pauses.
import { isPauseAnnotation } from '../../decide/pauses.ts';
import type { Namespace } from '../../model/namespace.ts';
import { annotationsOf, labelsOf, metaOf, noIdentity, objectOf, type Projected, unreadable } from './read.ts';

const ours = /^sluice\.dev\//;

export function projectNamespace(value: unknown): Projected<Namespace> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('Namespace', value, { problems: noIdentity });
  const { namespace: _, ...identity } = meta;
  const labels = kept(labelsOf(object), (key) => ours.test(key));
  const annotations = kept(annotationsOf(object), isPauseAnnotation);
  return {
    kind: 'Projected',
    object: { kind: 'Namespace', ...identity, ...(labels && { labels }), ...(annotations && { annotations }) },
  };
}

function kept(all: Readonly<Record<string, string>> = {}, isKept: (key: string) => boolean) {
  const found = Object.entries(all).filter(([key]) => isKept(key));
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
