// Estimates the monthly cost from the nodes and devices in the ResourceSlices of each cluster.
import type { ApiClient } from '../../adapters/kubernetes/apiClient.ts';
import { listOf, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { findServed, sliceResource } from '../../adapters/kubernetes/servedVersion.ts';
import { estimate } from '../../cost/estimate.ts';

export interface FleetSize {
  readonly nodes: number;
  readonly devices: number;
}

const pageSize = 500;
/** Estimated object changes per node and second, for a busy cluster. */
const changesPerNode = 0.05;
const evictionsPerMonth = 1000;
const rules = 10;

/** Lists page by page and keeps only counts. */
export async function fleetSizeOf(client: ApiClient): Promise<FleetSize> {
  const served = await findServed(client, sliceResource);
  if (served.kind !== 'Served') return { nodes: 0, devices: 0 };
  const nodes = new Set<string>();
  let devices = 0;
  let next = '';
  do {
    const path = `/apis/resource.k8s.io/${served.version}/resourceslices?limit=${pageSize}&continue=${encodeURIComponent(next)}`;
    const answer = await client.send({ method: 'GET', path, subject: 'ResourceSlices' });
    const body = answer.kind === 'Answer' ? answer.body : {};
    for (const slice of listOf(body.items)) {
      const spec = objectOf(slice.spec);
      const name = textOf(spec.nodeName);
      if (name !== undefined) nodes.add(name);
      devices += listOf(spec.devices).length;
    }
    next = textOf(objectOf(body.metadata).continue) ?? '';
  } while (next !== '');
  return { nodes: nodes.size, devices };
}

export function costText(sizes: readonly FleetSize[]): string {
  const nodes = Math.max(1, ...sizes.map((one) => one.nodes));
  const devices = Math.max(0, ...sizes.map((one) => one.devices));
  const eventsPerSecond = Math.max(1, Math.ceil(nodes * changesPerNode));
  const fleet = { clusters: sizes.length, nodes, devicesPerNode: Math.max(1, Math.ceil(devices / nodes)) };
  const { dollars } = estimate({ ...fleet, eventsPerSecond, evictionsPerMonth, rules });
  const assumed = `${nodes} nodes of ${fleet.devicesPerNode} devices, ${eventsPerSecond} changes a second and ${evictionsPerMonth} evictions a month in each of ${sizes.length}`;
  return `about ${dollars.toFixed(2)} US dollars a month at list prices, for ${assumed} (for other figures: sluice cost)`;
}
