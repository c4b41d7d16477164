// The PodEvictor port: sets the condition, then sends the DELETE, both with the pod's UID, and converts HTTP statuses to outcomes.

import { componentName, dueCondition } from '../../contract.ts';
import type { PodRef } from '../../model/identity.ts';
import type { ReasonOf } from '../../model/reasons.ts';
import { formatInstant, type Instant } from '../../model/time.ts';
import type { PodEvictor } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotFound, saysOtherUid } from './apiFailure.ts';
import { type Json, listOf, objectOf } from './read.ts';

/** Upstream's condition, so that failure policies of Jobs and JobSets that refer to it keep working (docs/reference/rules.md 5.1). */
const condition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByDeviceTaintManager' satisfies ReasonOf<'DisruptionTarget'>,
  message: 'Device Taint manager: deleting due to NoExecute taint',
} as const;

export function createPodEvictor(client: ApiClient, now: () => Instant): PodEvictor {
  return {
    async mark(pod, due) {
      const request = markRequest(pod, { due, now: now() });
      const answer = await client.send(request);
      if (answer.kind === 'Answer' && answer.status === 200) {
        const { status } = answer;
        return isTerminating(answer.body) ? { kind: 'Gone', why: 'Terminating', status } : { kind: 'Marked', status };
      }
      return goneOf(answer, pod) ?? failureOf(request, answer);
    },
    async delete(pod, grace) {
      const request: ApiRequest = {
        method: 'DELETE',
        path: podPath(pod),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', ...deleteOptions(pod, grace) },
        subject: subjectOf(pod),
      };
      const answer = await client.send(request);
      return evictedBy(answer) ?? goneOf(answer, pod) ?? failureOf(request, answer);
    },
    async evict(pod, grace) {
      const request = evictionRequest(pod, grace);
      const answer = await client.send(request);
      const failure = failureOf(request, answer);
      // From a PDB or from API priority and fairness: in both cases the pod was not evicted.
      if (answer.kind === 'Answer' && answer.status === 429)
        return { kind: 'Blocked', why: failure.why, status: answer.status };
      return evictedBy(answer) ?? goneOf(answer, pod) ?? failure;
    },
    async look(pod) {
      const request = lookRequest(pod);
      const answer = await client.send(request);
      if (answer.kind !== 'Answer' || answer.status !== 200 || !Array.isArray(answer.body.items))
        return failureOf(request, answer);
      const { status } = answer;
      const [found] = listOf(answer.body.items);
      if (!found) return { kind: 'Gone', why: 'NotFound', status };
      if (objectOf(found.metadata).uid !== pod.uid) return { kind: 'Gone', why: 'Replaced', status };
      return isTerminating(found) ? { kind: 'Gone', why: 'Terminating', status } : { kind: 'Present' };
    },
  };
}

function evictedBy(answer: ApiAnswer): { readonly kind: 'Evicted'; readonly status: number } | undefined {
  const isDone = answer.kind === 'Answer' && answer.status >= 200 && answer.status < 300;
  return isDone ? { kind: 'Evicted', status: answer.status } : undefined;
}

/** Reads one pod by a list: plans need the verb `list` anyway, so no role needs `get`. */
function lookRequest(pod: PodRef): ApiRequest {
  const namespace = encodeURIComponent(pod.namespace);
  const selector = encodeURIComponent(`metadata.name=${pod.name}`);
  return {
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/pods?fieldSelector=${selector}`,
    subject: subjectOf(pod),
  };
}

function deleteOptions({ uid }: PodRef, gracePeriodSeconds: number | undefined): object {
  return { preconditions: { uid }, ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }) };
}

function evictionRequest(pod: PodRef, grace: number | undefined): ApiRequest {
  const { namespace, name } = pod;
  return {
    method: 'POST',
    path: `${podPath(pod)}/eviction`,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { namespace, name },
      deleteOptions: deleteOptions(pod, grace),
    },
    subject: `eviction of ${subjectOf(pod)}`,
  };
}

/** Strategic merge: conditions are merged by type. The UID in the patch is a precondition, see `saysOtherUid`. */
function markRequest(pod: PodRef, { due, now }: { readonly due: Instant; readonly now: Instant }): ApiRequest {
  const since = {
    type: dueCondition,
    status: 'True',
    reason: 'UntoleratedTaint' satisfies ReasonOf<typeof dueCondition>,
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

function isTerminating(pod: Json): boolean {
  return objectOf(pod.metadata).deletionTimestamp !== undefined;
}

/** The pod does not exist, or the name belongs to another pod; any other 404 or 409 proves nothing. */
function goneOf(answer: ApiAnswer, pod: PodRef) {
  if (answer.kind !== 'Answer') return undefined;
  const { status } = answer;
  if (saysNotFound(answer, pod.name)) return { kind: 'Gone', why: 'NotFound', status } as const;
  return saysOtherUid(answer) ? ({ kind: 'Gone', why: 'Replaced', status } as const) : undefined;
}
