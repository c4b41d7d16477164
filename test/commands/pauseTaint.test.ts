// `pause taint` and `resume taint`: one policy with `pauseOnly` for each key, whatever puts the taint on devices.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { mapAt } from '../../lib/local/cluster/object.ts';
import { gpuRule, objectsOf, type Scene, startScene } from './support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ hasStops: true });
  scene.cluster.seed(gpuRule);
});
afterEach(() => scene.stop());

const key = 'example.com/unhealthy';
const policies = () => objectsOf(scene.cluster, 'evictionpolicies');

describe('pause taint', () => {
  it('it creates a policy that pauses only the key, says how many pods are kept, and changes no rule', async () => {
    const before = objectsOf(scene.cluster, 'devicetaintrules');
    const { status, out } = await scene.sluice('pause', 'taint', key, '--why', 'audit');
    expect(status).toBe(0);
    expect(out).toBe(`taint ${key} is paused: 4 pods are kept\nto resume: sluice resume taint ${key}\n`);
    expect(objectsOf(scene.cluster, 'devicetaintrules')).toEqual(before);
    expect(policies()).toMatchObject([
      {
        metadata: {
          name: expect.stringMatching(/^pause-example-com-unhealthy-[0-9a-f]{8}$/),
          labels: { 'sluice.dev/made-by': 'pause' },
          annotations: { 'pause.sluice.dev/manual': expect.stringContaining('audit') },
        },
        spec: { taints: { keys: [key] }, pauseOnly: true },
      },
    ]);
  });

  it('it is refused where the definition of the cluster is older and would drop pauseOnly, and nothing is written', async () => {
    const rules = scene.cluster.resource('evictionpolicies').rules ?? {};
    const older = vi.spyOn(rules as Required<typeof rules>, 'prune').mockImplementation((body) => {
      const { pauseOnly, ...spec } = mapAt(body, 'spec') ?? {};
      return { object: { ...body, spec }, unknown: pauseOnly === undefined ? [] : ['spec.pauseOnly'] };
    });
    onTestFinished(() => older.mockRestore());
    expect(await scene.sluice('pause', 'taint', key)).toEqual({
      status: 1,
      out: '',
      err:
        'error: the definition of EvictionPolicy in context local is older and has no spec.pauseOnly; nothing was written\n' +
        'update the definitions: sluice install --print-crds | kubectl apply --server-side -f -\n',
    });
    expect(policies()).toEqual([]);
  });

  it('the command that ends it names the same cluster, as a shell reads it', async () => {
    const kubeconfig = scene.file("ada's kubeconfig", readFileSync(scene.kubeconfig, 'utf8'));
    const options = ['--kubeconfig', kubeconfig, '--context', 'local'];
    const { out } = await scene.sluice('pause', 'taint', key, ...options);
    const [, command = ''] = /^to resume: sluice (.*)$/m.exec(out) ?? [];
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(words).toEqual(['resume', 'taint', key, ...options]);
    expect(await scene.sluice(...words)).toMatchObject({ status: 0 });
  });

  it('it pauses a taint in slices that no policy selects, and one under a policy for all taints', async () => {
    const rules = scene.cluster.resource('devicetaintrules');
    for (const one of objectsOf(scene.cluster, 'devicetaintrules')) scene.cluster.store.remove(rules, one);
    const [slice] = objectsOf(scene.cluster, 'resourceslices');
    const spec = slice?.spec as { devices: object[] };
    const taints = [{ key: 'driver/ecc', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }];
    const devices = spec.devices.map((one) => ({ ...one, taints }));
    scene.cluster.seed({ ...slice, spec: { ...spec, devices } } as never);
    const held = async () => (await scene.sluice('get', 'pods', '-A', '-o', 'wide')).out;
    expect((await scene.sluice('pause', 'taint', 'driver/ecc')).out).toMatch(/^taint driver\/ecc is paused: [1-9]/);
    expect(await held()).toMatch(/Held .*Paused by EvictionPolicy pause-driver-ecc-/);
    expect((await scene.sluice('resume', 'taint', 'driver/ecc')).status).toBe(0);
    const wide = { apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionPolicy', metadata: { name: 'wide' } };
    scene.cluster.seed({ ...wide, spec: { approval: 'Required' } } as never);
    expect((await scene.sluice('pause', 'taint', 'driver/ecc')).out).toMatch(/^taint driver\/ecc is paused: [1-9]/);
    expect(policies().find(({ metadata }) => metadata.name === 'wide')?.metadata.annotations).toBeUndefined();
  });

  it('pods that another taint evicts all the same do not count as kept', async () => {
    const [slice] = objectsOf(scene.cluster, 'resourceslices');
    const spec = slice?.spec as { devices: object[] };
    const taints = [{ key: 'driver/ecc', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }];
    scene.cluster.seed({
      ...slice,
      spec: { ...spec, devices: spec.devices.map((one) => ({ ...one, taints })) },
    } as never);
    expect((await scene.sluice('pause', 'taint', key)).out).toMatch(
      /is paused: 2 pods are kept; 2 more pods are evicted for other taints\n/,
    );
    expect((await scene.sluice('pause', 'taint', 'driver/ecc')).out).toMatch(/is paused: 2 pods are kept\n/);
  });

  it('several pauses of a taint are listed, and the policy is deleted with the last one', async () => {
    await scene.sluice('pause', 'taint', key);
    await scene.sluice('pause', 'taint', key, '--name', 'audit', '--why', 'inspection');
    expect((await scene.sluice('pauses')).out).toMatch(/EvictionPolicy pause-\S+ +audit +ada +\S+ +inspection/);
    const first = await scene.sluice('resume', 'taint', key);
    expect(first.out).toMatch(/^pause manual was removed; taint example\.com\/unhealthy is still paused: audit /);
    expect(policies()).toHaveLength(1);
    expect((await scene.sluice('resume', 'taint', key, '--name', 'audit')).out).toBe(
      `pause audit of taint ${key} was removed\n`,
    );
    expect(policies()).toEqual([]);
  });

  it('the policy is also deleted if its last pause is ended by the name of the policy', async () => {
    await scene.sluice('pause', 'taint', key);
    const name = policies()[0]?.metadata.name ?? '';
    expect((await scene.sluice('resume', 'policy', name)).out).toBe(`EvictionPolicy ${name} is not paused any more\n`);
    expect(policies()).toEqual([]);
  });

  it('a policy with pauseOnly that a person wrote stays after its last pause is ended', async () => {
    const policy = { apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionPolicy', metadata: { name: 'mine' } };
    scene.cluster.seed({ ...policy, spec: { taints: { keys: [key] }, pauseOnly: true, paused: true } } as never);
    await scene.sluice('resume', 'policy', 'mine', '--name', 'spec.paused');
    expect(policies()).toMatchObject([{ metadata: { name: 'mine' } }]);
  });

  it.each([
    ['has settings', { evictionsPerSecond: 1 }],
    ['pauses another taint', { taints: { keys: ['example.com/other'] }, pauseOnly: true }],
    ['pauses the taint on one driver alone', { taints: { keys: [key], drivers: ['a'] }, pauseOnly: true }],
  ])('it fails and writes nothing if the policy of that name %s', async (_, spec) => {
    await scene.sluice('pause', 'taint', key);
    const [made] = policies();
    scene.cluster.seed({ ...made, metadata: { name: made?.metadata.name }, spec } as never);
    const before = policies();
    const { status, err } = await scene.sluice('pause', 'taint', key);
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(/ nothing was written\nsee: sluice describe policy pause-/),
    ]);
    expect(policies()).toEqual(before);
  });
});

