// The banner of each kind of hold: what holds, who wrote it, since when, and the button or command that ends it.
import { expect, it } from 'vitest';
import { createApiClient } from '../../../lib/local/cluster/client.ts';
import { type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
import { gpuRule, type Scene, startScene } from '../support/scene.ts';

async function overHeld(reason: string, message: string, work: (server: ServedScene, scene: Scene) => Promise<void>) {
  const scene = await startScene();
  const lastTransitionTime = '2026-01-01T11:00:00Z';
  const conditions = [{ type: 'sluice.dev/Held', status: 'True', reason, message, lastTransitionTime }];
  scene.cluster.seed({ ...gpuRule, status: { conditions } });
  const { url, ca, token } = scene.cluster;
  const argocd = createApiClient({ url, ca, token, userAgent: 'argocd' });
  await argocd.call('POST', '/apis/sluice.dev/v1alpha1/evictionpolicies', {
    body: {
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionPolicy',
      metadata: { name: 'slow' },
      spec: { taints: { keys: ['example.com/unhealthy'] }, evictionsPerSecond: 2 },
    },
  });
  argocd.close();
  const server = await serveConsole({ kubeconfig: scene.kubeconfig });
  try {
    await work(server, scene);
  } finally {
    await server.stop();
    await scene.stop();
  }
}

it.each([
  [
    'Canary',
    'Canary of EvictionPolicy slow: 1 of 3 pods evicted.',
    'by EvictionPolicy slow, written by argocd, ',
    `kubectl patch evictionpolicy slow --type=merge -p '{"spec":{"canary":null}}'`,
  ],
  [
    'OutsideWindow',
    'Outside the windows of EvictionPolicy slow: they open at 2026-01-01T13:00:00Z.',
    'by EvictionPolicy slow, written by argocd, ',
    `kubectl patch evictionpolicy slow --type=merge -p '{"spec":{"windows":null}}'`,
  ],
  [
    'PolicyUnusable',
    'EvictionPolicy slow cannot be used.',
    'by EvictionPolicy slow, written by argocd, ',
    'kubectl edit evictionpolicy slow',
  ],
  [
    'SelectorRefused',
    'spec.deviceSelector.selectors[0] cannot be used: line 1, column 8: undefined field',
    '',
    'kubectl edit devicetaintrule unhealthy-gpus',
  ],
  ['Expired', 'Expired at 2026-01-01T10:00:00Z.', '', 'kubectl edit devicetaintrule unhealthy-gpus'],
])(
  'the banner of a rule held by %s says why, by what, since when, and the command that ends it',
  (reason, message, by, command) =>
    overHeld(reason, message, async (server) => {
      for (const path of ['/rules', '/fleet', '/why']) {
        const html = await server.shows(path, 'Held: DeviceTaintRule unhealthy-gpus');
        const text = textOf(html).replaceAll('&quot;', '"').replaceAll('&#39;', "'");
        expect(text).toContain(message);
        expect(text).toMatch(new RegExp(` ${by}since 2026-01-01 11:00:00 UTC`));
        expect(text).toContain(`To continue: ${command}`);
      }
    }),
);

it('the banner of a hold by an observer in doubt has the button Approve, and no command', () =>
  overHeld('ObserverInDoubt', 'So many at once: sluice.dev/approve=0123456789ab', async (server) => {
    const page = await server.shows('/rules', 'Held: DeviceTaintRule unhealthy-gpus');
    expect(page).toContain('href="/act/approve?kind=rule&amp;name=DeviceTaintRule%2Funhealthy-gpus"');
    expect(textOf(page)).toContain('by EvictionPolicy slow');
    expect(page).not.toContain('To continue:');
  }));
