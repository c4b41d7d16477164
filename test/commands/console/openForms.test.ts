// The form of an action while it is open and the cluster changes: its effect follows, and what its button is bound to does not.
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createApiClient } from '../../../lib/local/cluster/client.ts';
import { ask, listen, type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
import { gpuRule, type Scene, startScene } from '../support/scene.ts';

const rule = 'kind=rule&name=DeviceTaintRule/unhealthy-gpus';
const rulePath = '/apis/resource.k8s.io/v1/devicetaintrules/unhealthy-gpus';
let scene: Scene;
let server: ServedScene;

beforeEach(async () => {
  scene = await startScene();
  scene.cluster.seed(gpuRule);
  server = await serveConsole({ kubeconfig: scene.kubeconfig });
});
afterEach(async () => {
  await server.stop();
  await scene.stop();
});

function kubectl() {
  const { url, ca, token } = scene.cluster;
  const client = createApiClient({ url, ca, token, userAgent: 'kubectl' });
  onTestFinished(client.close);
  return client;
}

function annotate(annotations: Readonly<Record<string, string | null>>) {
  const body = { metadata: { annotations } };
  return kubectl().call('PATCH', rulePath, { body, contentType: 'application/merge-patch+json' });
}

/** The form as a browser loads it, and the stream that updates it. */
async function open(path: string) {
  const html = await server.shows(path, 'What it will do');
  const [, boundTo = ''] = /<main [^>]*data-bound-to="([^"]+)"/.exec(html) ?? [];
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const standing = /name="standing" value="([^"]+)"/.exec(html)?.[1];
  return { text: textOf(html), boundTo, token, standing, stream: `${server.url}live?of=${encodeURIComponent(path)}` };
}

it('an open form shows how many pods its action concerns now', async () => {
  const { text, boundTo, stream } = await open(`/act/pause?${rule}`);
  expect(text).toContain('4 pods are kept until');
  const heard = listen(`${stream}&boundTo=${boundTo}`, ({ set: { effect = '' } }) =>
    textOf(effect).includes('3 pods are kept until'),
  );
  await kubectl().call('DELETE', '/api/v1/namespaces/team-a/pods/pod-00000', { body: { gracePeriodSeconds: 0 } });
  const patches = await heard;
  expect(patches[0]?.order).toEqual(['effect', 'do']);
  expect(patches.slice(1).filter(({ order, set }) => order !== undefined || set.do !== undefined)).toEqual([]);
});

it('an open form loses its button when the pause that it would end was ended and made again, and ends no other one', async () => {
  await annotate({ 'pause.sluice.dev/manual': 'incident 1; by ada at 2026-01-01T12:00:00Z' });
  await server.shows('/rules', 'incident 1');
  const path = `/act/resume?${rule}&pause=manual`;
  const { text, boundTo, token, standing = '', stream } = await open(path);
  expect(text).toContain('incident 1');
  const heard = listen(`${stream}&boundTo=${boundTo}`, ({ set: { effect = '' } }) =>
    textOf(effect).includes('It has changed since this page was loaded.'),
  );
  await annotate({ 'pause.sluice.dev/manual': 'incident 2; by bob at 2026-01-01T12:01:00Z' });
  const patches = await heard;
  expect(patches.findLast(({ order }) => order !== undefined)?.order).toEqual(['effect']);
  const headers = { origin: server.url.slice(0, -1) };
  const form = { kind: 'rule', name: 'DeviceTaintRule/unhealthy-gpus', pause: 'manual', token, standing };
  const { body } = await ask(`${server.url}act/resume`, { method: 'POST', headers, form });
  expect(textOf(body)).toContain('another pause of this name was made since this page was loaded');
  const { body: after } = await kubectl().call('GET', rulePath);
  expect(JSON.stringify(after)).toContain('incident 2');
});

it.each(['while it is connected', 'before it connects again'])(
  'an open form loses its button when the pause that it would end was ended elsewhere %s',
  async (when) => {
    await annotate({ 'pause.sluice.dev/manual': 'incident 1; by ada at 2026-01-01T12:00:00Z' });
    await server.shows('/rules', 'incident 1');
    const path = `/act/resume?${rule}&pause=manual`;
    const { boundTo, stream } = await open(path);
    const end = async () => {
      await annotate({ 'pause.sluice.dev/manual': null });
      await server.shows(path, 'has no pause manual');
    };
    if (when === 'before it connects again') await end();
    const heard = listen(`${stream}&boundTo=${boundTo}`, ({ set: { effect = '' } }) =>
      textOf(effect).includes('has no pause manual'),
    );
    if (when !== 'before it connects again') await end();
    const patches = await heard;
    expect(patches.findLast(({ order }) => order !== undefined)?.order).toEqual(['effect']);
    expect(textOf(patches.at(-1)?.set.effect ?? '')).toContain('It has changed since this page was loaded.');
  },
);

