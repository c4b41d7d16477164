// Decodes custom resources: fields that the schema does not have are dropped, or refused where the request asks for that.
import { ApiStatus, badRequest } from './apiStatus.ts';
import { invalidValue } from './names.ts';
import type { JsonMap } from './object.ts';
import type { RequestInfo } from './request.ts';
import { apiVersionOf } from './resources.ts';

/** The body of a create or an update. */
export function decoded(request: RequestInfo, body: JsonMap): JsonMap {
  const { resource, version } = request;
  return pruned(request, body, (why) => {
    return badRequest(`${resource.kind} in version "${version}" cannot be handled as a ${resource.kind}: ${why}`);
  });
}

/** The object that a patch results in. */
export function decodedPatch(request: RequestInfo, object: JsonMap): JsonMap {
  return pruned(request, object, (why) => {
    const cause = invalidValue('patch', JSON.stringify(object), why);
    const message = ` "" is invalid: patch: ${cause.message}`;
    return new ApiStatus({ code: 422, reason: 'Invalid', message, details: { causes: [{ ...cause }] } });
  });
}

function pruned(request: RequestInfo, body: JsonMap, refused: (why: string) => ApiStatus): JsonMap {
  const { object, unknown } = request.resource.rules?.prune?.(body) ?? { object: body, unknown: [] };
  if (unknown.length === 0 || request.query.get('fieldValidation') !== 'Strict') return object;
  throw refused(`strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(', ')}`);
}

/** Server-side apply has no place for fields without a schema, whatever the request asks for. */
export function decodedConfig({ resource, version, name }: RequestInfo, config: JsonMap): JsonMap {
  const { object, unknown } = resource.rules?.prune?.(config) ?? { object: config, unknown: [] };
  const [first] = unknown;
  if (first === undefined) return object;
  const typed = `/${name}; ${apiVersionOf(resource, version)}, Kind=${resource.kind}`;
  const message = `failed to create typed patch object (${typed}): .${first}: field not declared in schema`;
  throw new ApiStatus({ code: 500, message });
}
