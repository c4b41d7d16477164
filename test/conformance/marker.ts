// How a controller's rest is seen: four pods of our own, one for each kind that it watches, each reached by one last write.

import { burstAnnotation, rateAnnotation } from '../../lib/decide/rate.ts';
import { deviceTaintRule, pod, resourceApi } from '../../lib/local/cluster/builders.ts';
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { at, isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { createAll, mergePatch, objectPath } from '../cluster/support/objects.ts';
import { waitFor } from '../cluster/support/waitFor.ts';

/**
 * Changes of one kind are seen in their order. So when the pods that the last slice, rule, claim and pod event have reached are
 * terminating, every event before those has been seen, and the work that it caused was queued before theirs.
 */
export interface Marker {
  /** Resolves when the controller has taken in everything that was written before the call. */
  rest(): Promise<void>;
}

const taint = { key: 'marker', effect: 'NoExecute' };
const roles = ['slice', 'rule', 'claim', 'pod'] as const;
type Role = (typeof roles)[number];
/** Empty selectors of histories must not reach a marker. */
const tolerations = ['example.com/k0', 'k1'].map((key) => ({ key, operator: 'Exists', effect: 'NoExecute' }));

export async function createMarker(client: ApiClient, namespace: string, name: string): Promise<Marker> {
  const driver = (role: Role) => `${role}.${name}.${namespace}.example.com`;
  const slice = (role: Role, tainted: boolean): JsonMap => ({
    apiVersion: resourceApi,
    kind: 'ResourceSlice',
    metadata: { name: driver(role) },
    spec: {
      driver: driver(role),
      allNodes: true,
      pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'device', ...(tainted && { taints: [taint] }) }],
    },
  });
  const claim = (role: Role): JsonMap => ({
    apiVersion: resourceApi,
    kind: 'ResourceClaim',
    metadata: { name: `${name}-${role}`, namespace },
    spec: { devices: { requests: [{ name: 'r0', exactly: { deviceClassName: 'example.com' } }] } },
  });
  const podOf = (role: Role, node?: string) =>
    pod({ name: `${name}-${role}`, namespace, claim: `${name}-${role}`, ...(node === undefined ? {} : { node }) });
  const uids = new Map<Role, string>();
  const allocate = (role: Role) => {
    const results = [{ request: 'r0', driver: driver(role), pool: 'pool', device: 'device', tolerations }];
    const reservedFor = [{ resource: 'pods', name: `${name}-${role}`, uid: uids.get(role) }];
    return mergePatch(client, claim(role), { status: { allocation: { devices: { results } }, reservedFor } }, 'status');
  };
  await Promise.all(
    roles.map(async (role) => {
      const published = role === 'rule' ? [] : [slice(role, role !== 'slice')];
      const [, created] = await createAll(client, [
        claim(role),
        podOf(role, role === 'pod' ? undefined : 'node'),
        ...published,
      ]);
      uids.set(role, textAt(created, 'metadata', 'uid') ?? '');
      if (role !== 'claim') await allocate(role);
    }),
  );
  return {
    async rest() {
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: podOf('pod').metadata,
        target: { apiVersion: 'v1', kind: 'Node', name: 'node' },
      };
      const rule = deviceTaintRule({ name: driver('rule'), deviceSelector: { driver: driver('rule') }, taint });
      const annotations = { [rateAnnotation]: '10000', [burstAnnotation]: '10000' };
      await Promise.all([
        mergePatch(client, slice('slice', true), { spec: slice('slice', true).spec }),
        createAll(client, [{ ...rule, metadata: { name: driver('rule'), annotations } }]),
        allocate('claim'),
        client.call('POST', `${objectPath(podOf('pod'))}/binding`, { body: binding }),
      ]);
      await waitFor(async () => {
        const answer = await client.call('GET', `/api/v1/namespaces/${namespace}/pods`);
        const mine = listAt(answer.body, 'items').filter(
          (one) => isMap(one) && textAt(one, 'metadata', 'name')?.startsWith(`${name}-`),
        );
        return mine.every((one) => at(one, 'metadata', 'deletionTimestamp') !== undefined) ? true : undefined;
      }, 60_000);
    },
  };
}
