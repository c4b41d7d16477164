// Asks the API server for the caller's user name with a SelfSubjectReview (authentication.k8s.io/v1), which every user may create.
import type { ApiClient } from './apiClient.ts';
import { versionWithin } from './askVersion.ts';
import { objectOf, textOf } from './read.ts';

const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

/** Absent if the API server does not say: before Kubernetes 1.28 it serves no such review. */
export async function whoAmI(client: ApiClient): Promise<string | undefined> {
  const answer = await client.send({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    subject: 'own user name',
    body: review,
    timeout: versionWithin,
  });
  if (answer.kind !== 'Answer' || answer.status !== 201) return undefined;
  return textOf(objectOf(objectOf(answer.body.status).userInfo).username) || undefined;
}
