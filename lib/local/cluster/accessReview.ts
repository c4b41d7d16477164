// Answers SelfSubjectAccessReviews with the server's own authorization.
import { type AccessOptions, authorize, type User } from './access.ts';
import { ApiStatus } from './apiStatus.ts';
import { mapAt, textAt } from './object.ts';
import type { Verb } from './request.ts';
import type { ResourceType } from './resources.ts';

export const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** The review with its status; denied for a resource that is not served. */
export function reviewAccess(
  body: unknown,
  by: { readonly user: User; readonly access: AccessOptions; readonly resources: readonly ResourceType[] },
): object {
  const asked = mapAt(body, 'spec', 'resourceAttributes') ?? {};
  const of = (name: string) => textAt(asked, name) ?? '';
  const resource = by.resources.find(({ plural, group }) => plural === of('resource') && group === of('group'));
  const allowed = resource !== undefined && isAllowed(resource, of, by);
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: mapAt(body, 'spec') ?? {},
    status: { allowed },
  };
}

function isAllowed(
  resource: ResourceType,
  of: (name: string) => string,
  { user, access }: { readonly user: User; readonly access: AccessOptions },
): boolean {
  const [version = ''] = resource.versions;
  const request = {
    verb: of('verb') as Verb,
    resource,
    version,
    namespace: of('namespace') || undefined,
    name: of('name'),
  };
  try {
    authorize(user, { ...request, subresource: of('subresource') || undefined, query: new URLSearchParams() }, access);
    return true;
  } catch (error) {
    if (error instanceof ApiStatus) return false;
    throw error;
  }
}
