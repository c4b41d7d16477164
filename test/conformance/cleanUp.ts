// Deletes the objects of one batch of histories from an API server.
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';

const resources = '/apis/resource.k8s.io/v1';

export async function cleanUp(client: ApiClient, batch: string): Promise<void> {
  const isMine = (name: string) => name.startsWith(`${batch}-`) || name.includes(`.${batch}-`);
  const mine = async (path: string, field: 'name' | 'namespace') => {
    const answer = await client.call('GET', path);
    return listAt(answer.body, 'items')
      .filter(isMap)
      .filter((object) => isMine(textAt(object, 'metadata', field) ?? ''));
  };
  const remove = (path: string, objects: readonly JsonMap[]) =>
    Promise.all(
      objects.map((object) => {
        const space = textAt(object, 'metadata', 'namespace');
        const collection = space === undefined ? path : path.replace(/\/(\w+)$/, `/namespaces/${space}/$1`);
        const body = { gracePeriodSeconds: 0 };
        return client.call('DELETE', `${collection}/${textAt(object, 'metadata', 'name')}`, { body });
      }),
    );
  const kinds = [
    [`${resources}/devicetaintrules`, 'name'],
    [`${resources}/resourceslices`, 'name'],
    ['/api/v1/pods', 'namespace'],
    [`${resources}/resourceclaims`, 'namespace'],
    ['/api/v1/events', 'namespace'],
  ] as const;
  for (const [path, field] of kinds) await remove(path, await mine(path, field));
}
