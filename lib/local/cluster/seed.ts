// Stores objects without requests, for large fleets; keeps the given status.
import { newObject } from './create.ts';
import { type JsonMap, type KubeObject, mapAt, textAt } from './object.ts';
import type { ResourceType } from './resources.ts';
import type { Store } from './store.ts';

export interface Seeding {
  readonly store: Store;
  readonly resources: readonly ResourceType[];
  readonly now: number;
}

/** Stores a manifest like a create, but keeps its status and its UID if present. */
export function seed({ store, resources, now }: Seeding, manifest: JsonMap): KubeObject {
  const kind = textAt(manifest, 'kind');
  const resource = resources.find((type) => type.kind === kind);
  if (!resource) throw new Error(`no resource of kind ${kind} is served`);
  const name = textAt(manifest, 'metadata', 'name') ?? '';
  const namespace = resource.namespaced ? (textAt(manifest, 'metadata', 'namespace') ?? 'default') : undefined;
  const fresh = newObject({ resource, body: manifest, name, namespace, now });
  const uid = textAt(manifest, 'metadata', 'uid') ?? fresh.metadata.uid;
  const status = mapAt(manifest, 'status');
  return store.put(resource, { ...fresh, metadata: { ...fresh.metadata, uid }, ...(status && { status }) });
}
