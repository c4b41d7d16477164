// The objects that an installation adds to a cluster, by name: the list is the same before and after, or something was left behind.
import { isMap, listAt, textAt } from '../../../lib/local/cluster/object.ts';
import type { Machine } from './machine.ts';

/** Of all kinds that Sluice brings objects of. */
export async function objectsOf({
  controlPlane: { client },
}: Pick<Machine, 'controlPlane'>): Promise<readonly string[]> {
  const lists = [
    '/api/v1/namespaces',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    '/apis/rbac.authorization.k8s.io/v1/roles',
    '/apis/rbac.authorization.k8s.io/v1/rolebindings',
    '/apis/apps/v1/deployments',
    '/apis/policy/v1/poddisruptionbudgets',
    '/apis/networking.k8s.io/v1/networkpolicies',
    '/api/v1/serviceaccounts',
    '/api/v1/secrets',
    '/api/v1/configmaps',
  ];
  const found = await Promise.all(
    lists.map(async (list) => {
      const { body } = await client.call('GET', list);
      return listAt(body, 'items')
        .filter(isMap)
        .map((one) => `${list} ${textAt(one, 'metadata', 'namespace') ?? ''}/${textAt(one, 'metadata', 'name')}`);
    }),
  );
  return found.flat().sort();
}
