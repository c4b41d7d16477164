// The ClaimConsumers port: looks up a consumer of any kind, and removes a claim's reservations.
import { claimNamesOf } from '../../decide/consume.ts';
import type { ConsumerReference } from '../../model/objects.ts';
import type { ClaimConsumers } from '../../ports.ts';
import type { ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotFound } from './apiFailure.ts';
import { listAll } from './liveLists.ts';
import { projectPod } from './projectPod.ts';
import { listOf, objectOf, textOf } from './read.ts';
import { claimResource, podResource, rememberServed } from './servedVersion.ts';

type Claim = { readonly namespace: string; readonly name: string };

export function createClaimConsumers(client: ApiClient): ClaimConsumers {
  const served = rememberServed(client, claimResource);
  const podsServed = rememberServed(client, podResource);
  const pathOf = async ({ namespace, name }: Claim) => {
    const found = await served.get();
    if (found.kind === 'NotServed') return { kind: 'RetryLater', after: 1000, why: 'claims are not served' } as const;
    if (found.kind !== 'Served') return found;
    return {
      kind: 'Path',
      path: `${claimResource.group}/${found.version}/namespaces/${encodeURIComponent(namespace)}/resourceclaims/${encodeURIComponent(name)}`,
    } as const;
  };
  return {
    find: (namespace, reference) => findConsumer(client, namespace, reference),
    async isReferenced({ namespace, name }) {
      const pods = await listAll(client, podsServed, {
        subject: `pods ${namespace}`,
        pathOf: (version) => `${podResource.group}/${version}/namespaces/${encodeURIComponent(namespace)}/pods`,
        keeps: (item) => mayReferTo(item, name),
      });
      if (pods.kind === 'NotServed') return { kind: 'RetryLater', after: 1000, why: pods.why };
      return pods.kind === 'Listed' ? { kind: 'Known', isReferenced: pods.items.length > 0 } : pods;
    },
    async release(claim, remaining) {
      const at = await pathOf(claim);
      if (at.kind !== 'Path') return at;
      const { uid, resourceVersion } = claim;
      const request: ApiRequest = {
        method: 'PATCH',
        path: `${at.path}/status`,
        contentType: 'application/merge-patch+json',
        subject: `claim ${claim.namespace}/${claim.name} status`,
        body: { metadata: { uid, resourceVersion }, status: { reservedFor: remaining } },
      };
      const answer = await client.send(request);
      if (answer.kind === 'Answer' && answer.status === 200) return { kind: 'Released' };
      const isMoved = answer.kind === 'Answer' && answer.status === 409;
      return isMoved || saysNotFound(answer, claim.name) ? { kind: 'Moved' } : failureOf(request, answer);
    },
  };
}

/** An unreadable pod may refer to any claim. */
function mayReferTo(item: unknown, claim: string): boolean {
  const projected = projectPod(item);
  return projected.kind !== 'Projected' || claimNamesOf(projected.object).includes(claim);
}

/** Uses the group's preferred version. A 404 counts only if it names the object: an API that is no longer served proves nothing. */
async function findConsumer(client: ApiClient, namespace: string, reference: ConsumerReference) {
  const { apiGroup = '', resource, name } = reference;
  const version = await preferredVersion(client, apiGroup);
  if (version.kind !== 'Version') return version;
  const path = `${version.path}/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(resource)}/${encodeURIComponent(name)}`;
  const request: ApiRequest = { method: 'GET', path, subject: `${resource} ${namespace}/${name}` };
  const answer = await client.send(request);
  if (saysNotFound(answer, name)) return { kind: 'NotFound' } as const;
  if (answer.kind !== 'Answer' || answer.status !== 200) {
    return { kind: 'Unknown', why: failureOf(request, answer).why } as const;
  }
  const uid = textOf(objectOf(answer.body.metadata).uid);
  if (uid === undefined) return { kind: 'Unknown', why: `${request.subject}: the answer has no UID` } as const;
  return { kind: 'Found', uid } as const;
}

type PreferredVersion =
  | { readonly kind: 'Version'; readonly path: string }
  | { readonly kind: 'Unknown'; readonly why: string };

async function preferredVersion(client: ApiClient, apiGroup: string): Promise<PreferredVersion> {
  if (apiGroup === '') return { kind: 'Version', path: '/api/v1' };
  const request: ApiRequest = {
    method: 'GET',
    path: `/apis/${encodeURIComponent(apiGroup)}`,
    subject: `API group ${apiGroup}`,
  };
  const answer = await client.send(request);
  if (answer.kind !== 'Answer' || answer.status !== 200) {
    return { kind: 'Unknown', why: failureOf(request, answer).why };
  }
  const preferred = textOf(objectOf(answer.body.preferredVersion).groupVersion);
  const first = textOf(listOf(answer.body.versions)[0]?.groupVersion);
  const found = preferred ?? first;
  return found === undefined
    ? { kind: 'Unknown', why: `${request.subject} has no version` }
    : { kind: 'Version', path: `/apis/${found}` };
}
