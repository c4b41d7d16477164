// The number of pods on the page of each action: counted, or said to be not counted yet, and never a 0 that is not known.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCluster } from '../../../lib/local/cluster/cluster.ts';
import { describeFleet, populate } from '../../../lib/local/cluster/fleet.ts';
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import { ask, listen, type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
import { gpuRule, type Scene, startScene } from '../support/scene.ts';

let scene: Scene;
let server: ServedScene;

beforeEach(async () => {
  scene = await startScene();
  server = await serveConsole({ kubeconfig: scene.kubeconfig });
  await server.shows('/fleet', 'node-003');
});

afterEach(async () => {
  await server.stop();
  await scene.stop();
});

const shown = async (path: string, text = 'What it will do') => textOf(await server.shows(path, text));

const held = (message: string) => ({
  conditions: [
    {
      type: 'sluice.dev/Held',
      status: 'True',
      reason: 'AwaitingApproval',
      message,
      lastTransitionTime: '2026-01-01T11:00:00Z',
    },
  ],
});

const approval = 'To evict the pods: kubectl annotate sluice.dev/approve=0123456789ab';

const deviceTaintSlice: JsonMap = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'DeviceTaintSlice',
  metadata: { name: 'agent' },
  spec: {
    driver: 'gpu.example.com',
    pool: 'node-000',
    taints: ['device-0', 'device-1'].map((device) => ({
      device,
      taint: { key: 'example.com/ecc', effect: 'NoExecute' },
    })),
  },
};

const policy: JsonMap = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'EvictionPolicy',
  metadata: { name: 'agents' },
  spec: { taints: { keys: ['example.com/ecc'] }, evictionsPerSecond: 0.5, burst: 1 },
};

const pacedRule: JsonMap = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'new' },
  spec: {
    deviceSelector: { driver: 'gpu.example.com' },
    taints: [{ key: 'example.com/unhealthy', effect: 'NoExecute', evictionsPerSecond: 2, burst: 1 }],
  },
};

describe('the page of an action', () => {
  it('the page that approves the plan of a rule begins with the number of pods that it evicts', async () => {
    scene.cluster.seed({ ...gpuRule, status: held(approval) });
    const text = await shown('/act/approve?kind=rule&name=DeviceTaintRule/unhealthy-gpus');
    expect(text).toContain('What it will do 4 pods in 3 namespaces would be evicted');
    expect(text).toContain(approval);
  });

  it('the page that approves a policy begins with the number of pods that taints in slices under it evict', async () => {
    for (const one of [deviceTaintSlice, gpuRule, { ...policy, status: held(approval) }]) scene.cluster.seed(one);
    await server.shows('/fleet', '4 evicting');
    expect(await shown('/act/approve?kind=policy&name=agents')).toContain(
      'What it will do 2 pods in 2 namespaces can be evicted once it is approved',
    );
  });

  it('the page that untaints a device says how many pods are kept then, and how many another taint still evicts', async () => {
    const device = 'gpu.example.com/node-000/device-0';
    await scene.sluice('taint', 'device', device, 'example.com/x:NoExecute', '--yes');
    const path = `/act/untaint?kind=device&name=${device}`;
    await server.shows('/fleet', '1 evicting');
    expect(await shown(path)).toContain('What it will do 1 pod is not evicted any more. Only rules created by');
    scene.cluster.seed(gpuRule);
    await server.shows('/fleet', '4 evicting');
    expect(await shown(path)).toContain(
      'What it will do 0 pods are not evicted any more. 1 pod is still evicted, because of another taint.',
    );
  });

  it('the page that ends the pause of a taint says how many pods go again, at the rate of the policy with their settings', async () => {
    const wide = { apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionPolicy', metadata: { name: 'wide' } };
    for (const one of [gpuRule, { ...wide, spec: { evictionsPerSecond: 2 } }]) scene.cluster.seed(one);
    await scene.sluice('pause', 'taint', 'example.com/unhealthy');
    const name = 'pause-example-com-unhealthy-9dbdda79';
    await server.shows('/rules', name);
    expect(await shown(`/act/resume?kind=policy&name=${name}&pause=manual`)).toContain(
      '4 pods can be evicted again, at the configured rates.',
    );
  });

  it.each([
    ['a rule', 'kind=rule&name=DeviceTaintRule/unhealthy-gpus', [gpuRule]],
    ['a policy', 'kind=policy&name=agents', [deviceTaintSlice, policy]],
  ])(
    'the times on the page of the rate of %s say how many pods PodDisruptionBudgets make wait',
    async (_, of, objects) => {
      const budget: JsonMap = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'none', namespace: 'team-a' },
        spec: { selector: {} },
        status: { disruptionsAllowed: 0 },
      };
      for (const one of [...objects, budget]) scene.cluster.seed(one);
      await server.shows('/fleet', `${objects.length === 1 ? 4 : 2} evicting`);
      expect(await shown(`/act/rate?${of}&rate=0.1`, 'At 0.1/s')).toMatch(
        /At 0\.1\/s: (?:at once|within [\d.]+ s)\. \d pods? more than PodDisruptionBudgets allow: in mode Evict these wait, and it takes longer\./,
      );
    },
  );

  it('the page that taints a device says how many pods use the device before a taint is chosen', async () => {
    expect(await shown('/act/taint?kind=device&name=gpu.example.com/node-000/device-0')).toContain(
      'What it will do 1 pod uses this device.',
    );
  });

  it.each([
    ['pause', '4 pods are kept until PacedTaintRule/new is resumed'],
    ['rate', 'Now 2/s, burst 1: 4 pods within 1.5 s'],
  ])('the page %s counts the pods of a rule that Sluice has not seen yet', async (action, expected) => {
    scene.cluster.seed(pacedRule);
    expect(await shown(`/act/${action}?kind=rule&name=PacedTaintRule/new`)).toContain(expected);
  });
});

