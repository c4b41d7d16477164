// The banner of each kind of hold: what holds, who wrote it, since when, and the button or command that ends it.
import { expect, it } from 'vitest';
import { createApiClient } from '../../../lib/local/cluster/client.ts';
import { ask, type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
import { gpuRule, objectsOf, type Scene, startScene } from '../support/scene.ts';

async function overHeld(
  reason: string,
  message: string,
  work: (server: ServedScene, scene: Scene) => Promise<void>,
  holds: object = {},
) {
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
      spec: { taints: { keys: ['example.com/unhealthy'] }, evictionsPerSecond: 2, ...holds },
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

async function annotate({ cluster: { url, ca, token } }: Scene, annotations: object) {
  const kubectl = createApiClient({ url, ca, token, userAgent: 'kubectl' });
  const at = '/apis/resource.k8s.io/v1/devicetaintrules/unhealthy-gpus';
  const body = { metadata: { annotations } };
  await kubectl.call('PATCH', at, { body, contentType: 'application/merge-patch+json' });
  kubectl.close();
}

it.each([
  [
    'Canary',
    'Canary of EvictionPolicy slow: 1 of 3 pods evicted.',
    'by EvictionPolicy slow, written by field manager argocd, ',
    `kubectl patch evictionpolicy slow --type=merge -p '{"spec":{"canary":null}}'`,
  ],
  [
    'OutsideWindow',
    'Outside the windows of EvictionPolicy slow: they open at 2026-01-01T13:00:00Z.',
    'by EvictionPolicy slow, written by field manager argocd, ',
    `kubectl patch evictionpolicy slow --type=merge -p '{"spec":{"windows":null}}'`,
  ],
  [
    'PolicyUnusable',
    'EvictionPolicy slow cannot be used.',
    'by EvictionPolicy slow, written by field manager argocd, ',
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

it('the banner of a rule held by a policy with pauseOnly that cannot be read names that policy', () =>
  overHeld('PolicyUnusable', 'EvictionPolicy mine cannot be read.', async (server, scene) => {
    scene.cluster.seed({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionPolicy',
      metadata: { name: 'mine' },
      spec: { taints: { keys: ['example.com/unhealthy'] }, pauseOnly: true, burst: 5 },
    } as never);
    const html = await server.shows('/rules', 'kubectl edit evictionpolicy mine');
    expect(textOf(html)).toContain('by EvictionPolicy mine');
  }));

it('the banner of a rule whose rate is 0 has the button Rate only where another rate of the rule would end the hold', async () => {
  const button = /<div id="notices"((?!<main)[\s\S])*<a class="button" href="\/act\/rate\?[^"]*">Rate/;
  const noButton = /<div id="notices"((?!<main|>Rate)[\s\S])*kubectl edit((?!>Rate)[\s\S])*<main/;
  const held = 'Held: DeviceTaintRule unhealthy-gpus';
  await overHeld(
    'StandsStill',
    'Its rate is 0 (evictionsPerSecond of EvictionPolicy slow).',
    async (server) => {
      const html = await server.shows('/rules', held);
      expect(html).toMatch(button);
    },
    { evictionsPerSecond: 0 },
  );
  await overHeld(
    'StandsStill',
    'Its rate is 0 (maxEvictionsPerSecond of EvictionPolicy slow).',
    async (server) => {
      const html = await server.shows('/rules', 'kubectl edit evictionpolicy slow');
      expect(html).not.toMatch(button);
      expect(textOf(html)).toContain('To continue: kubectl edit evictionpolicy slow');
      expect(textOf(html)).toContain('by EvictionPolicy slow, written by field manager argocd');
    },
    { evictionsPerSecond: undefined, maxEvictionsPerSecond: 0 },
  );
  await overHeld('StandsStill', 'Its burst is 0 (sluice.dev/burst).', async (server, scene) => {
    await annotate(scene, { 'sluice.dev/burst': '0' });
    const html = await server.shows('/rules', noButton);
    expect(textOf(html)).toContain('To continue: kubectl edit devicetaintrule unhealthy-gpus');
  });
});

it('the banner of a plan that waits again says who approved the plan before, and when', () =>
  overHeld('PlanGrew', 'Approved were 2 pods, 4 match now.', async (server, scene) => {
    await annotate(scene, { 'sluice.dev/approve': '0123456789ab' });
    const page = await server.shows('/rules', 'There is an approval');
    expect(textOf(page)).toMatch(
      /4 match now\. There is an approval of plan 0123456789ab by field manager kubectl at \d{4}-\S+Z\./,
    );
  }));

it('the banner of a hold by an observer in doubt has the button Approve, and no command', () =>
  overHeld('ObserverInDoubt', 'So many at once: sluice.dev/approve=0123456789ab', async (server) => {
    const page = await server.shows('/rules', 'Held: DeviceTaintRule unhealthy-gpus');
    expect(page).toContain('href="/act/approve?kind=rule&amp;name=DeviceTaintRule%2Funhealthy-gpus"');
    expect(textOf(page)).toContain('by EvictionPolicy slow');
    expect(page).not.toContain('To continue:');
  }));

const windows = [{ schedule: '0 13 * * *', duration: '1h' }];

it.each([
  ['Canary', { canary: { pods: 3, hold: '1h' } }, 'canary', 'End the canary', 'The rule continues without a canary.'],
  ['OutsideWindow', { windows }, 'windows', 'Remove the windows', 'Evictions are then allowed at any time.'],
])(
  'the banner of a hold by %s has the button that ends it, which says how many pods can be evicted before it removes the field',
  (reason, holds, field, label, effect) =>
    overHeld(
      reason,
      'Held.',
      async (server, scene) => {
        const href = `/act/remove?kind=policy&amp;name=slow&amp;field=${field}`;
        const banner = await server.shows('/rules', `href="${href}"`);
        expect(textOf(banner)).toContain(`${label} DeviceTaintRule unhealthy-gpus`);
        const preview = await server.shows(href.replaceAll('&amp;', '&'), 'What it will do');
        expect(textOf(preview)).toContain(`4 pods can be evicted, at the configured rates. spec.${field} is removed`);
        expect(textOf(preview)).toContain(effect);
        const [, token = ''] = /name="token" value="([^"]*)"/.exec(preview) ?? [];
        const form = { kind: 'policy', name: 'slow', field, token };
        const origin = server.url.slice(0, -1);
        const done = await ask(`${origin}/act/remove`, { method: 'POST', headers: { origin }, form });
        expect(textOf(done.body)).toContain(`spec.${field} of EvictionPolicy slow is removed`);
        expect(textOf(done.body)).toContain(`Remove spec.${field} of EvictionPolicy slow Done`);
        const [policy] = objectsOf(scene.cluster, 'evictionpolicies');
        expect(policy?.spec).toEqual({ taints: { keys: ['example.com/unhealthy'] }, evictionsPerSecond: 2 });
        const again = await ask(`${origin}${href.replaceAll('&amp;', '&')}`);
        expect(textOf(again.body)).toContain(`EvictionPolicy slow has no spec.${field}`);
      },
      holds,
    ),
);

it('resume of a pause whose name looks like a field ends that pause and leaves the field', () =>
  overHeld(
    'Canary',
    'Held.',
    async (server, scene) => {
      const { url, ca, token } = scene.cluster;
      const kubectl = createApiClient({ url, ca, token, userAgent: 'kubectl' });
      const annotations = { 'pause.sluice.dev/spec.canary': 'until Monday' };
      await kubectl.call('PATCH', '/apis/sluice.dev/v1alpha1/evictionpolicies/slow', {
        body: { metadata: { annotations } },
        contentType: 'application/merge-patch+json',
      });
      kubectl.close();
      const form = { kind: 'policy', name: 'slow', pause: 'spec.canary' };
      const preview = await server.shows(`/act/resume?${new URLSearchParams(form)}`, 'name="token"');
      expect(textOf(preview)).toContain('Resume policy slow');
      const [, csrf = ''] = /name="token" value="([^"]*)"/.exec(preview) ?? [];
      const origin = server.url.slice(0, -1);
      await ask(`${origin}/act/resume`, { method: 'POST', headers: { origin }, form: { ...form, token: csrf } });
      const [policy] = objectsOf(scene.cluster, 'evictionpolicies');
      expect(policy?.metadata.annotations ?? {}).not.toHaveProperty(['pause.sluice.dev/spec.canary']);
      expect(policy?.spec).toHaveProperty('canary');
    },
    { canary: { pods: 3, hold: '1h' } },
  ));

it.each([
  'kind=policy&name=slow',
  'kind=policy&name=slow&field=taints',
  'kind=rule&name=DeviceTaintRule/unhealthy-gpus&field=canary',
])('the console removes nothing but the canary or the windows of a policy: %s', (query) =>
  overHeld('Canary', 'Held.', async (server) => {
    await server.shows('/rules', 'Held: DeviceTaintRule unhealthy-gpus');
    expect((await ask(`${server.url}act/remove?${query}`)).status).toBe(404);
  }),
);
