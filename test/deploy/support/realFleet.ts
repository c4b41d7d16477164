// The same fleet on a real control plane: its scheduler and allocator place the pods.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pod } from '../../../lib/local/cluster/builders.ts';
import { createApiClient } from '../../../lib/local/cluster/client.ts';
import { describeFleet, type FleetPod } from '../../../lib/local/cluster/fleet.ts';
import { isMap, type JsonMap, listAt, mapAt, textAt } from '../../../lib/local/cluster/object.ts';
import { startFakeKubelet } from '../../../lib/local/fakeKubelet.ts';
import { type ControlPlane, startControlPlane } from '../../cluster/support/controlPlane.ts';
import { createAll } from '../../cluster/support/objects.ts';
import { waitFor } from '../../cluster/support/waitFor.ts';
import { drivers as allDrivers, clusterName, type FleetSize, rulesOf, type TestFleet } from './fleet.ts';
import { type Authenticate, startRelay } from './relay.ts';

export async function startRealFleet(
  folder: string,
  size: FleetSize,
  options: { readonly authenticate?: Authenticate; readonly controllers?: readonly string[] } = {},
): Promise<TestFleet & { readonly controlPlane: ControlPlane }> {
  const { authenticate, controllers } = options;
  const controlPlane = await startControlPlane(controllers ? { controllers } : {});
  const relay = await startRelay(controlPlane, authenticate);
  const kubelet = startFakeKubelet(controlPlane);
  const client = createApiClient({ ...controlPlane, userAgent: 'deploy-test' });
  const pods = await populate(controlPlane, size);
  mkdirSync(folder, { recursive: true });
  const credentials = path.join(folder, 'credentials.json');
  writeFileSync(credentials, JSON.stringify({ token: controlPlane.token }), { mode: 0o600 });
  return {
    props: {
      name: clusterName,
      endpoint: relay.url,
      certificateAuthority: relay.ca,
      auth: { kind: 'file', path: credentials },
      native: 'own',
    },
    controlPlane,
    kubeconfig: controlPlane.kubeconfig,
    pods,
    client,
    deletes: () => relay.deletes,
    ...rulesOf(client),
    breakDown: relay.breakDown,
    async stop() {
      client.close();
      await kubelet.stop();
      await relay.close();
      await controlPlane.stop();
    },
  };
}

/** As many pods of each driver as of the others, on devices that the allocator chose. */
async function populate(
  { client }: ControlPlane,
  { nodes, pods: count, drivers = allDrivers }: FleetSize,
): Promise<readonly FleetPod[]> {
  const devicesPerNode = Math.ceil(count / nodes);
  const { manifests } = describeFleet({ nodes, devicesPerNode, pods: 0, drivers, namespaces: ['team'] });
  const wanted = Array.from({ length: count }, (_, i) => {
    const template = `one-device-${(drivers[i % drivers.length] ?? '').split('.')[0]}`;
    return pod({ name: `pod-${i}`, namespace: 'team', template, graceSeconds: 1 });
  });
  await createAll(client, [...manifests, ...wanted]);
  return waitFor(async () => {
    const [found, claims] = await Promise.all([
      client.call('GET', '/api/v1/namespaces/team/pods'),
      client.call('GET', '/apis/resource.k8s.io/v1/namespaces/team/resourceclaims'),
    ]);
    const placed = listAt(found.body, 'items')
      .filter(isMap)
      .flatMap((one) => fleetPod(one, listAt(claims.body, 'items').filter(isMap)));
    return placed.length === count ? placed : undefined;
  }, 240_000);
}

function fleetPod(running: JsonMap, claims: readonly JsonMap[]): FleetPod[] {
  if (textAt(running, 'status', 'phase') !== 'Running') return [];
  const uid = textAt(running, 'metadata', 'uid') ?? '';
  const claim = claims.find((one) =>
    listAt(one, 'status', 'reservedFor').some((user) => isMap(user) && user.uid === uid),
  );
  const [device] = listAt(claim ?? {}, 'status', 'allocation', 'devices', 'results').filter(isMap);
  if (!claim || !device) return [];
  const metadata = mapAt(running, 'metadata') ?? {};
  return [
    {
      namespace: 'team',
      name: textAt(metadata, 'name') ?? '',
      uid,
      claim: textAt(claim, 'metadata', 'name') ?? '',
      driver: textAt(device, 'driver') ?? '',
      pool: textAt(device, 'pool') ?? '',
      device: textAt(device, 'device') ?? '',
      tolerant: false,
    },
  ];
}
