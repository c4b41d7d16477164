// Reads and writes objects of one kind through the API server, in the version that it serves.
import type { ApiAnswer, ApiRequest } from '../../adapters/kubernetes/apiClient.ts';
import { failureOf, saysNotFound } from '../../adapters/kubernetes/apiFailure.ts';
import { listPage } from '../../adapters/kubernetes/listWatch.ts';
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import type { Resource } from '../../adapters/kubernetes/servedVersion.ts';
import { Failure } from '../failure.ts';
import { requireName } from '../flags.ts';
import { kindOf } from './kindOf.ts';
import type { OpenCluster } from './open.ts';
import { fail, requireKnownFields, requireServed, servedVersion } from './served.ts';

export interface Scope {
  /** Absent: all namespaces, or the kind is cluster-scoped. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Lists page by page. Empty if the kind is not served. */
export async function* objectsOf(cluster: OpenCluster, resource: Resource, scope: Scope = {}): AsyncGenerator<Json> {
  const version = await servedVersion(cluster, resource);
  if (version === undefined) return;
  const path = pathOf(resource, { version, namespace: scope.namespace });
  let after: string | undefined;
  do {
    const { labelSelector, fieldSelector } = scope;
    const page = await listPage(cluster.client, path, { after, labelSelector, fieldSelector });
    if (page.kind === 'NotServed') return;
    if (page.kind === 'Expired')
      throw new Failure(`${page.why}: the continue token expired while the list was read`, 'run it again');
    if (page.kind !== 'Page') fail(page);
    for (const item of page.items) yield { ...objectOf(item), ...typeOf(resource, version) };
    after = page.next;
  } while (after !== undefined);
}

export async function listObjects(
  cluster: OpenCluster,
  resource: Resource,
  scope: Scope = {},
): Promise<readonly Json[]> {
  const all: Json[] = [];
  for await (const one of objectsOf(cluster, resource, scope)) all.push(one);
  return all;
}

export async function findObject(
  cluster: OpenCluster,
  resource: Resource,
  { name, namespace }: { readonly name: string; readonly namespace?: string },
): Promise<Json | undefined> {
  const version = await servedVersion(cluster, resource);
  if (version === undefined) return undefined;
  const path = pathOf(resource, { version, namespace, name });
  const request: ApiRequest = { method: 'GET', path, subject: `${resource.name} ${name}` };
  const answer = await cluster.client.send(request);
  if (saysNotFound(answer, name)) return undefined;
  const body = bodyOf(request, answer);
  if (nameOf(body) === name) return body;
  throw new Failure(`${request.subject}: the API server returned a different object`, 'check endpoint and proxies');
}

export interface ObjectWrite {
  readonly resource: Resource;
  readonly name: string;
  readonly namespace?: string | undefined;
}

type Seen = { readonly uid: string; readonly resourceVersion?: string };

/** `Exists` if there already is an object of that name. `isStrict`: throws where the definition lacks a field, which is dropped else. */
export async function createObject(
  cluster: OpenCluster,
  { resource, name, namespace, isStrict = false }: ObjectWrite & { readonly isStrict?: boolean },
  body: Json,
): Promise<'Created' | 'Exists'> {
  const version = await requireServed(cluster, resource);
  const strict = isStrict ? '&fieldValidation=Strict' : '';
  const request: ApiRequest = {
    method: 'POST',
    path: `${pathOf(resource, { version, namespace })}?fieldManager=${manager}${strict}`,
    body: { ...body, ...typeOf(resource, version) },
    subject: `${resource.name} ${name}`,
  };
  const answer = await cluster.client.send(request);
  if (answer.kind === 'Answer' && answer.status === 409) return 'Exists';
  if (isStrict) requireKnownFields(cluster, resource, answer);
  bodyOf(request, answer);
  return 'Created';
}

/** With `metadata.uid` in the patch, the API server refuses it for a recreated object of the same name. */
export async function patchObject(cluster: OpenCluster, of: ObjectWrite, patch: Json): Promise<Json> {
  const { request, answer } = await sendPatch(cluster, of, patch);
  return bodyOf(request, answer);
}

/** `Conflict`: the object is not as the uid and resourceVersion of the patch say. */
export async function tryPatch(cluster: OpenCluster, of: ObjectWrite, patch: Json): Promise<Json | 'Conflict'> {
  const { request, answer } = await sendPatch(cluster, of, patch);
  return answer.kind === 'Answer' && answer.status === 409 ? 'Conflict' : bodyOf(request, answer);
}

async function sendPatch(
  cluster: OpenCluster,
  of: ObjectWrite,
  patch: Json,
): Promise<{ readonly request: ApiRequest; readonly answer: ApiAnswer }> {
  const version = await requireServed(cluster, of.resource);
  const request: ApiRequest = {
    method: 'PATCH',
    path: `${pathOf(of.resource, { ...of, version })}?fieldManager=${manager}`,
    contentType: 'application/merge-patch+json',
    body: patch,
    subject: `${of.resource.name} ${of.name}`,
  };
  return { request, answer: await cluster.client.send(request) };
}

/** `seen`: its uid and perhaps its resourceVersion. `false` if the object was already deleted, or is not as `seen` any more. */
export async function deleteObject(cluster: OpenCluster, of: ObjectWrite, seen: Seen): Promise<boolean> {
  const version = await requireServed(cluster, of.resource);
  const request: ApiRequest = {
    method: 'DELETE',
    path: pathOf(of.resource, { ...of, version }),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: seen },
    subject: `${of.resource.name} ${of.name}`,
  };
  const answer = await cluster.client.send(request);
  if (saysNotFound(answer, of.name) || (answer.kind === 'Answer' && answer.status === 409)) return false;
  bodyOf(request, answer);
  return true;
}

export const manager = 'sluice-cli';

function bodyOf(request: ApiRequest, answer: ApiAnswer): Json {
  if (answer.kind === 'Answer' && answer.status >= 200 && answer.status < 300) return answer.body;
  return fail(failureOf(request, answer));
}

/** Without a name: the path of the list. Names are checked, because `..` would change the path. */
function pathOf(
  { group, name: plural }: Resource,
  { version, namespace, name }: Partial<Omit<ObjectWrite, 'resource'>> & { readonly version: string },
): string {
  const inNamespace = namespace === undefined ? '' : `namespaces/${requireName(namespace)}/`;
  return `${group}/${version}/${inNamespace}${plural}${name === undefined ? '' : `/${requireName(name)}`}`;
}

/** apiVersion and kind: the API server leaves both out in list items. */
function typeOf(resource: Resource, version: string): { readonly apiVersion: string; readonly kind: string } {
  const group = resource.group.replace(/^\/apis?\/?/, '');
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind: kindOf(resource) };
}

export function nameOf(object: Json): string {
  return textOf(objectOf(object.metadata).name) ?? '';
}

export function namespaceOf(object: Json): string {
  return textOf(objectOf(object.metadata).namespace) ?? '';
}

export function uidOf(object: Json): string {
  return textOf(objectOf(object.metadata).uid) ?? '';
}
