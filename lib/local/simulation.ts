// The simulated fleet: a cluster that speaks the Kubernetes API, its nodes and pods, and the kubelets' part.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Cluster, startCluster } from './cluster/cluster.ts';
import { describeFleet, type Fleet, populate } from './cluster/fleet.ts';
import { type FakeKubelet, startFakeKubelet } from './fakeKubelet.ts';
import { temporaryFolder } from './temporaryFolder.ts';

export interface Simulation {
  readonly cluster: Cluster;
  readonly fleet: Fleet;
  /** Path of a kubeconfig for the simulated cluster. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export const drivers = { main: 'gpu.example.com', large: 'tpu.example.com', single: 'nic.example.com' } as const;

/** 60 nodes with 8 devices each; half of them of the driver whose rule is stopped half way. */
const fleetOptions = {
  nodes: 60,
  devicesPerNode: 8,
  pods: 400,
  drivers: [drivers.main, drivers.large, drivers.single, drivers.large],
} as const;

export async function startSimulation(): Promise<Simulation> {
  const cluster = await startCluster({});
  const fleet = describeFleet(fleetOptions);
  populate(fleet, (manifest) => cluster.seed(manifest));
  const kubelet: FakeKubelet = startFakeKubelet({ url: cluster.url, ca: cluster.ca, token: cluster.token });
  const folder = temporaryFolder('sluice-cluster-');
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfigYaml, { mode: 0o600 });
  return {
    cluster,
    fleet,
    kubeconfig,
    async stop() {
      await kubelet.stop();
      await cluster.close();
      folder.remove();
    },
  };
}
