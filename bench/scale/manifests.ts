// Objects of a large cluster as left by scheduler and drivers: each pod runs with its own claim for one device.
import {
  deviceClass,
  namespace,
  pod,
  resourceClaim,
  resourceSlice,
  type TaintSpec,
} from '../../lib/local/cluster/builders.ts';
import type { JsonMap } from '../../lib/local/cluster/object.ts';

export const driver = 'gpu.example.com';
/** Driver of the first tenth of all nodes. */
export const largeDriver = 'large.example.com';
export const devicesPerNode = 8;
const load = 'load';

export const podUid = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;

export function* manifestsOf(pods: number): Generator<JsonMap> {
  yield namespace(load);
  yield deviceClass(driver);
  for (let node = 0; node < Math.ceil(pods / devicesPerNode); node++) yield sliceOf(node, pods);
  for (let i = 0; i < pods; i++) {
    yield claimOf(i, pods);
    yield podOf(i);
  }
}

const driverOf = (node: number, pods: number) => (node * devicesPerNode < pods / 10 ? largeDriver : driver);

export function sliceOf(node: number, pods: number, taints: readonly TaintSpec[] = []): JsonMap {
  const name = `node-${node}`;
  const tainted = taints.length > 0 ? { taints } : {};
  const devices = Array.from({ length: devicesPerNode }, (_, i) => ({ name: `gpu-${i}`, ...tainted }));
  const slice = resourceSlice({ name, driver: driverOf(node, pods), node: name, devices });
  const uid = `00000000-0000-4000-9000-${String(node).padStart(12, '0')}`;
  return { ...slice, metadata: { ...(slice.metadata as JsonMap), uid } };
}

function claimOf(i: number, pods: number): JsonMap {
  const node = Math.floor(i / devicesPerNode);
  const [pool, device] = [`node-${node}`, `gpu-${i % devicesPerNode}`];
  const results = [{ request: 'device', driver: driverOf(node, pods), pool, device }];
  const reservedFor = [{ resource: 'pods', name: `pod-${i}`, uid: podUid(i) }];
  const claim = resourceClaim({ name: `claim-${i}`, namespace: load, deviceClass: driver });
  return { ...claim, status: { allocation: { devices: { results } }, reservedFor } };
}

function podOf(i: number): JsonMap {
  const node = `node-${Math.floor(i / devicesPerNode)}`;
  const made = pod({ name: `pod-${i}`, namespace: load, node, claim: `claim-${i}`, graceSeconds: 30 });
  const metadata = { ...(made.metadata as JsonMap), uid: podUid(i) };
  const conditions = ['Ready', 'PodScheduled'].map((type) => ({ type, status: 'True' }));
  return { ...made, metadata, status: { phase: 'Running', conditions } };
}
