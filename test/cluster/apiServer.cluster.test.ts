// The contract of the Kubernetes API against a real kube-apiserver, so that the simulated cluster cannot drift from it.
import { apiServerContract } from '../contracts/apiServer.contract.ts';
import { done, versionOf } from '../contracts/apiServerUnderTest.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { waitFor } from './support/waitFor.ts';

const collection = '/apis/contract.example.com/v1/gadgets';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.contract.example.com' },
  spec: {
    group: 'contract.example.com',
    scope: 'Cluster',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

apiServerContract('kube-apiserver', async () => {
  const controlPlane = await startControlPlane({
    components: ['kcm'],
    controllers: ['resourceclaim-controller', 'garbage-collector-controller'],
  });
  const version = await expireHistory(controlPlane);
  const custom = { collection, apiVersion: 'contract.example.com/v1', kind: 'Gadget' };
  return { ...controlPlane, custom, expire: async () => ({ collection, version }) };
});

/**
 * A version that the new collection cannot serve: its watch cache begins after it, and etcd has forgotten it.
 * Waiting for a built-in collection to forget would take the API server five minutes.
 */
async function expireHistory({ client, etcdUrl }: ControlPlane): Promise<number> {
  const version = Number(versionOf(done(await client.call('GET', '/api/v1/pods'))));
  done(await client.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition }), 201);
  const list = await waitFor(async () => {
    const answer = await client.call('GET', `${collection}?limit=1`);
    return answer.status === 200 ? answer.body : undefined;
  });
  const body = JSON.stringify({ revision: versionOf(list), physical: true });
  const compaction = await fetch(`${etcdUrl}/v3/kv/compaction`, { method: 'POST', body });
  if (!compaction.ok) throw new Error(`etcd did not compact: ${await compaction.text()}`);
  return version;
}
