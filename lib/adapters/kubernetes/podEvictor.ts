// The PodEvictor port: the condition, then the DELETE, both with the pod's UID; HTTP status codes become outcomes here.
import type { PodRef } from '../../model/identity.ts';
import type { PodEvictor } from '../../ports.ts';
import { type ApiAnswer, type ApiClient, type ApiRequest, failureOf } from './apiClient.ts';

/** Upstream's condition, so that Job and JobSet failure policies written for it go on working (semantics.md 5.1). */
const condition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
} as const;

export function createPodEvictor(client: ApiClient, now: () => number): PodEvictor {
  return {
    async mark(pod) {
      const request = markRequest(pod, now());
      const answer = await client.send(request);
      if (answer.kind === 'Answer' && answer.status === 200) {
        return isTerminating(answer) ? { kind: 'Gone', why: 'Terminating' } : { kind: 'Marked' };
      }
      return goneOf(answer) ?? failureOf(request, answer);
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
      return goneOf(answer) ?? failureOf(request, answer);
    },
  };
}

function markRequest(pod: PodRef, now: number): ApiRequest {
  const lastTransitionTime = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return {
    method: 'PATCH',
    path: `${podPath(pod)}/status?fieldManager=sluice`,
    contentType: 'application/strategic-merge-patch+json',
    body: { metadata: { uid: pod.uid }, status: { conditions: [{ ...condition, lastTransitionTime }] } },
    subject: subjectOf(pod),
  };
}

function podPath(pod: PodRef): string {
  return `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}`;
}

function subjectOf(pod: PodRef): string {
  return `pod ${pod.namespace}/${pod.name} (${pod.uid})`;
}

function isTerminating(answer: Extract<ApiAnswer, { kind: 'Answer' }>): boolean {
  const metadata = answer.body.metadata as { deletionTimestamp?: string } | undefined;
  return metadata?.deletionTimestamp !== undefined;
}

/** 404: no pod of that name. 409: the UID precondition failed, the name belongs to another pod now. */
function goneOf(answer: ApiAnswer): { readonly kind: 'Gone'; readonly why: 'NotFound' | 'Replaced' } | undefined {
  if (answer.kind !== 'Answer') return undefined;
  if (answer.status === 404) return { kind: 'Gone', why: 'NotFound' };
  return answer.status === 409 && isPreconditionFailure(answer.body) ? { kind: 'Gone', why: 'Replaced' } : undefined;
}

/** A 409 of two writers at once says so in another text and is to be tried again. */
function isPreconditionFailure(body: Readonly<Record<string, unknown>>): boolean {
  return typeof body.message === 'string' && /precondition|uid mismatch|the UID in/i.test(body.message);
}
