// Namespaces given on the command line, and whether they exist: an empty list for a misspelt name must not read as "none".
import { saysNotFound } from '../../adapters/kubernetes/apiFailure.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { namespaceResource } from '../../adapters/kubernetes/servedVersion.ts';
import { NotFound } from '../failure.ts';
import { nearestHelp } from '../nearest.ts';
import { findObject, listObjects, nameOf } from './objects.ts';
import type { OpenCluster } from './open.ts';

/**
 * Returns `items`; throws a `Failure` if there are none because the namespace does not exist. The right to list objects of a
 * namespace does not include the right to read the namespace, so only a clear 404 of the API server counts.
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
  throw new NotFound(
    `there is no namespace ${namespace} in context ${cluster.context}`,
    nearestHelp(namespace, known.map(nameOf), 'kubectl get namespaces'),
  );
}

export async function requireNamespace(cluster: OpenCluster, name: string): Promise<Json> {
  const found = await findObject(cluster, namespaceResource, { name });
  if (found) return found;
  const known = (await listObjects(cluster, namespaceResource)).map(nameOf);
  throw new NotFound(
    `there is no namespace ${name} in context ${cluster.context}; nothing was written`,
    nearestHelp(name, known, 'kubectl get namespaces'),
  );
}
