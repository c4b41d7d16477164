// A remembered installation whose account does not answer takes nothing away that a kubeconfig alone can answer.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stubDeadAws } from './support/deadAws.ts';
import { type Scene, startScene } from './support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  stubDeadAws();
  scene = await startScene();
  const words = ['config', 'use', 'prod', '--stack', 'Sluice', '--region', 'eu-west-1', '--cluster', 'prod'];
  expect(await scene.sluice(...words)).toMatchObject({ status: 0 });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await scene.stop();
});

describe('a remembered installation that cannot be read', () => {
  it('get evictions answers from the Events of the cluster, and says why', async () => {
    const said = await scene.sluice('get', 'evictions');
    expect(said).toMatchObject({ status: 0, out: '' });
    expect(said.err).toMatch(
      /^using the API server only: stack Sluice in eu-west-1 cannot be read: .*\nno evictions [^\n]*\n$/,
    );
  });

  it('pauses answers for the cluster of --kubeconfig alone, and for both where no cluster is named', async () => {
    const err = 'no pauses in context local found\n';
    expect(await scene.sluice('pauses', '--kubeconfig', scene.kubeconfig)).toEqual({ status: 0, out: '', err });
    expect(await scene.sluice('pauses', '--kubeconfig', scene.kubeconfig, '--cluster', 'prod')).toMatchObject({
      status: 1,
    });
    expect(await scene.sluice('pauses')).toMatchObject({
      status: 1,
      err: expect.stringContaining('incomplete: error: stack Sluice in eu-west-1 cannot be read'),
    });
  });

  it('a stop of everything that cannot reach the account names the way by kubeconfig', async () => {
    const said = await scene.sluice('pause', '--all');
    expect(said).toMatchObject({ status: 1, out: '' });
    expect(said.err).toMatch(
      /^error: stack Sluice in eu-west-1 cannot be read: .*\n.*; or stop one cluster by its kubeconfig: sluice pause --all --context NAME\n$/,
    );
  });

  it('get evictions fails where the installation is named, instead of answering for another source', async () => {
    expect(await scene.sluice('get', 'evictions', '--stack', 'Sluice', '--cluster', 'prod')).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/^error: stack Sluice in eu-west-1 cannot be read: /),
    });
  });
});

it('untaint of a key that a device has not names the keys that it has', async () => {
  const device = 'gpu.example.com/node-000/device-0';
  await scene.sluice('taint', 'device', device, 'example.com/k=one:NoSchedule');
  expect(await scene.sluice('untaint', 'device', device, 'nokey')).toMatchObject({
    status: 1,
    err: expect.stringMatching(
      /^error: there is no rule .* with taint nokey .*\nit has example\.com\/k; see: sluice get taints\n$/,
    ),
  });
});
