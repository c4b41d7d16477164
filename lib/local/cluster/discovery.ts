// Answers the paths that are not about objects: API discovery, version and health.
import type { JsonMap } from './object.ts';
import { apiVersionOf, type ResourceType } from './resources.ts';

/** The version of Kubernetes whose behaviour is simulated. */
export const simulatedVersion = { major: '1', minor: '37', gitVersion: 'v1.37.1' };

export type DiscoveryAnswer = { readonly json: JsonMap } | { readonly text: string };

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Undefined for a path that is not served. */
export function discover(path: string, resources: readonly ResourceType[]): DiscoveryAnswer | undefined {
  const parts = path.split('/').filter(Boolean);
  if (['/healthz', '/livez', '/readyz'].includes(path)) return { text: 'ok' };
  if (path === '/version') return { json: { ...simulatedVersion, platform: `${process.platform}/${process.arch}` } };
  if (path === '/api' || path === '/api/') return { json: { kind: 'APIVersions', versions: ['v1'] } };
  if (parts[0] === 'api' && parts.length === 2) return resourceList('', parts[1] ?? '', resources);
  if (parts[0] !== 'apis') return undefined;
  const groups = [...new Set(resources.map((type) => type.group))].filter(Boolean);
  if (parts.length === 1) {
    return {
      json: { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => groupOf(group, resources)) },
    };
  }
  const group = parts[1] ?? '';
  if (!groups.includes(group)) return undefined;
  if (parts.length === 2) return { json: { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, resources) } };
  return parts.length === 3 ? resourceList(group, parts[2] ?? '', resources) : undefined;
}

function groupOf(group: string, resources: readonly ResourceType[]): JsonMap {
  const versions = [...new Set(resources.filter((type) => type.group === group).flatMap((type) => type.versions))];
  const named = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: named, preferredVersion: named[0] };
}

function resourceList(group: string, version: string, resources: readonly ResourceType[]): DiscoveryAnswer | undefined {
  const served = resources.filter((type) => type.group === group && type.versions.includes(version));
  const [first] = served;
  if (!first) return undefined;
  return {
    json: {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: apiVersionOf(first, version),
      resources: served.flatMap((type) => [entry(type), ...type.subresources.map((name) => subresource(type, name))]),
    },
  };
}

function entry(type: ResourceType): JsonMap {
  return {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs,
    ...(type.shortNames && { shortNames: type.shortNames }),
  };
}

function subresource(type: ResourceType, name: 'status' | 'eviction'): JsonMap {
  const common = { name: `${type.plural}/${name}`, singularName: '', namespaced: type.namespaced };
  if (name === 'eviction') return { ...common, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] };
  return { ...common, kind: type.kind, verbs: ['get', 'patch', 'update'] };
}
