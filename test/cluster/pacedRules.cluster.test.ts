// PacedTaintRules on a real control plane whose in-tree controller is active: it acts on native rules, Sluice on its own kind.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deviceClass,
  deviceTaintRule,
  namespace,
  node,
  pod,
  resourceClaimTemplate,
  resourceSlice,
} from '../../lib/local/cluster/builders.ts';
import { isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { type FakeKubelet, startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import type { Started } from '../../lib/local/start.ts';
import { readPod } from '../../lib/state/podRows.ts';
import { dayOf } from '../../lib/state/shadowRows.ts';
import { readDifferences } from '../support/differences.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { applyYaml, createAll, find, remove } from './support/objects.ts';
import { explainFailures, startSluice } from './support/sluice.ts';
import { waitFor } from './support/waitFor.ts';

const gpu = 'gpu.example.com';
const team = 'team';
const crds = path.join(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds');
const slice = (name: string, healthy: boolean) =>
  resourceSlice({
    name,
    driver: gpu,
    node: name,
    devices: [0, 1].map((i) => ({ name: `device-${i}`, attributes: { healthy: { bool: healthy } } })),
  });
const aPod = (name: string, nodeName: string) => ({
  ...pod({ name, namespace: team, graceSeconds: 1, template: 'one-gpu' }),
  ...{
    spec: {
      ...(pod({ name, namespace: team, graceSeconds: 1, template: 'one-gpu' }).spec as object),
      nodeSelector: { 'kubernetes.io/hostname': nodeName },
    },
  },
});
const pods = [aPod('sick-0', 'node-a'), aPod('sick-1', 'node-a'), aPod('well-0', 'node-b'), aPod('well-1', 'node-b')];
// Long enough for both controllers to know of the native rule before either of them acts on it.
const tolerations = [
  { key: 'example.com/native', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 } as const,
];
const rule = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'unhealthy' },
  spec: {
    deviceSelector: { selectors: [{ cel: { expression: `device.attributes["${gpu}"].healthy == false` } }] },
    taints: [{ key: 'example.com/unhealthy', effect: 'NoExecute', evictionsPerSecond: 2, burst: 1 }],
  },
};

describe('a PacedTaintRule beside the active in-tree controller', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  let sluice: Started;
  const uids = new Map<string, string>();
  const read = (name: string) => find(controlPlane.client, pod({ name, namespace: team }));
  const isGoing = async (name: string) => {
    const found = await read(name);
    return (
      textAt(found, 'metadata', 'uid') !== uids.get(name) ||
      textAt(found, 'metadata', 'deletionTimestamp') !== undefined
    );
  };
  const events = async (name: string) => {
    const selector = encodeURIComponent(`involvedObject.name=${name},reason=DeviceTaintManagerEviction`);
    const answer = await controlPlane.client.call('GET', `/api/v1/namespaces/${team}/events?fieldSelector=${selector}`);
    return listAt(answer.body, 'items').filter(isMap);
  };

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      controllers: ['resourceclaim-controller', 'device-taint-eviction-controller'],
    });
    kubelet = startFakeKubelet(controlPlane);
    expect((await controlPlane.kubectl(['apply', '-f', crds])).stderr).toBe('');
    await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=30s', '-f', crds]);
    await createAll(controlPlane.client, [
      namespace(team),
      deviceClass(gpu),
      ...['node-a', 'node-b'].map(node),
      slice('node-a', false),
      slice('node-b', true),
      resourceClaimTemplate({ name: 'one-gpu', namespace: team, deviceClass: gpu, tolerations }),
      ...pods,
    ]);
    for (const one of pods) {
      const name = textAt(one, 'metadata', 'name') ?? '';
      await waitFor(async () => (textAt(await read(name), 'status', 'phase') === 'Running' ? true : undefined), 40_000);
      uids.set(name, textAt(await read(name), 'metadata', 'uid') ?? '');
    }
    sluice = await startSluice(controlPlane, {
      modes: async () => ({ native: 'shadow', paced: 'own' }),
      projectRules: true,
    });
  });
  explainFailures(() => sluice);
  afterAll(async () => {
    await sluice?.stop();
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('a PacedTaintRule evicts by expression what the native API cannot select, at its own rate, and reports it', async () => {
    await applyYaml(controlPlane, JSON.stringify(rule));
    const waited = await controlPlane.kubectl([
      'wait',
      '--for=condition=EvictionInProgress=false',
      'pacedtaintrules/unhealthy',
      '--timeout=60s',
    ]);
    expect(waited).toMatchObject({ status: 0 });
    for (const name of ['sick-0', 'sick-1']) expect([name, await isGoing(name)]).toEqual([name, true]);
    for (const name of ['well-0', 'well-1']) expect([name, await isGoing(name)]).toEqual([name, false]);
    const live = await find(controlPlane.client, rule);
    expect(listAt(live, 'status', 'taints')).toMatchObject([{ key: 'example.com/unhealthy', effect: 'NoExecute' }]);
    const [event] = await waitFor(async () => {
      const found = await events('sick-0');
      return found.length > 0 ? found : undefined;
    });
    expect(event).toMatchObject({ source: { component: 'sluice' } });
    expect(textAt(event, 'message')).toMatch(
      /^Marking for deletion: PacedTaintRule unhealthy: taint example.com\/unhealthy/,
    );
  });

  it('a PacedTaintRule is projected for the scheduler: a new pod stays Pending until the rule is deleted', async () => {
    const told = await waitFor(async () => {
      const conditions = listAt(await find(controlPlane.client, rule), 'status', 'conditions').filter(isMap);
      return conditions.find((one) => one.type === 'sluice.dev/SchedulerInformed');
    });
    expect(told).toMatchObject({ status: 'True', reason: 'Projected' });
    expect(textAt(told, 'message')).toMatch(/^2 native rules keep new pods away, with effect NoSchedule because/);
    await createAll(controlPlane.client, [aPod('next', 'node-a')]);
    await waitFor(async () => {
      const conditions = listAt(await read('next'), 'status', 'conditions').filter(isMap);
      return conditions.find((one) => one.type === 'PodScheduled' && one.status === 'False');
    });
    expect(textAt(await read('next'), 'spec', 'nodeName')).toBeUndefined();
    await remove(controlPlane.client, rule);
    await waitFor(async () => (textAt(await read('next'), 'status', 'phase') === 'Running' ? true : undefined), 60_000);
    const left = await controlPlane.kubectl([
      'get',
      'devicetaintrules',
      '-l',
      'sluice.dev/projected-from',
      '-o',
      'name',
    ]);
    expect(left.stdout).toBe('');
  });

  it('a DeviceTaintSlice is projected for the scheduler: a new pod stays Pending until the slice is deleted', async () => {
    const agent = {
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'DeviceTaintSlice',
      metadata: { name: 'cordon' },
      spec: {
        driver: gpu,
        pool: 'node-a',
        taints: [0, 1].map((i) => ({
          device: `device-${i}`,
          taint: { key: 'example.com/cordon', effect: 'NoSchedule' },
        })),
      },
    };
    await applyYaml(controlPlane, JSON.stringify(agent));
    const told = await waitFor(async () => {
      const conditions = listAt(await find(controlPlane.client, agent), 'status', 'conditions').filter(isMap);
      return conditions.find((one) => one.type === 'sluice.dev/SchedulerInformed');
    }, 30_000);
    expect(told).toMatchObject({ status: 'True', reason: 'Projected' });
    expect(textAt(told, 'message')).toMatch(/^2 native rules keep new pods away/);
    await createAll(controlPlane.client, [aPod('after', 'node-a')]);
    await waitFor(async () => {
      const conditions = listAt(await read('after'), 'status', 'conditions').filter(isMap);
      return conditions.find((one) => one.type === 'PodScheduled' && one.status === 'False');
    });
    expect(textAt(await read('after'), 'spec', 'nodeName')).toBeUndefined();
    await remove(controlPlane.client, agent);
    await waitFor(
      async () => (textAt(await read('after'), 'status', 'phase') === 'Running' ? true : undefined),
      60_000,
    );
    await remove(controlPlane.client, pod({ name: 'after', namespace: team }));
  });

  it('Sluice leaves native rules to the in-tree controller', async () => {
    const native = deviceTaintRule({
      name: 'native',
      deviceSelector: { driver: gpu, pool: 'node-b' },
      taint: { key: 'example.com/native', effect: 'NoExecute' },
    });
    await applyYaml(controlPlane, JSON.stringify(native));
    await waitFor(async () => ((await isGoing('well-0')) && (await isGoing('well-1')) ? true : undefined), 30_000);
    const [event] = await waitFor(async () => {
      const found = await events('well-0');
      return found.length > 0 ? found : undefined;
    });
    expect(event).toMatchObject({ source: { component: 'device-taint-eviction-controller' } });
    // Shadow mode decides that both must be evicted, and recognises the in-tree controller's mark.
    const state = await sluice.installation.state();
    // A hint that was lost is made up for by the sweep, which runs each minute.
    for (const name of ['well-0', 'well-1'])
      await expect
        .poll(() => readPod(state, `${team}/${name}`), { timeout: 150_000 })
        .toMatchObject({ uid: uids.get(name), shadow: { found: 'Agreed' } });
    expect(await readDifferences(state, dayOf(Date.now()))).toEqual([]);
  });

  it('a policy with an observer holds an agent that taints a whole pool at once, and says so in its condition', async () => {
    const policy = {
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionPolicy',
      metadata: { name: 'doubt' },
      spec: { taints: { keys: ['example.com/doubtful'] }, observer: { minDevices: 2, percent: 100 } },
    };
    const agent = {
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'DeviceTaintSlice',
      metadata: { name: 'agent' },
      spec: {
        driver: gpu,
        pool: 'node-a',
        taints: [0, 1].map((i) => ({
          device: `device-${i}`,
          taint: { key: 'example.com/doubtful', effect: 'NoExecute' },
        })),
      },
    };
    uids.set('next', textAt(await read('next'), 'metadata', 'uid') ?? '');
    const conditionWith = async (type: string, status: string) =>
      listAt(await find(controlPlane.client, policy), 'status', 'conditions')
        .filter(isMap)
        .find((one) => one.type === type && one.status === status);
    await applyYaml(controlPlane, JSON.stringify(policy));
    await waitFor(async () => conditionWith('Accepted', 'True'), 30_000);
    await applyYaml(controlPlane, JSON.stringify(agent));
    const held = await waitFor(async () => conditionWith('sluice.dev/Held', 'True'), 30_000);
    expect(textAt(held, 'message')).toMatch(/^2 of 2 devices of pool gpu\.example\.com\/node-a \(100 %\) are tainted/);
    expect(textAt(held, 'message')).toMatch(/sluice\.dev\/approve=[0-9a-f]{12}$/);
    const described = await controlPlane.kubectl(['describe', 'evictionpolicy', 'doubt']);
    expect(described.stdout).toContain('ObserverInDoubt');
    expect(await isGoing('next')).toBe(false);
    await remove(controlPlane.client, agent);
    await waitFor(async () => conditionWith('sluice.dev/Held', 'False'), 30_000);
    expect(await isGoing('next')).toBe(false);
    await remove(controlPlane.client, policy);
  });

  it('a rule evicts no pod under a paused policy nor after its deletion, and continues under a policy that is not paused', async () => {
    const policy = {
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionPolicy',
      metadata: { name: 'stop' },
      spec: { taints: { keys: ['example.com/stopped*'] }, paused: true },
    };
    const stopped = {
      ...rule,
      metadata: { name: 'stopped' },
      spec: {
        deviceSelector: { driver: gpu, pool: 'node-a' },
        taints: [{ key: 'example.com/stopped', effect: 'NoExecute' }],
      },
    };
    uids.set('next', textAt(await read('next'), 'metadata', 'uid') ?? '');
    const conditionOf = async (object: JsonMap, type: string) =>
      listAt(await find(controlPlane.client, object), 'status', 'conditions')
        .filter(isMap)
        .find((one) => one.type === type);
    await applyYaml(controlPlane, JSON.stringify(policy));
    expect(await waitFor(async () => conditionOf(policy, 'Accepted'))).toMatchObject({ status: 'True' });
    await applyYaml(controlPlane, JSON.stringify(stopped));
    expect(await waitFor(async () => conditionOf(stopped, 'sluice.dev/Held'), 30_000)).toMatchObject({
      status: 'True',
      message: 'Paused by EvictionPolicy stop.',
    });
    expect(await isGoing('next')).toBe(false);
    await remove(controlPlane.client, policy);
    await waitFor(async () => {
      const held = await conditionOf(stopped, 'sluice.dev/Held');
      return held?.status === 'True' && held.reason === 'PolicyGone' ? true : undefined;
    }, 70_000);
    expect(await isGoing('next')).toBe(false);
    const { paused: _, ...going } = policy.spec;
    await applyYaml(controlPlane, JSON.stringify({ ...policy, metadata: { name: 'go' }, spec: going }));
    await waitFor(async () => ((await isGoing('next')) ? true : undefined), 70_000);
  });
});
