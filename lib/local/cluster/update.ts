// PUT, PATCH and apply of existing objects; apply also creates a missing object.
import { ApiStatus, badRequest, conflict, invalid, notFound } from './apiStatus.ts';
import { applyConfig } from './apply.ts';
import { newObject } from './create.ts';
import { decoded, decodedConfig, decodedPatch } from './decode.ts';
import { trackUpdate } from './managedFields.ts';
import { invalidValue } from './names.ts';
import { isMap, type JsonMap, type KubeObject, mapAt, same, textAt } from './object.ts';
import { jsonPatch, mergePatch, strategicMergePatch } from './patch.ts';
import { commit, prepared } from './prepare.ts';
import type { ResourceType } from './resources.ts';
import { checkPreconditions, checkType, existing, keyFor, type WriteContext, writerOf } from './writeContext.ts';

/** PUT of the whole object or of its status. */
export function replace(context: WriteContext, sent: JsonMap): KubeObject {
  const { request } = context;
  const { resource, name } = request;
  checkType(sent, request);
  const body = decoded(request, sent);
  const sentName = textAt(body, 'metadata', 'name') ?? '';
  if (sentName !== name) {
    throw badRequest(`the name of the object (${sentName}) does not match the name on the URL (${name})`);
  }
  const old = existing(context);
  const uid = textAt(body, 'metadata', 'uid');
  if (uid && uid !== old.metadata.uid) {
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
  if (!textAt(body, 'metadata', 'resourceVersion') && resource.conditionalUpdateOnly?.includes(request.version)) {
    throw unconditionalUpdate(resource, name);
  }
  return update(context, old, body);
}

function unconditionalUpdate(resource: ResourceType, name: string): ApiStatus {
  const error = { ...invalidValue('metadata.resourceVersion', 0, 'must be specified for an update') };
  // The API server names the resource here, not the kind.
  return invalid({ ...resource, kind: resource.plural }, name, [error]);
}

const patchTypes: Readonly<Record<string, (target: JsonMap, patch: unknown) => unknown>> = {
  'application/merge-patch+json': mergePatch,
  'application/strategic-merge-patch+json': strategicMergePatch,
  'application/json-patch+json': jsonPatch,
};

/** PATCH by content type; `body`: the parsed patch. A UID in the patch is a precondition: a different UID gives 422. */
export function patch(context: WriteContext, contentType: string, body: unknown): KubeObject {
  if (contentType === 'application/apply-patch+yaml') return apply(context, asMap(body));
  const applyPatch = patchTypes[contentType];
  if (!applyPatch) {
    const message = '415: Unsupported Media Type';
    throw new ApiStatus({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
  }
  const old = existing(context);
  return update(context, old, decodedPatch(context.request, asMap(applyPatch(old, body))));
}

function apply(context: WriteContext, sent: JsonMap): KubeObject {
  const { store, request } = context;
  const { resource, name, namespace, subresource, query } = request;
  if (!query.get('fieldManager')) throw fieldManagerRequired();
  checkType(sent, request);
  const config = decodedConfig(request, sent);
  const stored = store.get(resource, keyFor(namespace, name));
  if (!stored && subresource) throw notFound(resource, name);
  if (stored) checkPreconditions(context, stored, mapAt(config, 'metadata') ?? {});
  const live = stored ?? newObject({ resource, body: { spec: {} }, name, namespace, now: context.now });
  const force = ['1', 'true'].includes(query.get('force') ?? '');
  const next = applyConfig({ live, config, writer: writerOf(context), force });
  if (!stored) {
    const errors = resource.rules?.validate?.(next, undefined) ?? [];
    if (errors.length > 0) throw invalid(resource, name, errors);
    return store.put(resource, next);
  }
  const kept = prepared(context, stored, next);
  const managedFields = next.metadata.managedFields ?? [];
  return commit(context, stored, { ...kept, metadata: { ...kept.metadata, managedFields } });
}

function fieldManagerRequired(): ApiStatus {
  const message = 'Required value: is required for apply patch';
  return new ApiStatus({
    code: 422,
    reason: 'Invalid',
    message: `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`,
    details: {
      group: 'meta.k8s.io',
      kind: 'PatchOptions',
      causes: [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }],
    },
  });
}

function update(context: WriteContext, old: KubeObject, body: JsonMap): KubeObject {
  checkPreconditions(context, old, mapAt(body, 'metadata') ?? {});
  const next = prepared(context, old, body);
  if (same(next, old)) return old;
  return commit(context, old, trackUpdate(old, next, writerOf(context)));
}

function asMap(value: unknown): JsonMap {
  if (isMap(value)) return value;
  throw badRequest('invalid JSON patch');
}
