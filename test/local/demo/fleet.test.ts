// The demo's cluster without Sluice: its pods run and come back elsewhere, and what a key does is what kubectl could have done.
import { afterEach, describe, expect, it } from 'vitest';
import { createApiClient } from '../../../lib/local/cluster/client.ts';
import { listAt, textAt } from '../../../lib/local/cluster/object.ts';
import { badDriver, badNodes, doubtful, gpuDriver } from '../../../lib/local/demo/acts.ts';
import { demoManifests } from '../../../lib/local/demo/demo.ts';
import { readDevices } from '../../../lib/local/demo/devices.ts';
import { chatNode, gpuNodes, workloads } from '../../../lib/local/demo/fleet.ts';
import { readFleet } from '../../../lib/local/demo/fleetSnapshot.ts';
import {
  approveHeld,
  changeRate,
  createOperator,
  isPaused,
  type Operator,
  taintNode,
  togglePause,
} from '../../../lib/local/demo/operator.ts';
import { startWorkloads, type Workloads } from '../../../lib/local/demo/workloads.ts';
import { type Simulation, startSimulation } from '../../../lib/local/simulation.ts';

let simulation: Simulation;
let running: Workloads;
let operator: Operator;

async function begin(): Promise<Simulation['cluster']> {
  simulation = await startSimulation({ manifests: demoManifests });
  // A test looks when it wants to, never by the clock.
  running = startWorkloads(simulation.cluster, workloads, { interval: 3_600_000 });
  operator = createOperator(simulation.cluster);
  return simulation.cluster;
}

afterEach(async () => {
  running.stop();
  operator.close();
  await simulation.stop();
});

const wanted = workloads.reduce((sum, one) => sum + one.replicas, 0);
const podsOf = (cluster: Simulation['cluster']) => cluster.store.list(cluster.resource('pods'));
const nodeOfPod = (pod: unknown) => textAt(pod, 'spec', 'nodeName');
const eventually = (check: () => void) => expect.poll(() => attempt(check), { timeout: 20_000 }).toBe('holds');

function attempt(check: () => void): string {
  try {
    check();
    return 'holds';
  } catch (error) {
    return String(error);
  }
}

describe('the workloads of the demo', () => {
  it('have all their pods, each on a device of its own', async () => {
    const cluster = await begin();
    expect(podsOf(cluster)).toHaveLength(wanted);
    expect(podsOf(cluster).filter((pod) => nodeOfPod(pod) === undefined)).toEqual([]);
    expect(readDevices(cluster).taken.size).toBe(wanted);
    const { nodes, teams } = readFleet(cluster);
    expect(nodes.flatMap(({ devices }) => devices).filter((one) => one === 'InUse')).toHaveLength(wanted);
    expect(teams.reduce((sum, one) => sum + one.running + one.waiting, 0)).toBe(wanted);
  });

  it('bring a deleted pod back under another name, on a device without a taint', async () => {
    const cluster = await begin();
    await operator.apply(badDriver);
    for (const slice of gpuDriver('bad')) await operator.apply(slice);
    await eventually(() =>
      expect(podsOf(cluster).every((pod) => textAt(pod, 'status', 'phase') === 'Running')).toBe(true),
    );
    const doomed = podsOf(cluster).find((pod) => badNodes.includes(nodeOfPod(pod) ?? ''));
    const { name = '', namespace = '' } = doomed?.metadata ?? {};
    await deletePod(namespace, name);
    await eventually(() => expect(podsOf(cluster).map(({ metadata }) => metadata.name)).not.toContain(name));
    const before = new Set(podsOf(cluster).map(({ metadata }) => metadata.name));
    running.reconcile();
    const fresh = podsOf(cluster).filter(({ metadata }) => !before.has(metadata.name));
    expect(fresh).toHaveLength(1);
    expect(badNodes).not.toContain(nodeOfPod(fresh[0]));
    expect(podsOf(cluster)).toHaveLength(wanted);
  });

  it('leave a pod without a node while every device of its driver is tainted or in use', async () => {
    const cluster = await begin();
    for (const node of gpuNodes) await taintNode(operator, node);
    const [doomed] = podsOf(cluster).filter((pod) => nodeOfPod(pod) === chatNode);
    await eventually(() =>
      expect(podsOf(cluster).every((pod) => textAt(pod, 'status', 'phase') === 'Running')).toBe(true),
    );
    await deletePod(doomed?.metadata.namespace ?? '', doomed?.metadata.name ?? '');
    await eventually(() => expect(podsOf(cluster)).toHaveLength(wanted - 1));
    running.reconcile();
    expect(podsOf(cluster).filter((pod) => nodeOfPod(pod) === undefined)).toHaveLength(1);
    await operator.remove('DeviceTaintRule', `tainted-${gpuNodes[1]}`);
    running.reconcile();
    expect(podsOf(cluster).filter((pod) => nodeOfPod(pod) === undefined)).toEqual([]);
  });

  it('count in their budget how many pods may go', async () => {
    const cluster = await begin();
    const budget = () => cluster.store.get(cluster.resource('poddisruptionbudgets'), 'serving/chat');
    await eventually(() => {
      running.reconcile();
      expect(budget()).toMatchObject({ status: { disruptionsAllowed: 4, currentHealthy: 8, desiredHealthy: 4 } });
    });
    const [chat] = podsOf(cluster).filter(({ metadata }) => metadata.labels?.app === 'chat');
    await deletePod('serving', chat?.metadata.name ?? '');
    running.reconcile();
    expect(budget()).toMatchObject({ status: { disruptionsAllowed: 3, currentHealthy: 7 } });
  });
});

