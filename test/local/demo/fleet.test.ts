// The demo's cluster without Sluice: its pods run and are replaced, and each key does what kubectl could do.
import { afterEach, describe, expect, it } from 'vitest';
import { createApiClient } from '../../../lib/local/cluster/client.ts';
import { listAt, textAt } from '../../../lib/local/cluster/object.ts';
import { isUnderDeletion } from '../../../lib/local/cluster/remove.ts';
import { badDriver, doubtful, gpuDriver, nodesForBadDriver } from '../../../lib/local/demo/acts.ts';
import { demoManifests } from '../../../lib/local/demo/demo.ts';
import { type Devices, readDevices } from '../../../lib/local/demo/devices.ts';
import { chatNode, gpuNodes, workloads } from '../../../lib/local/demo/fleet.ts';
import { readFleet } from '../../../lib/local/demo/fleetSnapshot.ts';
import {
  approveHeld,
  changeRate,
  createOperator,
  type Operator,
  taintNode,
  togglePause,
} from '../../../lib/local/demo/operator.ts';
import { isPaused } from '../../../lib/local/demo/pauses.ts';
import { moveBack } from '../../../lib/local/demo/play.ts';
import type { Stage } from '../../../lib/local/demo/stage.ts';
import { startWorkloads, type Workloads } from '../../../lib/local/demo/workloads.ts';
import { type Simulation, startSimulation } from '../../../lib/local/simulation.ts';

let simulation: Simulation;
let running: Workloads;
let operator: Operator;

