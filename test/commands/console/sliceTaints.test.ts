// The card of a taint in slices: where the taint stands, and links to its plan, its reasons, and the settings of its policy.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseTaintName, taintName } from '../../../lib/commands/console/sliceTaints.ts';
import type { TableSource } from '../../../lib/commands/console/source.ts';
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import { aLimiter, aPicture } from '../../view/pictures.ts';
import { ask, type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
import { objectsOf, type Scene, startScene } from '../support/scene.ts';

const limiter = 'slice|gpu.example.com|example.com/ecc||NoExecute';
const name = 'gpu.example.com/example.com/ecc:NoExecute';

const deviceTaintSlice: JsonMap = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'DeviceTaintSlice',
  metadata: {
    name: 'agent',
    managedFields: [{ manager: 'health-agent', operation: 'Apply', fieldsV1: { 'f:spec': {} } }],
  },
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
  spec: { taints: { keys: ['example.com/ecc'] }, evictionsPerSecond: 2, burst: 1 },
};

let scene: Scene;
let server: ServedScene;

beforeEach(async () => {
  scene = await startScene();
  scene.cluster.seed(deviceTaintSlice);
  const card = aLimiter({ limiter, kind: 'Slice', name: 'gpu.example.com', place: 'slices of driver gpu.example.com' });
  const progress = async () => aPicture({ limiters: [card], plans: [], last: [] });
  const table: TableSource = { state: () => Promise.reject(new Error('not asked')), progress };
  server = await serveConsole({ kubeconfig: scene.kubeconfig, table });
});

afterEach(async () => {
  await server.stop();
  await scene.stop();
});

it('the card of a slice taint says in which slice the taint stands, and links to its plan and its reasons', async () => {
  const page = await server.shows('/rules', 'in DeviceTaintSlice agent');
  const path = name.split('/').map(encodeURIComponent).join('/');
  expect(page).toContain(`href="/plan/taint/${path}"`);
  expect(page).toContain(`href="/why/taint/${path}"`);
  const plan = textOf(await server.shows(`/plan/taint/${path}`, '2 pods'));
  expect(plan).toContain('2 pods in 2 namespaces would be evicted at once.');
  expect(plan).toContain('gpu.example.com/node-000/device-0');
  const why = textOf(await server.shows(`/why/taint/${path}`, 'The cluster now'));
  expect(why).toContain(`taint ${name}: evicts 2 pods in 2 namespaces at once`);
  expect(why).toMatch(/in DeviceTaintSlice agent.*: 2 devices/);
});

it('the reasons of a slice taint say how many pods PodDisruptionBudgets make wait', async () => {
  scene.cluster.seed({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'none', namespace: 'team-a' },
    spec: { selector: {} },
    status: { disruptionsAllowed: 0 },
  });
  const path = name.split('/').map(encodeURIComponent).join('/');
  const why = textOf(await server.shows(`/why/taint/${path}`, 'The cluster now'));
  expect(why).toContain('1 pod more than PodDisruptionBudgets allow: in mode Evict these wait, and it takes longer');
});

it('the card of a slice taint without a policy says why it cannot be paused or paced', async () => {
  const page = await server.shows('/rules', 'No EvictionPolicy selects this taint');
  expect(textOf(page)).toContain('Apply one with taints.keys: [example.com/ecc], or pause everything.');
  expect(page).not.toContain('kind=policy');
});

it('card and reasons of a slice taint say who approved it on its policy, and when', async () => {
  const note = '0123456789ab; by eve at 2026-01-01T11:30:00Z';
  const annotations = { 'sluice.dev/approve': '0123456789ab', 'sluice.dev/approve-note': note };
  scene.cluster.seed({ ...policy, metadata: { name: 'agents', annotations } });
  const said = 'approval of plan 0123456789ab by eve at 2026-01-01T11:30:00Z';
  expect(textOf(await server.shows('/rules', 'approval of plan'))).toContain(`It has an ${said}.`);
  const path = name.split('/').map(encodeURIComponent).join('/');
  expect(textOf(await server.shows(`/why/taint/${path}`, 'approval of'))).toContain(`EvictionPolicy agents: ${said}`);
});

it('pause and rate of a slice taint are those of its policy, with the number of pods before they act', async () => {
  scene.cluster.seed(policy);
  const page = await server.shows('/rules', 'The buttons act on EvictionPolicy agents');
  for (const action of ['pause', 'rate']) expect(page).toContain(`href="/act/${action}?kind=policy&amp;name=agents"`);
  const pause = textOf(await server.shows('/act/pause?kind=policy&name=agents', 'What it will do'));
  expect(pause).toContain('2 pods are kept until policy agents is resumed.');
  const path = '/act/rate?kind=policy&name=agents&rate=0.5';
  const rate = await server.shows(path, 'What it will do');
  expect(textOf(rate)).toContain('Now 2/s, burst 1, for each taint');
  expect(textOf(rate)).toMatch(/: 2 pods within 0\.5 s\. At 0\.5\/s: within 2\.0 s\./);
  const [, token = ''] = /name="token" value="([^"]*)"/.exec(rate) ?? [];
  const form = { kind: 'policy', name: 'agents', rate: '0.5', token };
  const { body } = await ask(`${server.url}act/rate`, {
    method: 'POST',
    headers: { origin: server.url.slice(0, -1) },
    form,
  });
  expect(textOf(body)).toContain('Done EvictionPolicy agents: 0.5/s');
  expect(objectsOf(scene.cluster, 'evictionpolicies')[0]).toMatchObject({ spec: { evictionsPerSecond: 0.5 } });
});

it.each([
  limiter,
  'slice|gpu.example.com|example.com/ecc|xid-79|NoExecute',
  'slice|gpu.example.com|ecc||NoExecute|2/1',
])('the name of a slice taint in an address leads back to its limiter: %s', (one) =>
  expect(parseTaintName(taintName(one))).toBe(one),
);

it.each(['', 'gpu.example.com', 'gpu.example.com/ecc'])('"%s" is not the name of a slice taint', async (text) => {
  expect(parseTaintName(text)).toBeUndefined();
  expect((await ask(`${server.url}plan/taint/${text}`)).status).toBe(404);
});
