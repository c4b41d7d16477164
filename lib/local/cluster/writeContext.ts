// Context of a write, and checks shared by all writes.
import { badRequest, invalid, modified, notFound } from './apiStatus.ts';
import type { Writer } from './managedFields.ts';
import { invalidValue } from './names.ts';
import { type JsonMap, type KubeObject, textAt } from './object.ts';
import type { RequestInfo } from './request.ts';
import { apiVersionOf } from './resources.ts';
import type { Store } from './store.ts';

export interface WriteContext {
  readonly store: Store;
  readonly request: RequestInfo;
  /** fieldManager from the query, else the first part of the user agent. */
  readonly manager: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function keyFor(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function existing({ store, request }: Pick<WriteContext, 'store' | 'request'>): KubeObject {
  const found = store.get(request.resource, keyFor(request.namespace, request.name));
  if (!found) throw notFound(request.resource, request.name);
  return found;
}

export function writerOf({ request, manager, now }: WriteContext): Writer {
  const apiVersion = apiVersionOf(request.resource, request.version);
  return { manager, subresource: request.subresource, apiVersion, now };
}

/** An older resourceVersion is a conflict; a different UID is a change of an immutable field. */
export function checkPreconditions(context: WriteContext, old: KubeObject, metadata: JsonMap): void {
  const { resource, name } = context.request;
  const { resourceVersion, uid } = metadata;
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw modified(resource, name);
  if (uid && uid !== old.metadata.uid) {
    throw invalid(resource, name, [invalidValue('metadata.uid', uid, 'field is immutable')]);
  }
}

/** kind and apiVersion may be absent, but must match if present. */
export function checkType(body: JsonMap, { resource, version, namespace }: RequestInfo): void {
  const [kind, apiVersion] = [textAt(body, 'kind') ?? resource.kind, textAt(body, 'apiVersion')];
  if (kind !== resource.kind || (apiVersion && apiVersion !== apiVersionOf(resource, version))) {
    throw badRequest(`${kind} in version "${apiVersion}" cannot be handled as a ${resource.kind}: unknown conversion`);
  }
  const sent = textAt(body, 'metadata', 'namespace');
  if (sent && sent !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