async function begin(): Promise<Simulation['cluster']> {
  simulation = await startSimulation({ manifests: demoManifests });
  // Tests reconcile explicitly, never by the clock.
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
const isRunning = (pod: unknown) => textAt(pod, 'status', 'phase') === 'Running';
const nodeOfPod = (pod: unknown) => textAt(pod, 'spec', 'nodeName');
const eventually = (check: () => void) => expect.poll(() => attempt(check), { timeout: 60_000 }).toBe('holds');

function attempt(check: () => void): string {
  try {
    check();
    return 'holds';
  } catch (error) {
    return String(error);
  }
}

describe('the workloads of the demo', () => {
  it('the workloads of the demo have all their pods, each on a device of its own', async () => {
    const cluster = await begin();
    expect(podsOf(cluster)).toHaveLength(wanted);
    expect(podsOf(cluster).filter((pod) => nodeOfPod(pod) === undefined)).toEqual([]);
    expect(readDevices(cluster).taken.size).toBe(wanted);
    const { nodes, teams } = readFleet(cluster);
    expect(nodes.flatMap(({ devices }) => devices).filter((one) => one === 'InUse')).toHaveLength(wanted);
    expect(teams.reduce((sum, one) => sum + one.running + one.waiting, 0)).toBe(wanted);
  });

  it('the workloads of the demo replace a deleted pod under another name, on a device without a taint', async () => {
    const cluster = await begin();
    await operator.apply(badDriver);
    const badNodes = nodesForBadDriver(readDevices(cluster));
    for (const slice of gpuDriver(badNodes, 'bad')) await operator.apply(slice);
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

  it('a pod of the demo has no node while every device of its driver is tainted or in use', async () => {
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

  it('the budget of a workload counts how many of its pods may be disrupted', async () => {
    const cluster = await begin();
    const budget = () => cluster.store.get(cluster.resource('poddisruptionbudgets'), 'serving/chat');
    await eventually(() => {
      running.reconcile();
      expect(budget()).toMatchObject({ status: { disruptionsAllowed: 2, currentHealthy: 8, desiredHealthy: 6 } });
    });
    const [chat] = podsOf(cluster).filter(({ metadata }) => metadata.labels?.app === 'chat');
    await deletePod('serving', chat?.metadata.name ?? '');
    running.reconcile();
    expect(budget()).toMatchObject({ status: { disruptionsAllowed: 1, currentHealthy: 7 } });
  });
});

describe('the taints of the acts', () => {
  const badDriverOn = (devices: Devices) => [badDriver, ...gpuDriver(nodesForBadDriver(devices), 'bad')];
  it.each([
    ['the bad driver, found by CEL, on seven nodes', badDriverOn, 7 * 8],
    ['half of a rack, at once by one agent', (devices: Devices) => [doubtful(devices).manifest], 20],
  ])('an act of the demo taints %s', async (_, manifests, count) => {
    const cluster = await begin();
    for (const manifest of manifests(readDevices(cluster))) await operator.apply(manifest);
    expect(readDevices(cluster).tainted.size).toBe(count);
    const shown = readFleet(cluster).nodes.flatMap((node) => node.devices);
    expect(shown.filter((one) => one === 'Tainted' || one === 'ToEvict')).toHaveLength(count);
  });

  it.each([
    ['None', { InUse: 8 }],
    ['NoSchedule', { Tainted: 8 }],
    ['NoExecute', { ToEvict: 8 }],
  ])('a taint of effect %s shows in the fleet as it does in the console', async (effect, expected) => {
    const cluster = await begin();
    await eventually(() => expect(podsOf(cluster).every(isRunning)).toBe(true));
    const deviceSelector = { driver: 'gpu.example.com', pool: chatNode };
    const spec = { deviceSelector, taint: { key: 'example.com/a', effect } };
    await operator.apply({ apiVersion: 'resource.k8s.io/v1', kind: 'DeviceTaintRule', metadata: { name: 'a' }, spec });
    const { devices = [] } = readFleet(cluster).nodes.find(({ name }) => name === chatNode) ?? {};
    expect(
      Object.fromEntries([...Map.groupBy(devices, (one) => one)].map(([state, of]) => [state, of.length])),
    ).toEqual(expected);
  });

  it('the acts of every round taint nodes whose devices are in use', async () => {
    const cluster = await begin();
    for (let round = 0; round < 3; round++) {
      await eventually(() => expect(podsOf(cluster).every(isRunning)).toBe(true));
      const devices = readDevices(cluster);
      const nodes = nodesForBadDriver(devices);
      const onNodes = () => podsOf(cluster).filter((pod) => nodes.includes(nodeOfPod(pod) ?? ''));
      expect(onNodes().length).toBeGreaterThan(30);
      const { rack, manifest } = doubtful(devices);
      const doubted = listAt(manifest, 'spec', 'taints').map(
        (one) => `tpu.example.com|${rack}|${textAt(one, 'device')}`,
      );
      expect(doubted.filter((key) => devices.taken.has(key)).length).toBeGreaterThanOrEqual(12);
      for (const slice of gpuDriver(nodes, 'bad')) await operator.apply(slice);
      await operator.apply(badDriver);
      for (const { metadata } of onNodes()) await deletePod(metadata.namespace ?? '', metadata.name);
      await eventually(() => {
        running.reconcile();
        expect(onNodes()).toEqual([]);
        expect(podsOf(cluster)).toHaveLength(wanted);
      });
      for (const slice of gpuDriver(nodes, 'good')) await operator.apply(slice);
      await operator.remove('PacedTaintRule', 'bad-driver');
    }
  });
});

describe('the end of an act', () => {
  it('the pods of team serving move back to their node within their budget', async () => {
    const cluster = await begin();
    const chat = () => podsOf(cluster).filter((pod) => pod.metadata.labels?.app === 'chat' && !isUnderDeletion(pod));
    const running8 = () => {
      running.reconcile();
      expect(chat().filter(isRunning)).toHaveLength(8);
    };
    await eventually(running8);
    await taintNode(operator, chatNode);
    for (const { metadata } of chat()) await deletePod('serving', metadata.name);
    await eventually(() => expect(chat()).toEqual([]));
    await eventually(running8);
    expect(chat().map(nodeOfPod)).not.toContain(chatNode);
    await operator.remove('DeviceTaintRule', `tainted-${chatNode}`);

    let [now, fewest] = [0, 8];
    const look = () => {
      fewest = Math.min(fewest, chat().filter(isRunning).length);
    };
    const unsubscribe = cluster.store.subscribe(look);
    const stage: Stage = {
      cluster,
      operator,
      clock: { now: () => now, sleep: async () => undefined },
      progress: () => undefined,
      signal: new AbortController().signal,
      say: () => undefined,
      async wait(_, most = 0) {
        now += most;
        await eventually(running8);
      },
    };
    await moveBack(stage);
    unsubscribe();
    await eventually(running8);
    expect(chat().map(nodeOfPod)).toEqual(Array.from({ length: 8 }, () => chatNode));
    expect(fewest).toBe(6);
  });
});

describe('a key of the demo', () => {
  it('key p stops the cluster and resumes it, and leaves rules and policies as they were', async () => {
    const cluster = await begin();
    await taintNode(operator, 'gpu-05');
    expect((await togglePause(cluster, operator)).said).toMatch(/^paused/);
    const paused = () =>
      ['devicetaintrules', 'evictionpolicies']
        .flatMap((plural) => cluster.store.list(cluster.resource(plural)))
        .map(({ metadata }) => metadata.annotations?.['sluice.dev/paused']);
    expect([...new Set(paused())]).toEqual([undefined]);
    expect(isPaused(cluster)).toBe(true);
    expect((await togglePause(cluster, operator)).said).toMatch(/^resumed/);
    expect([...new Set(paused())]).toEqual([undefined]);
  });

  it.each([
    [true, '4'],
    [false, '1'],
  ])('keys r and R take the next step of the rate (up: %s)', async (up, rate) => {
    const cluster = await begin();
    await taintNode(operator, 'gpu-05');
    // Paused: its rate counts as 0.
    await changeRate(cluster, operator, { rule: 'tainted-gpu-05', perSecond: 0, up });
    const rule = cluster.store.get(cluster.resource('devicetaintrules'), 'tainted-gpu-05');
    expect(rule?.metadata.annotations?.['sluice.dev/evictions-per-second']).toBe(rate);
  });

  it('key a approves what a condition sluice.dev/Held offers, and says so if there is nothing to approve', async () => {
    const cluster = await begin();
    expect(await approveHeld(cluster, operator, 0)).toBe('nothing waits for an approval');
    const policies = cluster.resource('evictionpolicies');
    const policy = cluster.store.get(policies, 'agents-in-doubt');
    const message =
      'Approve with: kubectl annotate --overwrite evictionpolicy agents-in-doubt sluice.dev/approve=3fa9c0de.';
    const held = { type: 'sluice.dev/Held', status: 'True', reason: 'ObserverInDoubt', message };
    if (policy) cluster.store.put(policies, { ...policy, status: { conditions: [held] } });
    expect(await approveHeld(cluster, operator, 0)).toBe('approved: EvictionPolicy agents-in-doubt');
    const annotations = cluster.store.get(policies, 'agents-in-doubt')?.metadata.annotations;
    expect(annotations?.['sluice.dev/approve']).toBe('3fa9c0de');
    expect(annotations?.['sluice.dev/approve-note']).toBe('3fa9c0de; by key a in the terminal at 1970-01-01T00:00:00Z');
  });

  it('key t taints the GPUs of one node', async () => {
    const cluster = await begin();
    await taintNode(operator, 'gpu-05');
    expect(readDevices(cluster).tainted.size).toBe(8);
  });

  it('a request of a key that the API server refuses is an error with its answer', async () => {
    const cluster = await begin();
    const wrong = {
      ...doubtful(readDevices(cluster)).manifest,
      kind: 'DeviceTaintRule',
      apiVersion: 'resource.k8s.io/v1',
      spec: { taint: {} },
    };
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
