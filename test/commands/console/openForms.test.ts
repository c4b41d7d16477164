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

it('a form that was loaded before its pods were counted is not updated once they are', async () => {
  const { stream } = await open(`/act/pause?${rule}`);
  const { promise: isOpen, resolve } = Promise.withResolvers<void>();
  const heard = listen(stream, ({ set: { effect, notices = '' } }) => {
    if (effect !== undefined) resolve();
    return notices.includes('PacedTaintRule other');
  });
  await isOpen;
  await kubectl().call('DELETE', '/api/v1/namespaces/team-a/pods/pod-00000', { body: { gracePeriodSeconds: 0 } });
  await server.shows(`/act/pause?${rule}`, '3 pods are kept until');
  const spec = { deviceSelector: { driver: 'x' }, taints: [{ key: 'a', effect: 'None' }], paused: true };
  scene.cluster.seed({ apiVersion: 'sluice.dev/v1alpha1', kind: 'PacedTaintRule', metadata: { name: 'other' }, spec });
  const [first, ...others] = await heard;
  expect(textOf(first?.set.effect ?? '')).toContain('4 pods are kept until');
  expect(others.filter(({ set }) => set.effect !== undefined)).toEqual([]);
});
