// Simulated cluster: an API server with the given objects, and fake kubelets.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Cluster, startCluster } from './cluster/cluster.ts';
import type { JsonMap } from './cluster/object.ts';
import { type FakeKubeletOptions, startFakeKubelet } from './fakeKubelet.ts';
import { temporaryFolder } from './temporaryFolder.ts';

export interface Simulation {
  readonly cluster: Cluster;
  /** Path of a kubeconfig for the simulated cluster. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export interface SimulationOptions {
  /** In creation order. */
  readonly manifests: readonly JsonMap[];
  readonly kubelet?: Pick<FakeKubeletOptions, 'startDelay' | 'terminationDelay'>;
}

export async function startSimulation({ manifests, kubelet = {} }: SimulationOptions): Promise<Simulation> {
  const cluster = await startCluster({});
  for (const manifest of manifests) cluster.seed(manifest);
  const kubelets = startFakeKubelet({ url: cluster.url, ca: cluster.ca, token: cluster.token, ...kubelet });
  const folder = temporaryFolder('sluice-cluster-');
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfigYaml, { mode: 0o600 });
  return {
    cluster,
    kubeconfig,
    async stop() {
      await kubelets.stop();
      await cluster.close();
      folder.remove();
    },
  };
}
