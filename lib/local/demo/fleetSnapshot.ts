// Fleet snapshot for one frame, read from the simulated cluster's store at one version.
import { type DeviceId, deviceKey } from '../../model/identity.ts';
import type { DeviceState, FleetSnapshot } from '../../view/screenSnapshot.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { at, isMap, type JsonMap, type KubeObject, listAt, mapAt, textAt } from '../cluster/object.ts';
import { isUnderDeletion } from '../cluster/remove.ts';
import { readDevices } from './devices.ts';
import { drivers, nodes, racks, teams } from './fleet.ts';

export function readFleet(cluster: Cluster): FleetSnapshot {
  const devices = readDevices(cluster);
  const pods = cluster.store.list(cluster.resource('pods'));
  const ending = new Set(pods.filter(isUnderDeletion).map(({ metadata }) => metadata.uid));
  const evicting = new Set(
    cluster.store
      .list(cluster.resource('resourceclaims'))
      .filter((claim) => listAt(claim, 'status', 'reservedFor').some((one) => ending.has(textAt(one, 'uid') ?? '')))
      .flatMap((claim) => listAt(claim, 'status', 'allocation', 'devices', 'results').flatMap(keyOf)),
  );
  const stateOf = (key: string): DeviceState => {
    if (evicting.has(key)) return 'Evicting';
    if (devices.evicting.has(key) && devices.taken.has(key)) return 'ToEvict';
    if (devices.tainted.has(key)) return 'Tainted';
    return devices.taken.has(key) ? 'InUse' : 'Free';
  };
  const slices = new Map(
    cluster.store.list(cluster.resource('resourceslices')).map((slice) => [slice.metadata.name, slice]),
  );
  return {
    nodes: nodes.map((name) => {
      const spec = mapAt(slices.get(name), 'spec') ?? {};
      return { name, group: groupOf(name), devices: deviceIds(spec).map((id) => stateOf(deviceKey(id))) };
    }),
    teams: teams.map((name) => {
      const own = pods.filter(({ metadata }) => metadata.namespace === name);
      const running = own.filter(isRunning).length;
      return { name, running, waiting: own.length - running };
    }),
  };
}

function isRunning(pod: KubeObject): boolean {
  return textAt(pod, 'status', 'phase') === 'Running' && !isUnderDeletion(pod);
}

function groupOf(node: string): string {
  return racks.find((rack) => node.startsWith(rack)) ?? drivers.gpu;
}

function keyOf(result: unknown): readonly string[] {
  if (!isMap(result)) return [];
  const [driver = '', pool = '', device = ''] = ['driver', 'pool', 'device'].map((name) => textAt(result, name));
  return [deviceKey({ driver, pool, device })];
}

function deviceIds(spec: JsonMap): readonly DeviceId[] {
  const [driver = '', pool = ''] = [textAt(spec, 'driver'), textAt(spec, 'pool', 'name')];
  return listAt(spec, 'devices').map((one) => ({ driver, pool, device: String(at(one, 'name')) }));
}
