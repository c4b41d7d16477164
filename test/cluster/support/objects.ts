// Creates, reads and removes objects of a cluster by manifest, so that a scenario reads as what it does.
import type { ApiAnswer, ApiClient } from '../../../lib/local/cluster/client.ts';
import { type JsonMap, textAt } from '../../../lib/local/cluster/object.ts';
import { builtInResources, type ResourceType } from '../../../lib/local/cluster/resources.ts';
import type { ControlPlane } from './controlPlane.ts';

/** `{kind, metadata}` of a manifest is enough to name an object. */
export type Named = JsonMap;

/** Creates all in order; throws at the first that is refused. */
export async function createAll(client: ApiClient, manifests: readonly JsonMap[]): Promise<readonly JsonMap[]> {
  const created: JsonMap[] = [];
  for (const manifest of manifests) {
    const answer = await client.call('POST', collectionPath(manifest), { body: manifest });
    if (answer.status !== 201) throw refused('create', manifest, answer);
    created.push(answer.body);
  }
  return created;
}

/** `kubectl apply -f -`; throws with kubectl's own words. */
export async function applyYaml(controlPlane: ControlPlane, yaml: string): Promise<void> {
  const { status, stderr } = await controlPlane.kubectl(['apply', '-f', '-'], yaml);
  if (status !== 0) throw new Error(`kubectl apply: ${stderr}`);
}

/** Undefined where there is none. */
export async function find(client: ApiClient, object: Named): Promise<JsonMap | undefined> {
  const answer = await client.call('GET', objectPath(object));
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw refused('get', object, answer);
  return answer.body;
}

export async function remove(client: ApiClient, object: Named): Promise<void> {
  const answer = await client.call('DELETE', objectPath(object));
  if (answer.status !== 200 && answer.status !== 404) throw refused('delete', object, answer);
}

/** A merge patch of the object, or of its status by `subresource`. */
export async function mergePatch(client: ApiClient, object: Named, body: JsonMap, subresource = ''): Promise<JsonMap> {
  const path = `${objectPath(object)}${subresource && `/${subresource}`}`;
  const answer = await client.call('PATCH', path, { body, contentType: 'application/merge-patch+json' });
  if (answer.status !== 200) throw refused('patch', object, answer);
  return answer.body;
}

export function objectPath(object: Named): string {
  return `${collectionPath(object)}/${textAt(object, 'metadata', 'name')}`;
}

/** By kind, and by apiVersion where the manifest has one. */
export function collectionPath(object: Named): string {
  const type = resourceOf(textAt(object, 'kind') ?? '');
  const apiVersion = textAt(object, 'apiVersion') ?? [type.group, type.versions[0]].filter(Boolean).join('/');
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = type.namespaced ? `/namespaces/${textAt(object, 'metadata', 'namespace') ?? 'default'}` : '';
  return `${root}${namespace}/${type.plural}`;
}

function resourceOf(kind: string): ResourceType {
  const type = builtInResources.find((each) => each.kind === kind);
  if (!type) throw new Error(`unknown kind ${kind}`);
  return type;
}

function refused(verb: string, object: Named, answer: ApiAnswer): Error {
  return new Error(`${verb} ${objectPath(object)}: ${answer.status} ${textAt(answer.body, 'message') ?? ''}`);
}
