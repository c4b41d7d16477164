// The page that ends a canary, a window or a pause says what still holds the pods after it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TableSource } from '../../../lib/commands/console/source.ts';
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import { clusterNameOf } from '../../../lib/model/identity.ts';
import { setPause } from '../../../lib/state/pauseRows.ts';
import { createWorld } from '../../support/world.ts';
import { aPicture } from '../../view/pictures.ts';
import { type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
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

const pause = { 'pause.sluice.dev/audit': 'until Monday; by eve at 2026-01-01T11:30:00Z' };

const rule = (metadata: JsonMap = {}, reason = '', message = ''): JsonMap => ({
  ...gpuRule,
  metadata: { name: 'unhealthy-gpus', ...metadata },
  ...(reason === ''
    ? {}
    : {
        status: {
          conditions: [
            { type: 'sluice.dev/Held', status: 'True', reason, message, lastTransitionTime: '2026-01-01T11:00:00Z' },
          ],
        },
      }),
});

const policy = (spec: JsonMap, metadata: JsonMap = {}): JsonMap => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'EvictionPolicy',
  metadata: { name: 'slow', ...metadata },
  spec: { taints: { keys: ['example.com/unhealthy'] }, evictionsPerSecond: 2, ...spec },
});

const canary = { canary: { pods: 1, hold: '1h' } };
const never = { windows: [{ schedule: '0 12 30 2 *', duration: '1h' }] };

const preview = async (field: 'canary' | 'windows') =>
  textOf(await server.shows(`/act/remove?kind=policy&name=slow&field=${field}`, 'is removed'));

async function seeded(...objects: readonly JsonMap[]): Promise<void> {
  for (const one of objects) scene.cluster.seed(one);
  await server.shows('/rules', 'unhealthy-gpus');
  await server.shows('/fleet', /\d (evicting|held)/);
}

