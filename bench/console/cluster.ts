// Simulated cluster of 40,000 devices and 100,000 pods, whose devices are tainted and untainted one after the other.
import { pod } from '../../lib/local/cluster/builders.ts';
import { type Cluster, startCluster } from '../../lib/local/cluster/cluster.ts';
import { describeFleet, populate } from '../../lib/local/cluster/fleet.ts';
import { type JsonMap, listAt, mapAt } from '../../lib/local/cluster/object.ts';

export const size = { nodes: 5000, devicesPerNode: 8, devices: 40_000, pods: 100_000 } as const;
const podsWithDevices = 40_000;
/** Number of nodes to change, those on the first page of groups, so that a change affects map and group. */
const changing = 48;
/** A dry-run rule whose plan contains half of the pods with devices. */
const planned = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name: 'planned' },
  spec: {
    deviceSelector: { driver: 'gpu.example.com' },
    taint: { key: 'example.com/planned', effect: 'None' },
  },
};
export const plannedRule = `${planned.kind}/${planned.metadata.name}`;
const teams = Array.from({ length: 20 }, (_, i) => `team-${i}`);

export interface LargeCluster {
  readonly cluster: Cluster;
  /** Taints or untaints a used device. */
  change(i: number): void;
}

export async function startLargeCluster(): Promise<LargeCluster> {
  const cluster = await startCluster({ keptCalls: 1000, claimController: false });
  const { nodes, devicesPerNode } = size;
  const drivers = ['gpu.example.com', 'tpu.example.com'];
  populate(describeFleet({ nodes, devicesPerNode, pods: podsWithDevices, drivers, namespaces: teams }), cluster.seed);
  for (let i = podsWithDevices; i < size.pods; i++) {
    const made = pod({
      name: `service-${i}`,
      namespace: teams[i % teams.length] ?? '',
      node: `node-${String(i % nodes).padStart(3, '0')}`,
    });
    cluster.seed({ ...made, status: { phase: 'Running' } });
  }
  cluster.seed(planned);
  const slices = cluster.resource('resourceslices');
  const names = cluster.store
    .list(slices)
    .slice(0, changing)
    .map(({ metadata }) => metadata.name);
  return {
    cluster,
    change(i) {
      const slice = cluster.store.get(slices, names[i % changing] ?? '');
      if (!slice) throw new Error('a slice of the fleet is gone');
      const devices = listAt(slice, 'spec', 'devices').map((one, n) => (n === 0 ? toggled(one as JsonMap) : one));
      cluster.store.put(slices, { ...slice, spec: { ...mapAt(slice, 'spec'), devices } });
    },
  };
}

function toggled(device: JsonMap): JsonMap {
  const { taints, ...healthy } = device;
  if (taints !== undefined) return healthy;
  const taint = { key: 'example.com/unhealthy', effect: 'NoExecute', timeAdded: new Date().toISOString() };
  return { ...device, taints: [taint] };
}
