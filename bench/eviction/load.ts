// Load of one round: nodes with devices, and pods with claims that are allocated and reserved as by the scheduler.
import { deviceClass, namespace, node, pod, resourceClaim, resourceSlice } from '../../lib/local/cluster/builders.ts';
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';

export const driver = 'gpu.example.com';
const devicesPerNode = 8;
const load = 'load';
const [core, resource] = ['/api/v1', '/apis/resource.k8s.io/v1'];
const sideBySide = 24;
const mostDeletes = 5;

export const podsPath = `${core}/namespaces/${load}/pods`;

/** Creates objects shared by all rounds, enough for the largest one. */
export async function prepare(client: ApiClient, pods: number): Promise<void> {
  await create(client, `${core}/namespaces`, namespace(load));
  await create(client, `${resource}/deviceclasses`, deviceClass(driver));
  await each(Math.ceil(pods / devicesPerNode), async (i) => {
    const name = nodeName(i);
    await create(client, `${core}/nodes`, node(name));
    const devices = Array.from({ length: devicesPerNode }, (_, device) => ({ name: deviceName(device) }));
    await create(client, `${resource}/resourceslices`, resourceSlice({ name, driver, node: name, devices }));
  });
}

/**
 * Creates running pods with a device each; returns their UIDs. Without a kubelet, they keep terminating after their DELETE, so that
 * only the deletes are measured.
 */
export async function fill(client: ApiClient, round: string, pods: number): Promise<ReadonlySet<string>> {
  const uids = new Set<string>();
  await each(pods, async (i) => {
    const [on, device] = [nodeName(Math.floor(i / devicesPerNode)), deviceName(i % devicesPerNode)];
    const claim = `${round}-claim-${i}`;
    const claims = `${resource}/namespaces/${load}/resourceclaims`;
    await create(client, claims, resourceClaim({ name: claim, namespace: load, deviceClass: driver }));
    const manifest = pod({ name: `${round}-pod-${i}`, namespace: load, node: on, claim, graceSeconds: 30 });
    const made = await create(client, podsPath, manifest);
    const [name, uid] = [textAt(made, 'metadata', 'name'), textAt(made, 'metadata', 'uid')];
    uids.add(uid ?? '');
    const results = [{ request: 'device', driver, pool: on, device }];
    const reservedFor = [{ resource: 'pods', name, uid }];
    await patch(client, `${claims}/${claim}/status`, { status: { allocation: { devices: { results } }, reservedFor } });
    const conditions = ['Ready', 'PodScheduled'].map((type) => ({ type, status: 'True' }));
    await patch(client, `${podsPath}/${name}/status`, { status: { phase: 'Running', conditions } });
  });
  return uids;
}

/** Removes pods and claims of a round, as kubelets would; keeps nodes and slices. */
export async function empty(client: ApiClient): Promise<void> {
  for (const path of [podsPath, `${resource}/namespaces/${load}/resourceclaims`]) await deleteAll(client, path);
  for (;;) {
    const left = await client.call('GET', `${podsPath}?limit=1`);
    if (listAt(left.body, 'items').length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Retries, because a deletecollection of thousands of objects exceeds the API server's request timeout. */
async function deleteAll(client: ApiClient, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await client.call('DELETE', path, { body: { gracePeriodSeconds: 0 } });
    if (answer.status !== 504 || attempt === mostDeletes) return void answered(answer);
  }
}

async function create(client: ApiClient, path: string, body: JsonMap): Promise<JsonMap> {
  return answered(await client.call('POST', path, { body }));
}

async function patch(client: ApiClient, path: string, body: JsonMap): Promise<void> {
  answered(await client.call('PATCH', path, { body, contentType: 'application/merge-patch+json' }));
}

function answered({ status, body }: Awaited<ReturnType<ApiClient['call']>>): JsonMap {
  if (status >= 300) throw new Error(`the API server answered ${status}: ${textAt(body, 'message') ?? ''}`);
  return body;
}

async function each(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(sideBySide, count) }, worker));
}

const nodeName = (i: number) => `node-${i}`;
const deviceName = (i: number) => `gpu-${i}`;