describe('the page that ends a canary', () => {
  it.each([
    [
      'a pause of the rule',
      rule({ annotations: pause }),
      policy(canary),
      /DeviceTaintRule unhealthy-gpus: Paused by audit \(until Monday; by eve at/,
    ],
    [
      'a pause of the policy',
      rule(),
      policy(canary, { annotations: pause }),
      /Paused by EvictionPolicy slow: audit \(until Monday; by eve at/,
    ],
    [
      'a closed window',
      rule(),
      policy({ ...canary, ...never }),
      /Outside the windows of EvictionPolicy slow: they never open/,
    ],
    [
      'the end of the rule',
      rule({ annotations: { 'sluice.dev/expires-at': '2026-01-01T00:00:00Z' } }),
      policy(canary),
      /DeviceTaintRule unhealthy-gpus: Expired at 2026-01-01T00:00:00Z/,
    ],
    [
      'a plan that waits for an approval',
      rule({}, 'AwaitingApproval', 'EvictionPolicy slow asks for an approval.'),
      policy(canary),
      /DeviceTaintRule unhealthy-gpus: EvictionPolicy slow asks for an approval/,
    ],
    [
      'an observer in doubt',
      rule({}, 'ObserverInDoubt', '9 of 10 devices are tainted.'),
      policy(canary),
      /DeviceTaintRule unhealthy-gpus: 9 of 10 devices are tainted/,
    ],
  ])(
    'the page that ends a canary promises no eviction while %s holds all pods, and names it',
    async (_, one, other, why) => {
      await seeded(one, other);
      const text = await preview('canary');
      expect(text).toMatch(new RegExp(`4 pods are still kept: ${why.source}`));
      expect(text).not.toContain('can be evicted');
    },
  );

  it('the canary that it ends is no hold after it', async () => {
    await seeded(rule({}, 'Canary', 'Canary of EvictionPolicy slow: 1 of 3 pods evicted.'), policy(canary));
    expect(await preview('canary')).toContain('4 pods can be evicted, at the configured rates.');
  });

  it('the page that ends a canary counts the pods of a paused rule apart', async () => {
    const other = { ...gpuRule, metadata: { name: 'other', annotations: pause } };
    const spec = { ...(gpuRule.spec as JsonMap), deviceSelector: { driver: 'gpu.example.com', pool: 'node-000' } };
    await seeded(
      { ...other, spec: { ...spec, deviceSelector: { driver: 'gpu.example.com', pool: 'node-002' } } },
      { ...rule(), spec },
      policy(canary),
    );
    const text = await preview('canary');
    expect(text).toMatch(
      /2 pods can be evicted, at the configured rates\. 2 pods are still kept: DeviceTaintRule other: Paused/,
    );
  });

  it('pods of a namespace that is paused are kept, and the others can be evicted', async () => {
    await seeded(rule(), policy(canary));
    expect(await scene.sluice('pause', 'namespace', 'team-a')).toMatchObject({ status: 0 });
    await server.shows('/rules', 'Paused: Namespace team-a');
    expect(await preview('canary')).toMatch(
      /\d pods? can be evicted, at the configured rates\. \d pods? (is|are) still kept: /,
    );
  });

  it('a pause in the state table is named, because it holds all pods of the cluster', async () => {
    const { table: rows, cluster } = createWorld({ start: Date.now() });
    const table: TableSource = { state: async () => ({ table: rows, cluster }), progress: async () => aPicture() };
    await setPause(
      { table: rows, cluster: clusterNameOf(cluster) },
      { name: 'audit', why: 'until Monday', since: Date.UTC(2026, 0, 1), by: 'eve' },
    );
    await seeded(rule(), policy(canary));
    const both = await serveConsole({ kubeconfig: scene.kubeconfig, table });
    try {
      await both.shows('/fleet', 'node-003');
      const href = '/act/remove?kind=policy&name=slow&field=canary';
      expect(textOf(await both.shows(href, 'is removed'))).toContain(
        '4 pods are still kept: Paused by audit (until Monday; by eve at 2026-01-01T00:00:00Z).',
      );
    } finally {
      await both.stop();
    }
  });
});

describe('the page that removes windows', () => {
  it('the page that removes windows promises no eviction while a canary holds all pods, and names it', async () => {
    const message = 'Canary of EvictionPolicy slow: 1 of 3 pods evicted; 3 more wait.';
    await seeded(
      rule({}, 'Canary', message),
      policy({ ...canary, windows: [{ schedule: '* * * * *', duration: '1h' }] }),
    );
    expect(await preview('windows')).toContain(
      '4 pods are still kept: DeviceTaintRule unhealthy-gpus: Canary of EvictionPolicy slow',
    );
  });

  it('the page that removes windows names the fields of the policy that may hold pods after it, which a closed window hides', async () => {
    await seeded(rule({}, 'OutsideWindow', 'Outside.'), policy({ ...canary, ...never, approval: 'Required' }));
    const text = await preview('windows');
    expect(text).toContain('4 pods can be evicted, at the configured rates.');
    expect(text).toContain('spec.canary and spec.approval of the policy may still hold pods.');
  });
});

describe('the page that ends a pause', () => {
  it.each([
    [
      'of a policy',
      'kind=policy&name=slow',
      rule({ annotations: pause }),
      policy({}, { annotations: { 'pause.sluice.dev/manual': 'x' } }),
    ],
    [
      'of a rule',
      'kind=rule&name=DeviceTaintRule/unhealthy-gpus',
      rule({ annotations: { ...pause, 'pause.sluice.dev/manual': 'x' } }),
      policy({}),
    ],
  ])('the page that ends a pause promises no eviction while another pause stands: %s', async (_, query, one, other) => {
    await seeded(one, other);
    const text = textOf(await server.shows(`/act/resume?${query}&pause=manual`, 'What it will do'));
    expect(text).toMatch(/4 pods are still kept: (DeviceTaintRule unhealthy-gpus: )?Paused by audit \(until Monday/);
  });

  it('the page that ends a pause says what a condition of the rule tells, as a canary', async () => {
    await seeded(rule({ annotations: { 'pause.sluice.dev/manual': 'x' } }, 'Canary', '1 of 3 pods evicted.'));
    const query = 'kind=rule&name=DeviceTaintRule/unhealthy-gpus&pause=manual';
    expect(textOf(await server.shows(`/act/resume?${query}`, 'What it will do'))).toContain('1 of 3 pods evicted.');
  });
});

describe('pods that another taint evicts all the same', () => {
  const act = async (action: string) =>
    textOf(
      await server.shows(
        `/act/${action}?kind=rule&name=DeviceTaintRule/unhealthy-gpus${action === 'resume' ? '&pause=audit' : ''}`,
        'What it will do',
      ),
    );
  const broken = {
    ...gpuRule,
    metadata: { name: 'broken' },
    spec: {
      deviceSelector: { driver: 'gpu.example.com', pool: 'node-000' },
      taint: { key: 'example.com/broken', effect: 'NoExecute' },
    },
  };

  it('they do not count as kept by a pause', async () => {
    await seeded(rule(), broken);
    expect(await act('pause')).toContain(
      '2 pods are kept until DeviceTaintRule/unhealthy-gpus is resumed. 2 more pods are evicted for other taints.',
    );
  });

  it('they do not count as evicted again after a pause', async () => {
    await seeded(rule({ annotations: pause }), broken);
    expect(await act('resume')).toContain('2 pods can be evicted again, at the configured rates.');
  });

  it('they count where the other taint is paused too', async () => {
    await seeded(rule(), { ...broken, metadata: { name: 'broken', annotations: pause } });
    expect(await act('pause')).toMatch(/4 pods are kept until DeviceTaintRule\/unhealthy-gpus is resumed\.(?! \d)/);
  });
});