it('an open form that untaints a device loses its button when its rule was deleted elsewhere', async () => {
  const device = 'nic.example.com/node-001/device-0';
  await scene.sluice('taint', 'device', device, 'example.com/x:NoExecute', '--yes');
  const path = `/act/untaint?kind=device&name=${device}`;
  const { boundTo, stream } = await open(path);
  const heard = listen(`${stream}&boundTo=${boundTo}`, ({ set: { effect = '' } }) =>
    textOf(effect).includes('no rule by sluice taint or sluice drain'),
  );
  await scene.sluice('untaint', 'device', device);
  const patches = await heard;
  expect(patches.findLast(({ order }) => order !== undefined)?.order).toEqual(['effect']);
});

it('an open form that ends a canary loses its button when the canary was removed elsewhere', async () => {
  const policy = { apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionPolicy', metadata: { name: 'wide' } };
  scene.cluster.seed({ ...policy, spec: { canary: { pods: 1, pause: '10m' } } });
  const path = '/act/remove?kind=policy&name=wide&field=canary';
  const { boundTo, stream } = await open(path);
  const heard = listen(`${stream}&boundTo=${boundTo}`, ({ set: { effect = '' } }) =>
    textOf(effect).includes('EvictionPolicy wide has no spec.canary'),
  );
  scene.cluster.seed({ ...policy, spec: { evictionsPerSecond: 1 } });
  const patches = await heard;
  expect(patches.findLast(({ order }) => order !== undefined)?.order).toEqual(['effect']);
});

it('a page whose object was deleted before its browser connects again says so', async () => {
  const path = '/plan/DeviceTaintRule/unhealthy-gpus';
  await server.shows(path, '4 pods');
  await kubectl().call('DELETE', rulePath);
  await listen(`${server.url}live?of=${path}`, ({ set: { notices = '' } }) =>
    notices.includes('The page shows its last state'),
  );
});

it('a form that was loaded before its pods were counted is bound by the first count, also when its browser connects again', async () => {
  await annotate({ 'pause.sluice.dev/manual': 'incident 1; by ada at 2026-01-01T12:00:00Z' });
  await server.shows('/rules', 'incident 1');
  const path = `/act/resume?${rule}&pause=manual`;
  const { stream, boundTo } = await open(path);
  const ids: string[] = [];
  await listen(stream, ({ set: { effect = '' }, id }) => {
    ids.push(id ?? '');
    return textOf(effect).includes('incident 1');
  });
  expect(ids.at(-1)).toBe(boundTo);
  await annotate({ 'pause.sluice.dev/manual': 'incident 2; by bob at 2026-01-01T12:01:00Z' });
  await server.shows(path, 'incident 2');
  const isChanged = ({ set: { effect = '' } }: { readonly set: Readonly<Record<string, string>> }) =>
    textOf(effect).includes('It has changed since this page was loaded.');
  await listen(stream, isChanged, { 'last-event-id': boundTo });
});

it('an open form stays bound while a console that was started again still reads the cluster', async () => {
  await annotate({ 'pause.sluice.dev/manual': 'incident 1; by ada at 2026-01-01T12:00:00Z' });
  await server.shows('/rules', 'incident 1');
  const path = `/act/resume?${rule}&pause=manual`;
  const { boundTo } = await open(path);
  await annotate({ 'pause.sluice.dev/manual': 'incident 2; by bob at 2026-01-01T12:01:00Z' });
  const { promise: untilRead, resolve } = Promise.withResolvers<void>();
  const isPods = ({ request }: { request: { resource: { plural: string }; verb: string } }) =>
    request.resource.plural === 'pods' && request.verb === 'list';
  scene.cluster.faults.add({ when: isPods, until: untilRead });
  const again = await serveConsole({ kubeconfig: scene.kubeconfig });
  try {
    await again.shows(path, 'Pods are not counted yet');
    const patches = await listen(
      `${again.url}live?of=${encodeURIComponent(path)}&boundTo=${boundTo}`,
      ({ set: { effect = '' } }) => textOf(effect).includes('It has changed since this page was loaded.'),
    );
    expect(patches.some(({ set }) => set.do !== undefined)).toBe(false);
  } finally {
    resolve();
    await again.stop();
  }
});
