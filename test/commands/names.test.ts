// A word on the command line that is not a name of a Kubernetes object is refused, and never becomes a part of a request's path.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gpuRule, objectsOf, type Scene, startScene, writesTo } from './support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ hasStops: true });
  scene.cluster.seed(gpuRule);
});
afterEach(() => scene.stop());

const notNames = ['..', '.', '', 'a/b', 'A', 'a..b', 'a%2fb', 'x'.repeat(254)];

describe('a word that is not a name', () => {
  it.each([
    ['pause namespace', (name: string) => ['pause', 'namespace', name]],
    ['resume namespace', (name: string) => ['resume', 'namespace', name]],
    ['pause rule', (name: string) => ['pause', 'rule', `PacedTaintRule/${name}`]],
    ['pause policy', (name: string) => ['pause', 'policy', name]],
    ['describe policy', (name: string) => ['describe', 'policy', name]],
    ['describe pod', (name: string) => ['describe', 'pod', name]],
    ['get policies', (name: string) => ['get', 'policies', name]],
    ['get rules', (name: string) => ['get', 'rules', `DeviceTaintRule/${name}`]],
    ['why pod', (name: string) => ['why', 'pod', `team-a/${name}`]],
    ['why rule', (name: string) => ['why', 'rule', `PacedTaintRule/${name}`]],
    ['plan', (name: string) => ['plan', `PacedTaintRule/${name}`]],
    ['get pods -n', (name: string) => ['get', 'pods', '-n', name]],
    ['get evictions -n', (name: string) => ['get', 'evictions', '-n', name]],
    ['events -n', (name: string) => ['events', '-n', name]],
  ])('is refused by %s before the API server is asked for it', async (_, words) => {
    for (const name of notNames) {
      const said = await scene.sluice(...words(name));
      expect({ name, ...said }).toMatchObject({ name, status: 2, out: '' });
      expect(said.err).toMatch(/^error: .*(is not the name of a Kubernetes object|is empty|is not a pod)/);
    }
    expect(writesTo(scene.cluster)).toEqual([]);
  });

  it.each([[['pause', 'rule', '']], [['why', 'pod', 'team-a/pod-00000/garbage']], [['why', 'pod', '']]])(
    'a word that is not a name is refused: %j',
    async (words) => {
      expect(await scene.sluice(...words)).toMatchObject({ status: 2, out: '' });
    },
  );
});

describe('a pod that is looked for in all namespaces', () => {
  it.each(['why', 'describe'])('is found by %s, and is an error where two have its name', async (verb) => {
    expect((await scene.sluice(verb, 'pod', 'pod-00004', '-A')).out).toMatch(/^team-b\/pod-00004 /);
    const pod = objectsOf(scene.cluster, 'pods').find(({ metadata }) => metadata.name === 'pod-00004');
    scene.cluster.seed({ ...pod, metadata: { name: 'pod-00004', namespace: 'team-a' } } as never);
    expect(await scene.sluice(verb, 'pod', 'pod-00004', '-A')).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/2 pods are called pod-00004: .*\nname its namespace: -n team-/),
    });
  });
});

describe('an option of an installation', () => {
  it.each(['cluster', 'stack', 'table', 'region'])(
    '--%s is refused where a kubeconfig says the cluster',
    async (option) => {
      for (const verb of ['pause', 'resume'])
        expect(await scene.sluice(verb, 'rule', 'unhealthy-gpus', `--${option}`, 'nope')).toMatchObject({
          status: 2,
          out: '',
          err: expect.stringContaining(`--${option} has no meaning; nothing was written`),
        });
      expect(writesTo(scene.cluster)).toEqual([]);
    },
  );

  it('--name is refused for a namespace, which has one pause', async () => {
    for (const verb of ['pause', 'resume'])
      expect(await scene.sluice(verb, 'namespace', 'team-a', '--name', 'aaa')).toMatchObject({ status: 2, out: '' });
    expect(writesTo(scene.cluster)).toEqual([]);
  });
});

describe('a taint that the watcher could not read', () => {
  const device = 'gpu.example.com/node-000/device-0';
  it.each(['a..b/k:NoSchedule', `k=${'v'.repeat(80)}:NoSchedule`, 'k=a_:NoSchedule', 'a/b/c:NoSchedule'])(
    'a taint that the watcher could not read is refused: %s',
    async (taint) => {
      expect(await scene.sluice('taint', 'device', device, taint)).toMatchObject({ status: 2, out: '' });
      expect(writesTo(scene.cluster)).toEqual([]);
    },
  );
});
