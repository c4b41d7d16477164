// Checks the caller's permissions with a SelfSubjectAccessReview (authorization.k8s.io/v1), which every user may create.
import type { ApiClient } from './apiClient.ts';
import { failureOf } from './apiFailure.ts';
import { objectOf } from './read.ts';

export interface ReviewedAccess {
  readonly group: string;
  /** `pods`, or `pods/status`. */
  readonly resource: string;
  readonly verb: string;
}

/** A string says why the answer is unknown. */
export async function reviewAccess(
  client: ApiClient,
  { group, resource, verb }: ReviewedAccess,
): Promise<boolean | string> {
  const [name = '', subresource = ''] = resource.split('/');
  const request = {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    subject: 'access review',
  } as const;
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group, resource: name, subresource, verb } },
  };
  const answer = await client.send({ ...request, body });
  if (answer.kind === 'Answer' && answer.status === 201) return objectOf(answer.body.status).allowed === true;
  return failureOf(request, answer).why;
}
