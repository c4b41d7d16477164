// Minimal OpenAPI v3 for kubectl, which needs to know before create or apply that the server validates fields.
import type { JsonMap } from './object.ts';
import { apiVersionOf, type ResourceType } from './resources.ts';

/** Answers `/openapi/v3` and its documents; undefined for other paths. */
export function openApi(path: string, resources: readonly ResourceType[]): JsonMap | undefined {
  const documents = new Map<string, JsonMap>();
  for (const type of resources) {
    for (const version of type.versions) {
      const base = `${type.group ? 'apis' : 'api'}/${apiVersionOf(type, version)}`;
      documents.set(base, { ...documents.get(base), ...patchPath(type, version, base) });
    }
  }
  if (path === '/openapi/v3') {
    const links = [...documents.keys()].map((base) => [base, { serverRelativeURL: `/openapi/v3/${base}` }] as const);
    return { paths: Object.fromEntries(links) };
  }
  const paths = documents.get(path.replace('/openapi/v3/', ''));
  return paths && { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.37.1' }, paths };
}

function patchPath(type: ResourceType, version: string, base: string): JsonMap {
  const namespace = type.namespaced ? '/namespaces/{namespace}' : '';
  const patch = {
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }],
    responses: {},
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group: type.group, version, kind: type.kind },
  };
  return { [`/${base}${namespace}/${type.plural}/{name}`]: { patch } };
}
