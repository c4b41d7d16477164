// Answers non-resource paths: API discovery, version and health.
import type { JsonMap } from './object.ts';
import { openApi } from './openapi.ts';
import { apiVersionOf, type ResourceType } from './resources.ts';

/** Simulated version of Kubernetes. */
export const simulatedVersion = { major: '1', minor: '37', gitVersion: 'v1.37.1' };

export type DiscoveryAnswer = { readonly json: JsonMap } | { readonly text: string };

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Undefined for a path that is not served. */
export function discover(path: string, resources: readonly ResourceType[]): DiscoveryAnswer | undefined {
  if (['/healthz', '/livez', '/readyz'].includes(path)) return { text: 'ok' };
  const [root = '', first, second, ...rest] = path.split('/').filter(Boolean);
  switch (root) {
    case 'version':
      return { json: { ...simulatedVersion, platform: `${process.platform}/${process.arch}` } };
    case 'openapi':
      return asJson(openApi(path, resources));
    case 'api':
      return first ? resourceList('', first, resources) : { json: { kind: 'APIVersions', versions: ['v1'] } };
    case 'apis':
      return rest.length > 0 ? undefined : groups(first, second, resources);
    default:
      return undefined;
  }
}

function asJson(json: JsonMap | undefined): DiscoveryAnswer | undefined {
  return json && { json };
}

function groups(group: string | undefined, version: string | undefined, resources: readonly ResourceType[]) {
  const names = [...new Set(resources.map((type) => type.group))].filter(Boolean);
  if (!group) {
    return { json: { kind: 'APIGroupList', apiVersion: 'v1', groups: names.map((name) => groupOf(name, resources)) } };
  }
  if (!names.includes(group)) return undefined;
  if (version) return resourceList(group, version, resources);
  return { json: { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, resources) } };
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