describe('the page of an action while something else holds the pods', () => {
  const closed: JsonMap = {
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionPolicy',
    metadata: { name: 'never' },
    spec: { taints: { keys: ['example.com/unhealthy'] }, windows: [{ schedule: '0 12 30 2 *', duration: '1h' }] },
  };
  const message = 'Canary of EvictionPolicy never: 1 of 2 pods evicted; 3 more wait.';
  const canary = { conditions: [{ ...held(message).conditions[0], reason: 'Canary' }] };
  const windowText = 'none now: Outside the windows of EvictionPolicy never: they never open.';

  it('the page of a rate names the closed window, and how long the pods take once it is open', async () => {
    for (const one of [closed, pacedRule]) scene.cluster.seed(one);
    const text = await shown('/act/rate?kind=rule&name=PacedTaintRule/new&rate=4', 'At 4/s');
    expect(text).toContain(`Now 2/s, burst 1: 4 pods within 1.5 s when not held; ${windowText}`);
    expect(text).toContain('At 4/s: within 0.8 s.');
    expect(await shown('/act/rate?kind=policy&name=never')).toContain(windowText);
  });

  it('the page of an approval, the plan and Why name the closed window', async () => {
    for (const one of [closed, { ...pacedRule, status: held(approval) }]) scene.cluster.seed(one);
    await server.shows('/fleet', '4 held');
    expect(await shown('/act/approve?kind=rule&name=PacedTaintRule/new')).toContain(windowText.slice(0, -1));
    expect(await shown('/plan/PacedTaintRule/new', 'would be evicted')).toContain(windowText);
    expect(await shown('/why/rule/PacedTaintRule/new', 'The cluster now')).toContain('within 1.5 s when not held');
  });

  it('the page of a rate and Why name the canary that a condition of the rule tells', async () => {
    scene.cluster.seed({ ...pacedRule, status: canary });
    expect(await shown('/act/rate?kind=rule&name=PacedTaintRule/new')).toContain(`none now: ${message}`);
    expect(await shown('/why/rule/PacedTaintRule/new', 'The cluster now')).toContain('is held; would evict 4 pods');
  });

  it.each([
    ['a namespace', ['namespace', 'team-a'], 'kind=namespace&name=team-a&pause=manual'],
    ['the cluster', ['--all'], 'kind=everything&pause=manual'],
  ])('the page that resumes %s promises no eviction while a window holds all of its pods', async (_, words, query) => {
    for (const one of [closed, pacedRule]) scene.cluster.seed(one);
    await server.shows('/fleet', '4 held');
    expect(await scene.sluice('pause', ...words)).toMatchObject({ status: 0 });
    await server.shows('/rules', 'Paused:');
    const kept = /\d pods? (is|are) still kept: Outside the windows of EvictionPolicy never: they never open\./;
    expect(await shown(`/act/resume?${query}`)).toMatch(kept);
    scene.cluster.seed({ ...closed, spec: { taints: { keys: ['example.com/other'] } } });
    const text = textOf(await server.shows(`/act/resume?${query}`, 'can be evicted again'));
    expect(text).toMatch(/\d pods? can be evicted again, at the configured rates\./);
  });

  it('the page that resumes a namespace promises no eviction while another pause of it stands', async () => {
    scene.cluster.seed(pacedRule);
    for (const name of ['manual', 'audit'])
      expect(await scene.sluice('pause', 'namespace', 'team-a', '--name', name)).toMatchObject({ status: 0 });
    await server.shows('/rules', 'audit');
    const text = await shown('/act/resume?kind=namespace&name=team-a&pause=manual');
    expect(text).toMatch(/\d pods? (is|are) still kept: Its namespace team-a is paused by audit \(by ada at .*\)\./);
  });

  it('the page that resumes a rule promises no eviction while its plan waits for an approval', async () => {
    const paused = { ...(pacedRule.metadata as JsonMap), annotations: { 'pause.sluice.dev/manual': 'audit' } };
    const [condition] = held(`Paused by manual (audit). ${approval}`).conditions;
    scene.cluster.seed({
      ...pacedRule,
      metadata: paused,
      status: { conditions: [{ ...condition, reason: 'Paused' }] },
    });
    await server.shows('/fleet', '4 held');
    const text = await shown('/act/resume?kind=rule&name=PacedTaintRule/new&pause=manual');
    expect(text).toContain('4 pods are still kept: PacedTaintRule new: it waits for an approval.');
  });

  it('the page that resumes a rule promises no eviction while a window is closed', async () => {
    const paused = { ...(pacedRule.metadata as JsonMap), annotations: { 'pause.sluice.dev/manual': 'audit' } };
    for (const one of [closed, { ...pacedRule, metadata: paused }]) scene.cluster.seed(one);
    await server.shows('/fleet', '4 held');
    const text = await shown('/act/resume?kind=rule&name=PacedTaintRule/new&pause=manual');
    expect(text).toContain('4 pods are still kept: Outside the windows of EvictionPolicy never: they never open.');
  });
});

