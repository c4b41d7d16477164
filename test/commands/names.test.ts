// Arguments that are not valid Kubernetes object names are refused and never reach the path of a request.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gpuRule, objectsOf, type Scene, startScene, writesTo } from './support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ hasStops: true });
  scene.cluster.seed(gpuRule);
});
afterEach(() => scene.stop());

const notNames = ['..', '.', '', 'a/b', 'A', 'a..b', 'a%2fb', 'x'.repeat(254)];

describe('an invalid object name', () => {
  it.each([
    ['pause namespace', (name: string) => ['pause', 'namespace', name]],
    ['resume namespace', (name: string) => ['resume', 'namespace', name]],
    ['pause rule', (name: string) => ['pause', 'rule', `PacedTaintRule/${name}`]],
    ['pause policy', (name: string) => ['pause', 'policy', name]],
    ['describe policy', (name: string) => ['describe', 'policy', name]],
    ['describe pod', (name: string) => ['describe', 'pod', `team-a/${name}`]],
    ['get pods', (name: string) => ['get', 'pods', `team-a/${name}`]],
    ['get policies', (name: string) => ['get', 'policies', name]],
    ['get rules', (name: string) => ['get', 'rules', `DeviceTaintRule/${name}`]],
    ['why pod', (name: string) => ['why', 'pod', `team-a/${name}`]],
    ['why rule', (name: string) => ['why', 'rule', `PacedTaintRule/${name}`]],
    ['plan', (name: string) => ['plan', `PacedTaintRule/${name}`]],
    ['get pods -n', (name: string) => ['get', 'pods', '-n', name]],
    ['get evictions -n', (name: string) => ['get', 'evictions', '-n', name]],
    ['events -n', (name: string) => ['events', '-n', name]],
  ])('%s refuses an invalid object name with status 2 and writes nothing', async (_, words) => {
    for (const name of notNames) {
      const said = await scene.sluice(...words(name));
      expect({ name, ...said }).toMatchObject({ name, status: 2, out: '' });
      expect(said.err).toMatch(/^error: .*(is not the name of a Kubernetes object|is empty|is not a pod)/);
    }
    expect(writesTo(scene.cluster)).toEqual([]);
  });

  it.each([[['pause', 'rule', '']], [['why', 'pod', 'team-a/pod-00000/garbage']], [['why', 'pod', '']]])(
    'an invalid object name is refused with status 2: %j',
    async (words) => {
      expect(await scene.sluice(...words)).toMatchObject({ status: 2, out: '' });
    },
  );
});

describe('a pod name with -A', () => {
  it.each(['why', 'describe'])(
    '%s finds a pod in any namespace with -A, and fails if two pods have that name',
    async (verb) => {
      expect((await scene.sluice(verb, 'pod', 'pod-00004', '-A')).out).toMatch(/^team-b\/pod-00004 /);
      const pod = objectsOf(scene.cluster, 'pods').find(({ metadata }) => metadata.name === 'pod-00004');
      scene.cluster.seed({ ...pod, metadata: { name: 'pod-00004', namespace: 'team-a' } } as never);
      expect(await scene.sluice(verb, 'pod', 'pod-00004', '-A')).toMatchObject({
        status: 1,
        out: '',
        err: expect.stringMatching(/2 namespaces have a pod pod-00004: .*\nspecify its namespace: -n team-/),
      });
    },
  );
});

describe('options of an installation', () => {
  it.each(['cluster', 'stack', 'table', 'region'])(
    '--%s is refused when a kubeconfig names the cluster',
    async (option) => {
      for (const verb of ['pause', 'resume'])
        expect(await scene.sluice(verb, 'rule', 'unhealthy-gpus', `--${option}`, 'nope')).toMatchObject({
          status: 2,
          out: '',
          err: expect.stringMatching(`--${option} has no effect: .*; nothing was written`),
        });
      expect(writesTo(scene.cluster)).toEqual([]);
    },
  );
});

describe('an invalid taint', () => {
  const device = 'gpu.example.com/node-000/device-0';
  it.each(['a..b/k:NoSchedule', `k=${'v'.repeat(80)}:NoSchedule`, 'k=a_:NoSchedule', 'a/b/c:NoSchedule'])(
    'taint device refuses a taint that the watcher cannot parse: %s',
    async (taint) => {
      expect(await scene.sluice('taint', 'device', device, taint)).toMatchObject({ status: 2, out: '' });
      expect(writesTo(scene.cluster)).toEqual([]);
    },
  );
});

describe('a kind of rule that does not exist', () => {
  it.each(['describe', 'why'])('%s refuses it with status 2, as every wrong use', async (verb) => {
    expect(await scene.sluice(verb, 'rule', 'Foo/x')).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('error: Foo is not a kind of rule\n'),
    });
  });
});
