// The cluster that the deployed functions evict from: what a test changes in it, and what it counts.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClusterProps } from '../../../infra/props.ts';
import { deviceTaintRule } from '../../../lib/local/cluster/builders.ts';
import type { ApiCall } from '../../../lib/local/cluster/calls.ts';
import { type ApiClient, createApiClient } from '../../../lib/local/cluster/client.ts';
import { startCluster } from '../../../lib/local/cluster/cluster.ts';
import { describeFleet, type FleetPod, populate } from '../../../lib/local/cluster/fleet.ts';
import { isMap, listAt, textAt } from '../../../lib/local/cluster/object.ts';
import { startFakeKubelet } from '../../../lib/local/fakeKubelet.ts';

export const clusterName = 'local';

export interface TestFleet {
  /** As the stack is told of it. */
  readonly props: ClusterProps;
  readonly kubeconfig: string;
  readonly pods: readonly FleetPod[];
  /** For objects of a test's own. */
  readonly client: ApiClient;
  /** DELETE requests for pods by any client but the kubelet, oldest first. */
  deletes(): readonly SeenDelete[];
  /** Returns the time (epoch ms) at which the request was sent. */
  taint(rule: TaintOfDevices): Promise<number>;
  /** Pods a second from now on. */
  changeRate(name: string, perSecond: number): Promise<void>;
  untaint(name: string): Promise<void>;
  /** Status and message of the rule's condition EvictionInProgress; empty while there is none. */
  condition(name: string): Promise<string>;
  /** Reads, lists and patches of this resource, which is what functions do, are answered with 503 until the returned function is called. */
  breakDown(resource: string): () => void;
  stop(): Promise<void>;
}

export interface SeenDelete {
  readonly uid: string;
  readonly status: number;
  readonly userAgent: string;
  /** Epoch ms; when the API server had the request. */
  readonly at: number;
}

export interface TaintOfDevices {
  readonly name: string;
  readonly selector: { readonly driver?: string; readonly pool?: string; readonly device?: string };
  /** NoExecute by default. */
  readonly effect?: 'None' | 'NoExecute';
  /** Pods a second, and at once; 10 and 10 by default. */
  readonly perSecond?: number;
  readonly burst?: number;
}

/** Each test takes a driver of its own. */
export const drivers = ['gpu.example.com', 'tpu.example.com', 'nic.example.com', 'fpga.example.com'] as const;

export interface FleetSize {
  readonly nodes: number;
  readonly pods: number;
  /** Of node after node; all drivers in turn by default. */
  readonly drivers?: readonly string[];
}

/** Its address is 127.0.0.2, because the emulator turns HTTPS to 127.0.0.1 into HTTP. */
export async function startSimulatedFleet(folder: string, size: FleetSize): Promise<TestFleet> {
  const cluster = await startCluster({});
  const devicesPerNode = Math.ceil(size.pods / size.nodes);
  const fleet = describeFleet({ drivers, ...size, devicesPerNode, sharedEvery: 0, tolerantEvery: 0 });
  populate(fleet, (manifest) => cluster.seed(manifest));
  const access = { url: cluster.url, ca: cluster.ca, token: cluster.token };
  const kubelet = startFakeKubelet(access);
  const client = createApiClient({ ...access, userAgent: 'deploy-test' });
  mkdirSync(folder, { recursive: true });
  const kubeconfig = path.join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfigYaml, { mode: 0o600 });
  const credentials = path.join(folder, 'credentials.json');
  writeFileSync(credentials, JSON.stringify({ token: cluster.token }), { mode: 0o600 });
  return {
    props: {
      name: clusterName,
      endpoint: cluster.url,
      certificateAuthority: cluster.ca,
      auth: { kind: 'file', path: credentials },
      native: 'own',
    },
    kubeconfig,
    pods: fleet.pods,
    client,
    deletes: () =>
      cluster.calls.filter(isEviction).map(({ uid, uidPrecondition, status, userAgent, receivedEpoch }) => ({
        uid: uid ?? uidPrecondition ?? '',
        status,
        userAgent,
        at: receivedEpoch,
      })),
    ...rulesOf(client),
    breakDown: (resource) =>
      cluster.faults.add({
        status: 503,
        when: ({ request }) => request.resource.plural === resource && ['get', 'list', 'patch'].includes(request.verb),
      }),
    async stop() {
      client.close();
      await kubelet.stop();
      await cluster.close();
    },
  };
}

function isEviction(call: ApiCall): boolean {
  return call.verb === 'delete' && call.resource === 'pods' && !call.subresource && call.userAgent !== 'fake-kubelet';
}

const rulesPath = '/apis/resource.k8s.io/v1/devicetaintrules';

/** What a test does to rules and reads of them. */
export function rulesOf(client: ApiClient): Pick<TestFleet, 'taint' | 'changeRate' | 'untaint' | 'condition'> {
  return {
    async taint(rule) {
      const sent = Date.now();
      const answer = await client.call('POST', rulesPath, { body: manifestOf(rule) });
      if (answer.status !== 201) throw new Error(`rule ${rule.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return sent;
    },
    async changeRate(name, perSecond) {
      const body = { metadata: { annotations: { 'sluice.dev/evictions-per-second': String(perSecond) } } };
      const contentType = 'application/merge-patch+json';
      const answer = await client.call('PATCH', `${rulesPath}/${name}`, { body, contentType });
      if (answer.status !== 200) throw new Error(`rule ${name} cannot be patched: ${answer.status}`);
    },
    async untaint(name) {
      const answer = await client.call('DELETE', `${rulesPath}/${name}`);
      if (answer.status !== 200) throw new Error(`rule ${name} cannot be deleted: ${answer.status}`);
    },
    async condition(name) {
      const { body } = await client.call('GET', `${rulesPath}/${name}`);
      const [found] = (listAt(body, 'status', 'conditions') ?? []).filter(isMap);
      return found ? `${textAt(found, 'status')}: ${textAt(found, 'message')}` : '';
    },
  };
}

function manifestOf({ name, selector, effect = 'NoExecute', perSecond, burst }: TaintOfDevices) {
  const taint = { key: 'example.com/unhealthy', value: 'yes', effect };
  const annotations = {
    ...(perSecond === undefined ? {} : { 'sluice.dev/evictions-per-second': String(perSecond) }),
    ...(burst === undefined ? {} : { 'sluice.dev/burst': String(burst) }),
  };
  return { ...deviceTaintRule({ name, deviceSelector: selector, taint }), metadata: { name, annotations } };
}
