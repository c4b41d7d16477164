// Projects a Namespace (v1): the labels that set the eviction mode of its pods.
import type { Namespace } from '../../model/namespace.ts';
import { labelsOf, metaOf, noIdentity, objectOf, type Projected, unreadable } from './read.ts';

const ours = /^sluice\.dev\//;

export function projectNamespace(value: unknown): Projected<Namespace> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('Namespace', value, { problems: noIdentity });
  const { namespace: _, ...identity } = meta;
  const found = Object.entries(labelsOf(object) ?? {}).filter(([key]) => ours.test(key));
  const labels = found.length > 0 ? { labels: Object.fromEntries(found) } : {};
  return { kind: 'Projected', object: { kind: 'Namespace', ...identity, ...labels } };
}