describe('resume taint', () => {
  it('it fails for a pause that the taint does not have', async () => {
    expect(await scene.sluice('resume', 'taint', key)).toMatchObject({
      status: 1,
      err: `error: taint ${key} has no pause manual\nsee: sluice pauses\n`,
    });
    await scene.sluice('pause', 'taint', key);
    expect((await scene.sluice('resume', 'taint', key, '--name', 'nope')).err).toMatch(/has no pause nope/);
  });

  it('it ends the pause of a taint that no device has any more', async () => {
    await scene.sluice('pause', 'taint', key);
    const rules = scene.cluster.resource('devicetaintrules');
    for (const one of objectsOf(scene.cluster, 'devicetaintrules')) scene.cluster.store.remove(rules, one);
    expect((await scene.sluice('resume', 'taint', key)).status).toBe(0);
    expect(policies()).toEqual([]);
  });

  it('a pause that is added while the policy is being deleted stays', async () => {
    await scene.sluice('pause', 'taint', key);
    let isAdded = false;
    scene.cluster.faults.add({
      when: ({ request }) => {
        if (request.verb !== 'delete' || isAdded) return false;
        isAdded = true;
        const [made] = policies();
        const annotations = { 'pause.sluice.dev/other': 'eve' };
        scene.cluster.seed({ ...made, metadata: { ...made?.metadata, annotations } } as never);
        return false;
      },
      status: 500,
    });
    expect((await scene.sluice('resume', 'taint', key)).out).toMatch(/is still paused: other \(eve\)/);
    expect(isAdded).toBe(true);
    expect(policies()).toHaveLength(1);
  });
});
