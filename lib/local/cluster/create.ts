// Creates an object: name, defaults, initial status, validation, and 409 for an existing name.
import { randomUUID } from 'node:crypto';
import { alreadyExists, invalid, notFound } from './apiStatus.ts';
import { decoded } from './decode.ts';
import { trackUpdate } from './managedFields.ts';
import { objectNameErrors } from './names.ts';
import { type JsonMap, type KubeObject, type Metadata, mapAt, textAt, without } from './object.ts';
import { builtInResources, type ResourceType, storageVersion } from './resources.ts';
import { timestamp } from './timestamps.ts';
import { checkType, keyFor, type WriteContext, writerOf } from './writeContext.ts';

const namespaces = builtInResources.find((type) => type.plural === 'namespaces');

export function create(context: WriteContext, sent: JsonMap): KubeObject {
  const { store, request } = context;
  const { resource, namespace } = request;
  checkType(sent, request);
  const body = decoded(request, sent);
  const name = textAt(body, 'metadata', 'name') || generatedName(textAt(body, 'metadata', 'generateName'));
  const nameErrors = objectNameErrors(name);
  if (nameErrors.length > 0 && !name) throw invalid(resource, name, nameErrors);
  if (namespace !== undefined && namespaces && !store.get(namespaces, namespace)) throw notFound(namespaces, namespace);
  const fresh = newObject({ resource, body, name, namespace, now: context.now });
  const errors = [...nameErrors, ...(resource.rules?.validate?.(fresh, undefined) ?? [])];
  if (errors.length > 0) throw invalid(resource, name, errors);
  if (store.get(resource, keyFor(namespace, name))) throw alreadyExists(resource, name);
  return store.put(resource, trackUpdate(undefined, fresh, writerOf(context)));
}

export interface NewObject {
  readonly resource: ResourceType;
  readonly body: JsonMap;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly now: number;
}

/** The object to store: with server metadata, defaults and initial status. */
export function newObject({ resource, body, name, namespace, now }: NewObject): KubeObject {
  const sent = without(
    mapAt(body, 'metadata') ?? {},
    'managedFields',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  );
  const metadata: Metadata = {
    ...without(sent, 'generation', 'resourceVersion', 'selfLink'),
    name,
    ...(namespace !== undefined && { namespace }),
    uid: randomUUID(),
    resourceVersion: '',
    ...(resource.hasGeneration && { generation: 1 }),
    creationTimestamp: timestamp(now),
  };
  const kept = { ...without(body, 'status'), kind: resource.kind, apiVersion: storageVersion(resource), metadata };
  const defaulted = resource.rules?.applyDefaults?.(kept, now) ?? kept;
  const status = resource.rules?.initialStatus?.({ ...defaulted, status: body.status });
  return status ? { ...defaulted, status } : defaulted;
}

function generatedName(prefix: string | undefined): string {
  if (!prefix) return '';
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  return (
    prefix +
    [...randomUUID().replaceAll('-', '')]
      .slice(0, 5)
      .map((hex) => letters[Number.parseInt(hex, 16)])
      .join('')
  );
}
