// Computes and stores the result of a write: status separate from the rest, server metadata kept, no write without a change.
import { invalid } from './apiStatus.ts';
import { type JsonMap, type KubeObject, type Metadata, mapAt, same, without } from './object.ts';
import { isUnderDeletion, removeIfReleased } from './remove.ts';
import type { FieldError, ResourceType } from './resourceType.ts';
import type { WriteContext } from './writeContext.ts';

/** The object to store: a status write changes status only, any other write everything but status and server metadata. */
export function prepared(context: WriteContext, old: KubeObject, sent: JsonMap): KubeObject {
  const { resource, subresource } = context.request;
  if (subresource === 'status') return statusOnly(resource, old, sent);
  const next = allButStatus(old, sent);
  const defaulted = resource.rules?.applyDefaults?.(next, context.now) ?? next;
  const ready = resource.rules?.prepareForUpdate?.(defaulted, old, context.now) ?? defaulted;
  if (!resource.hasGeneration || same(ready.spec, old.spec)) return ready;
  return { ...ready, metadata: { ...ready.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

function statusOnly(resource: ResourceType, old: KubeObject, sent: JsonMap): KubeObject {
  const metadata = resource.statusKeepsMetadata ? userMetadata(old, sent) : old.metadata;
  return { ...old, metadata, ...('status' in sent && { status: sent.status ?? {} }) };
}

function allButStatus(old: KubeObject, sent: JsonMap): KubeObject {
  const { kind, apiVersion } = old;
  const status = 'status' in old ? { status: old.status } : {};
  return { ...without(sent, 'status'), ...status, kind, apiVersion, metadata: userMetadata(old, sent) };
}

/** Takes labels, annotations, finalizers and owners from the request; keeps the other metadata. */
function userMetadata(old: KubeObject, sent: JsonMap): Metadata {
  const own = without(old.metadata, 'labels', 'annotations', 'finalizers', 'ownerReferences') as Metadata;
  const given = mapAt(sent, 'metadata') ?? {};
  const fields = ['labels', 'annotations', 'finalizers', 'ownerReferences'].flatMap((field) => {
    const value = given[field];
    const isEmpty = value === undefined || value === null || Object.keys(value).length === 0;
    return isEmpty ? [] : [[field, value] as const];
  });
  return { ...own, ...Object.fromEntries(fields) };
}

/** Validates and stores; removes an object under deletion when its last finalizer is removed. */
export function commit(context: WriteContext, old: KubeObject, next: KubeObject): KubeObject {
  const { store, request } = context;
  const { resource, name } = request;
  const errors = [...finalizerErrors(old, next), ...(resource.rules?.validate?.(next, old) ?? [])];
  if (errors.length > 0) throw invalid(resource, name, errors);
  if (same(next, old)) return old;
  // Like the API server, respond with the version before the removal.
  if (isUnderDeletion(old) && removeIfReleased(store, resource, next)) return next;
  return store.put(resource, next);
}

function finalizerErrors(old: KubeObject, next: KubeObject): readonly FieldError[] {
  if (!isUnderDeletion(old)) return [];
  const added = (next.metadata.finalizers ?? []).filter((each) => !old.metadata.finalizers?.includes(each));
  if (added.length === 0) return [];
  const list = added.map((each) => JSON.stringify(each)).join(', ');
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [{ field: 'metadata.finalizers', reason: 'FieldValueForbidden', message }];
}
