// Whether the namespace that a command names exists: an empty list of a name that is misspelt must not read as "none".
import { saysNotFound } from '../../adapters/kubernetes/apiFailure.ts';
import { namespaceResource } from '../../adapters/kubernetes/servedVersion.ts';
import { Failure } from '../failure.ts';
import { nearestHelp } from '../nearest.ts';
import { listObjects, nameOf } from './objects.ts';
import type { OpenCluster } from './open.ts';

/**
 * `items`, unless there are none because there is no such namespace: throws a `Failure` then. Rights to list objects of a
 * namespace do not bring the right to read it, so only the API server's clear answer counts.
 */
export async function inNamespace<T>(
  cluster: OpenCluster,
  namespace: string | undefined,
  items: readonly T[],
): Promise<readonly T[]> {
  if (items.length > 0 || namespace === undefined) return items;
  const subject = `namespace ${namespace}`;
  const answer = await cluster.client.send({ method: 'GET', path: `/api/v1/namespaces/${namespace}`, subject });
  if (!saysNotFound(answer, namespace)) return items;
  const known = await listObjects(cluster, namespaceResource).catch(() => []);
  throw new Failure(
    `there is no namespace ${namespace} in context ${cluster.context}`,
    nearestHelp(namespace, known.map(nameOf), 'kubectl get namespaces'),
  );
}
