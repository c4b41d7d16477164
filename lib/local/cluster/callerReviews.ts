// Answers what callers ask about themselves, which needs no authorization: who they are, and what they may do.
import type { IncomingMessage } from 'node:http';
import type { AccessOptions, User } from './access.ts';
import { reviewAccess, reviewPath } from './accessReview.ts';
import { ApiStatus } from './apiStatus.ts';
import { mediaType, parseBody } from './body.ts';
import type { ResourceType } from './resources.ts';

const selfReviewPath = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

const authenticated = 'system:authenticated';

/** `undefined` for any other request. */
export function reviewOf(
  deps: {
    readonly access: AccessOptions;
    readonly resources: readonly ResourceType[];
    readonly hasSelfReview: boolean;
  },
  { request, user, text }: { readonly request: IncomingMessage; readonly user: User; readonly text: string },
): object | undefined {
  if (request.method !== 'POST') return undefined;
  if (deps.hasSelfReview && request.url?.split('?')[0] === selfReviewPath) return reviewSelf(user);
  if (request.url !== reviewPath) return undefined;
  const body = parseBody(text, mediaType(request.headers['content-type']), 'create');
  return reviewAccess(body, { user, access: deps.access, resources: deps.resources });
}

/** Throws 403 for an anonymous caller. */
function reviewSelf({ name, groups }: User): object {
  if (groups.includes('system:unauthenticated'))
    throw new ApiStatus({
      code: 403,
      reason: 'Forbidden',
      message:
        `selfsubjectreviews.authentication.k8s.io is forbidden: User "${name}" cannot create resource ` +
        '"selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
      details: { group: 'authentication.k8s.io', kind: 'selfsubjectreviews' },
    });
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: null },
    status: { userInfo: { username: name, groups: [...new Set([...groups, authenticated])] } },
  };
}
