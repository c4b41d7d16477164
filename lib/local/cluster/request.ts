// Parses method and URL to verb, resource, namespace, name, subresource and parameters.
import { methodNotAllowed, noSuchResource } from './apiStatus.ts';
import type { ResourceType } from './resources.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A parsed request, as authorization, faults and observers see it. */
export interface RequestInfo {
  readonly verb: Verb;
  readonly resource: ResourceType;
  /** The version in the path. */
  readonly version: string;
  readonly namespace: string | undefined;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

export type ParsedRequest =
  | ({ readonly kind: 'Resource' } & RequestInfo)
  /** Discovery, version, health. */
  | { readonly kind: 'NonResource'; readonly path: string };

/** `resources`: the served ones; throws ApiStatus for anything else. */
export function parseRequest(method: string, url: string, resources: readonly ResourceType[]): ParsedRequest {
  const { pathname, searchParams } = new URL(url, 'https://cluster');
  const parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const group = parts[0] === 'api' ? '' : parts[1];
  const rest = parts[0] === 'api' ? parts.slice(1) : parts.slice(2);
  const isResourcePath = (parts[0] === 'api' || parts[0] === 'apis') && rest.length > 1 && group !== undefined;
  if (!isResourcePath) return { kind: 'NonResource', path: pathname };
  const [version = '', ...inner] = rest;
  if (!resources.some((type) => type.group === group && type.versions.includes(version))) {
    return { kind: 'NonResource', path: pathname };
  }
  const legacyWatch = inner[0] === 'watch';
  const target = locate(legacyWatch ? inner.slice(1) : inner);
  const found = resources.find(
    (type) => type.group === group && type.plural === target.plural && type.versions.includes(version),
  );
  if (!found || !isServed(found, target)) throw noSuchResource();
  const watching = legacyWatch || ['1', 'true'].includes(searchParams.get('watch') ?? '');
  const verb = verbOf(method, target, watching);
  return { kind: 'Resource', verb, resource: found, version, query: searchParams, ...target };
}

interface Target {
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
}

/** `namespaces/<ns>/<plural>/…` is a namespaced path; `namespaces/<ns>` and its status address the Namespace object. */
function locate(parts: readonly string[]): Target {
  const namespaced = parts[0] === 'namespaces' && parts.length > 2 && !['status', 'finalize'].includes(parts[2] ?? '');
  const [plural = '', name = '', subresource] = namespaced ? parts.slice(2) : parts;
  return { plural, name, subresource, namespace: namespaced ? parts[1] : undefined };
}

function isServed(type: ResourceType, target: Target): boolean {
  const { namespace, name, subresource } = target;
  if (namespace !== undefined && !type.namespaced) return false;
  if (type.namespaced && name && namespace === undefined) return false;
  return subresource === undefined || type.subresources.some((each) => each === subresource);
}

function verbOf(method: string, target: Target, watching: boolean): Verb {
  if (target.subresource === 'eviction') {
    if (method === 'POST') return 'create';
    throw methodNotAllowed();
  }
  const verb = (target.name ? objectVerbs : collectionVerbs)[method];
  if (!verb || (verb === 'delete' && target.subresource)) throw methodNotAllowed();
  return verb === 'list' && watching ? 'watch' : verb;
}

const objectVerbs: Readonly<Record<string, Verb>> = { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
const collectionVerbs: Readonly<Record<string, Verb>> = { GET: 'list', POST: 'create', DELETE: 'deletecollection' };
