// The contract of the Kubernetes API against the simulated cluster.
import { createApiClient } from '../../lib/local/cluster/client.ts';
import { startCluster } from '../../lib/local/cluster/cluster.ts';
import { apiServerContract } from './apiServer.contract.ts';
import { slices } from './apiServerUnderTest.ts';

apiServerContract('the simulated cluster', async () => {
  const cluster = await startCluster({ bookmarkInterval: 500 });
  const client = createApiClient(cluster);
  const version = cluster.store.version();
  cluster.seed({ kind: 'Namespace', metadata: { name: 'later' } });
  cluster.compact();
  return {
    ...cluster,
    client,
    custom: {
      collection: '/apis/sluice.dev/v1alpha1/evictionstops',
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionStop',
    },
    expire: async () => ({ collection: slices, version }),
    async stop() {
      client.close();
      await cluster.close();
    },
  };
});
