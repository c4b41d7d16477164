// The PodEvictor port: the condition, then the DELETE, both with the pod's UID; HTTP status codes become outcomes here.

import { componentName, dueCondition } from '../../contract.ts';
import type { PodRef } from '../../model/identity.ts';
import { formatInstant, type Instant } from '../../model/time.ts';
import type { PodEvictor } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotFound, saysOtherUid } from './apiFailure.ts';
import { objectOf } from './read.ts';

/** Upstream's condition, so that Job and JobSet failure policies written for it go on working (semantics.md 5.1). */
const condition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
} as const;

export function createPodEvictor(client: ApiClient, now: () => Instant): PodEvictor {
  return {
    async mark(pod, due) {
      const request = markRequest(pod, { due, now: now() });
      const answer = await client.send(request);
      if (answer.kind === 'Answer' && answer.status === 200) {
        return isTerminating(answer) ? { kind: 'Gone', why: 'Terminating' } : { kind: 'Marked' };
      }
      return goneOf(answer, pod) ?? failureOf(request, answer);
    },
    async delete(pod) {
      const request: ApiRequest = {
        method: 'DELETE',
        path: podPath(pod),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: pod.uid } },
        subject: subjectOf(pod),
      };
      const answer = await client.send(request);
      if (answer.kind === 'Answer' && answer.status >= 200 && answer.status < 300) return { kind: 'Evicted' };
      return goneOf(answer, pod) ?? failureOf(request, answer);
    },
    async evict(pod) {
      const request = evictionRequest(pod);
      const answer = await client.send(request);
      if (answer.kind === 'Answer' && answer.status >= 200 && answer.status < 300) return { kind: 'Evicted' };
      const failure = failureOf(request, answer);
      // Budget or priority and fairness: in both cases the server says that it has not evicted the pod.
      if (answer.kind === 'Answer' && answer.status === 429) return { kind: 'Blocked', why: failure.why };
      return goneOf(answer, pod) ?? failure;
    },
  };
}

function evictionRequest(pod: PodRef): ApiRequest {
  const { namespace, name, uid } = pod;
  return {
    method: 'POST',
    path: `${podPath(pod)}/eviction`,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { namespace, name },
      deleteOptions: { preconditions: { uid } },
    },
    subject: `eviction of ${subjectOf(pod)}`,
  };
}

/** Strategic merge: conditions are merged by type. The UID in the patch is a precondition, see `saysOtherUid`. */
function markRequest(pod: PodRef, { due, now }: { readonly due: Instant; readonly now: Instant }): ApiRequest {
  const since = {
    type: dueCondition,
    status: 'True',
    reason: 'UntoleratedTaint',
    message: 'A device of this pod has a NoExecute taint that it does not tolerate, or not for so long.',
    lastTransitionTime: formatInstant(due),
  };
  return {
    method: 'PATCH',
    path: `${podPath(pod)}/status?fieldManager=${componentName}`,
    contentType: 'application/strategic-merge-patch+json',
    body: {
      metadata: { uid: pod.uid },
      status: { conditions: [{ ...condition, lastTransitionTime: formatInstant(now) }, since] },
    },
    subject: `${subjectOf(pod)} status`,
  };
}

function podPath(pod: PodRef): string {
  return `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}`;
}

function subjectOf(pod: PodRef): string {
  return `pod ${pod.namespace}/${pod.name} (${pod.uid})`;
}

function isTerminating(answer: Extract<ApiAnswer, { kind: 'Answer' }>): boolean {
  return objectOf(answer.body.metadata).deletionTimestamp !== undefined;
}

/** No pod of that name, or the name belongs to another pod now; any other 404 or 409 says nothing about the pod. */
function goneOf(
  answer: ApiAnswer,
  pod: PodRef,
): { readonly kind: 'Gone'; readonly why: 'NotFound' | 'Replaced' } | undefined {
  if (saysNotFound(answer, pod.name)) return { kind: 'Gone', why: 'NotFound' };
  return saysOtherUid(answer) ? { kind: 'Gone', why: 'Replaced' } : undefined;
}