describe('what the acts taint', () => {
  it.each([
    ['the bad driver by CEL, on the nodes that have it', () => [badDriver, ...gpuDriver('bad')], badNodes.length * 8],
    ['half of a rack by one agent', () => [doubtful], 20],
  ])('%s', async (_, manifests, devices) => {
    const cluster = await begin();
    for (const manifest of manifests()) await operator.apply(manifest);
    expect(readDevices(cluster).tainted.size).toBe(devices);
    const shown = readFleet(cluster).nodes.flatMap((node) => node.devices);
    expect(shown.filter((one) => one === 'Tainted' || one === 'ToEvict')).toHaveLength(devices);
  });
});

describe('a key of the demo', () => {
  it('p pauses every rule and policy by annotation, and resumes them all', async () => {
    const cluster = await begin();
    await taintNode(operator, 'gpu-05');
    expect(await togglePause(cluster, operator)).toMatch(/^paused/);
    const paused = () =>
      ['devicetaintrules', 'evictionpolicies']
        .flatMap((plural) => cluster.store.list(cluster.resource(plural)))
        .map(({ metadata }) => metadata.annotations?.['sluice.dev/paused']);
    expect([...new Set(paused())]).toEqual(['true']);
    expect(isPaused(cluster)).toBe(true);
    expect(await togglePause(cluster, operator)).toMatch(/^resumed/);
    expect([...new Set(paused())]).toEqual([undefined]);
  });

  it.each([
    [true, '4'],
    [false, '1'],
  ])('r and R take the next step of the rate (up: %s)', async (up, rate) => {
    const cluster = await begin();
    await taintNode(operator, 'gpu-05');
    // Paused: its rate counts as 0.
    await changeRate(cluster, operator, { rule: 'tainted-gpu-05', perSecond: 0, up });
    const rule = cluster.store.get(cluster.resource('devicetaintrules'), 'tainted-gpu-05');
    expect(rule?.metadata.annotations?.['sluice.dev/evictions-per-second']).toBe(rate);
  });

  it('a approves what a condition sluice.dev/Held offers, and says when there is nothing', async () => {
    const cluster = await begin();
    expect(await approveHeld(cluster, operator)).toBe('nothing waits for an approval');
    const policies = cluster.resource('evictionpolicies');
    const policy = cluster.store.get(policies, 'agents-in-doubt');
    const message =
      'Approve with: kubectl annotate --overwrite evictionpolicy agents-in-doubt sluice.dev/approve=3fa9c0de.';
    const held = { type: 'sluice.dev/Held', status: 'True', reason: 'ObserverInDoubt', message };
    if (policy) cluster.store.put(policies, { ...policy, status: { conditions: [held] } });
    expect(await approveHeld(cluster, operator)).toBe('approved: EvictionPolicy agents-in-doubt');
    const annotations = cluster.store.get(policies, 'agents-in-doubt')?.metadata.annotations;
    expect(annotations?.['sluice.dev/approve']).toBe('3fa9c0de');
  });

  it('t taints the GPUs of one node', async () => {
    const cluster = await begin();
    await taintNode(operator, 'gpu-05');
    expect(readDevices(cluster).tainted.size).toBe(8);
  });

  it('that the API server refuses is an error with its answer', async () => {
    await begin();
    const wrong = { ...doubtful, kind: 'DeviceTaintRule', apiVersion: 'resource.k8s.io/v1', spec: { taint: {} } };
    await expect(operator.apply(wrong)).rejects.toThrow(/create DeviceTaintRule tpu-health-agent: 422/);
  });
});

async function deletePod(namespace: string, name: string): Promise<void> {
  const { cluster } = simulation;
  const pod = cluster.store.get(cluster.resource('pods'), `${namespace}/${name}`);
  expect(listAt(pod, 'spec', 'containers')).toHaveLength(1);
  const client = createApiClient({ url: cluster.url, ca: cluster.ca, token: cluster.token });
  expect((await client.call('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`)).status).toBe(200);
  client.close();
}