describe('while the cluster is not read', () => {
  const actions = [
    ['pause', 'kind=everything', '4 pods are kept'],
    ['pause', 'kind=rule&name=DeviceTaintRule/unhealthy-gpus', '4 pods are kept'],
    [
      'rate',
      'kind=rule&name=DeviceTaintRule/unhealthy-gpus&rate=1',
      '4 pods at once when not held; none now: it waits for an approval.',
    ],
    ['approve', 'kind=rule&name=DeviceTaintRule/unhealthy-gpus', '4 pods in 3 namespaces would be evicted'],
    ['taint', 'kind=device&name=gpu.example.com/node-000/device-0', '1 pod uses this device.'],
  ] as const;

  it.each(actions)(
    'the page %s?%s says that pods are not counted yet, and shows the count once it is known',
    async (action, query, counted) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cluster = await startCluster({});
      const fleet = { nodes: 4, devicesPerNode: 3, pods: 8, drivers: ['gpu.example.com', 'nic.example.com'] };
      populate(describeFleet(fleet), (manifest) => cluster.seed(manifest));
      cluster.seed({ ...gpuRule, status: held(approval) });
      cluster.faults.add({
        when: ({ request }) => request.resource.plural === 'pods' && request.verb === 'list',
        until: promise,
      });
      const own = await serveConsole({ kubeconfig: scene.file('slow', cluster.kubeconfigYaml) });
      try {
        const path = `/act/${action}?${query}`;
        const page = await own.shows(path, 'Pods are not counted yet');
        expect(page).not.toMatch(/data-live="off"|data-bound-to="/);
        expect(textOf(page)).not.toMatch(/\d+ pods?\b/);
        if (action === 'approve') expect(page).not.toContain('name="token"');
        else if (action === 'pause') expect(page).toContain('name="token"');
        const told = listen(`${own.url}live?of=${encodeURIComponent(path)}`, ({ set: { effect = '' } }) =>
          textOf(effect).includes(counted),
        );
        resolve();
        await told;
        const later = (await ask(`${own.url.slice(0, -1)}${path}`)).body;
        expect(later).toContain(action === 'taint' ? 'data-live="off"' : 'data-bound-to="');
      } finally {
        resolve();
        await own.stop();
        await cluster.close();
      }
    },
  );
});
