// What pauses evictions in the simulated cluster now, whether made by key, kubectl or console.
import { stopOf } from '../../adapters/kubernetes/evictionStop.ts';
import { pausesOf } from '../../decide/pauses.ts';
import type { EvictionStop } from '../../model/stop.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { KubeObject } from '../cluster/object.ts';

/** Namespaces with pauses, each with their names: `serving (manual)`. */
export function pausedNamespaces(cluster: Cluster): readonly string[] {
  return cluster.store.list(cluster.resource('namespaces')).flatMap(({ metadata: { name, annotations = {} } }) => {
    const pauses = pausesOf(annotations);
    return pauses.length === 0 ? [] : [`${name} (${pauses.join('; ')})`];
  });
}

function stopsOf(cluster: Cluster): readonly KubeObject[] {
  return cluster.store.list(cluster.resource('evictionstops'));
}

/** Whether any EvictionStop exists, whether made by key, kubectl or console. */
export function isPaused(cluster: Cluster): boolean {
  return stopsOf(cluster).length > 0;
}

/** The EvictionStops of this moment, whether made by key, kubectl or console. */
export function currentStops(cluster: Cluster): readonly EvictionStop[] {
  return stopsOf(cluster).map(stopOf);
}
