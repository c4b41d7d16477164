// The banner follows conditions, and the rest of a page follows the state table: no page shows numbers of two moments.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TableSource } from '../../../lib/commands/console/source.ts';
import { awaitingApproval } from '../../../lib/decide/approval.ts';
import { canaryHold } from '../../../lib/decide/canary.ts';
import type { ClusterProgress } from '../../../lib/view/progress.ts';
import { aLimiter, aPicture } from '../../view/pictures.ts';
import { type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
import { gpuRule, type Scene, startScene } from '../support/scene.ts';

const canary = canaryHold(
  { name: 'slow', canary: { pods: 3, hold: 60_000 } },
  { kind: 'Running', went: 0, free: [1, 2, 3] },
  40,
);
const matched = { waiting: 37, namespaces: 2, evicted: 0 };
const rule = { kind: 'DeviceTaintRule', name: 'unhealthy-gpus', generation: 1 } as const;
const approval = (waiting: number) =>
  awaitingApproval(rule, {
    need: 'EmptySelector',
    matched: { ...matched, waiting },
    digest: '0123456789ab',
    approved: undefined,
  });

const none = aPicture({ limiters: [], plans: [], pods: { deleting: 0, pending: 0, waiting: 0 } });

describe('pages about a held rule', () => {
  let scene: Scene;
  let server: ServedScene;
  let progress: ClusterProgress;

  beforeEach(async () => {
    scene = await startScene();
    progress = none;
    const table: TableSource = {
      state: () => Promise.reject(new Error('not asked')),
      progress: async () => ({ ...progress, at: Date.now() }),
    };
    server = await serveConsole({ kubeconfig: scene.kubeconfig, table });
  });

  afterEach(async () => {
    await server.stop();
    await scene.stop();
  });

  const hold = (object: object, { reason, message }: { readonly reason: string; readonly message: string }) => {
    const lastTransitionTime = '2026-01-01T11:00:00Z';
    const conditions = [{ type: 'sluice.dev/Held', status: 'True', reason, message, lastTransitionTime }];
    scene.cluster.seed({ ...object, status: { conditions } } as Parameters<typeof scene.cluster.seed>[0]);
  };

  it.each([
    ['a canary', canary],
    ['an approval', approval(37)],
  ])('a condition that counts the pods of %s shows no number before the table has the pods', async (_, held) => {
    hold(gpuRule, held ?? { reason: '', message: '' });
    const text = textOf(await server.shows('/rules', 'Held: DeviceTaintRule unhealthy-gpus'));
    expect(text).not.toContain('37 pods');
    expect(text).not.toContain('No pod is pending');
    expect(text).toContain('Its pods are being counted.');
    expect(text).toContain('Pods are being counted');
    expect(text).toMatch(/pending – being counted waiting – being counted/);
  });

  it('the banner and the rule have the numbers of the condition once the table has the pods', async () => {
    hold(gpuRule, approval(37));
    await server.shows('/rules', 'being counted');
    const uid = scene.cluster.store.get(scene.cluster.resource('devicetaintrules'), 'unhealthy-gpus')?.metadata.uid;
    progress = aPicture({ limiters: [aLimiter({ limiter: `rule|${uid}`, heldBecause: 'it waits for an approval' })] });
    const text = textOf(await server.shows('/rules', '37 pods in 2 namespaces'));
    expect(text).not.toContain('being counted');
  });

  it.each([
    ['a canary', canary],
    ['an approval', approval(4)],
  ])(
    'the fleet counts the devices of a rule as held while the banner of %s stands, and as evicting without it',
    async (_, held) => {
      hold(gpuRule, held ?? { reason: '', message: '' });
      expect(textOf(await server.shows('/fleet', 'Held: DeviceTaintRule unhealthy-gpus'))).toContain(
        '0 evicting 4 held',
      );
      const uid = scene.cluster.store.get(scene.cluster.resource('devicetaintrules'), 'unhealthy-gpus')?.metadata.uid;
      progress = aPicture({ limiters: [aLimiter({ limiter: `rule|${uid}` })] });
      const going = textOf(await server.shows('/fleet', '4 evicting'));
      expect(going).toContain('4 evicting 0 held');
      expect(going).not.toContain('Held: DeviceTaintRule');
      progress = aPicture({ limiters: [aLimiter({ limiter: `rule|${uid}`, heldBecause: 'it waits' })] });
      expect(textOf(await server.shows('/fleet', '4 held'))).toContain('Held: DeviceTaintRule unhealthy-gpus');
    },
  );

  it('a rule that waits for an approval and has no pod is not being counted', async () => {
    hold(gpuRule, approval(0));
    const text = textOf(await server.shows('/rules', 'Held: DeviceTaintRule unhealthy-gpus'));
    expect(text).toContain('No pod is pending');
    expect(text).not.toContain('being counted');
  });

  it('a policy that holds pods of taints in slices shows no number before the table has a taint under it', async () => {
    const slice = 'slice|gpu.example.com|example.com/ecc||NoExecute' as const;
    const policy = {
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionPolicy',
      metadata: { name: 'agents' },
      spec: { taints: { keys: ['example.com/ecc'] }, approval: 'Required' },
    };
    const message = 'EvictionPolicy agents asks for an approval: 37 pods in 2 namespaces would be evicted.';
    hold(policy, { reason: 'AwaitingApproval', message });
    const counting = textOf(await server.shows('/rules', 'Held: EvictionPolicy agents'));
    expect(counting).not.toContain('37 pods');
    expect(counting).toContain('Pods are being counted');
    progress = aPicture({ limiters: [aLimiter({ limiter: slice, kind: 'Slice', state: 'Waiting' })] });
    const text = textOf(await server.shows('/rules', '37 pods in 2 namespaces'));
    expect(text).not.toContain('being counted');
  });
});
