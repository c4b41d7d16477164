// The real adapter in front of the simulated cluster keeps the contract of the ports.
import { startCluster } from '../../lib/local/cluster/cluster.ts';
import { portsUnderTest } from '../support/clusterUnderTest.ts';
import { podEvictorContract } from './podEvictor.contract.ts';

podEvictorContract('simulated cluster', async () => {
  const cluster = await startCluster();
  return portsUnderTest(cluster, () => cluster.close());
});
