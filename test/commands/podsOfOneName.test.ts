// Pods of several namespaces that have the same name, as those of StatefulSets have.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gpuRule, objectsOf, type Scene, startScene } from './support/scene.ts';

let scene: Scene;
const lines = (text: string) => text.split('\n').filter((one) => one !== '');
const podOf = (namespace: string) =>
  objectsOf(scene.cluster, 'pods').find(
    ({ metadata }) => metadata.name === 'pod-00000' && metadata.namespace === namespace,
  );

beforeEach(async () => {
  scene = await startScene();
  scene.cluster.seed(gpuRule);
  for (const kind of ['resourceclaims', 'pods'])
    for (const one of objectsOf(scene.cluster, kind).filter(({ metadata }) => metadata.namespace === 'team-a')) {
      const { uid: _, resourceVersion: __, ...metadata } = one.metadata;
      scene.cluster.seed({ ...one, metadata: { ...metadata, namespace: 'team-z' } } as never);
    }
});
afterEach(() => scene.stop());

it('get pods -A -o name prints a name for each of them', async () => {
  const names = lines((await scene.sluice('get', 'pods', '-A', '-o', 'name')).out);
  expect(names.filter((one) => one === 'pod/pod-00000')).toHaveLength(2);
});

it('get pods -A --watch prints the change of one of them, and not the other', async () => {
  expect([podOf('team-a'), podOf('team-z')].every((one) => one !== undefined)).toBe(true);
  const onSleep = (count: number) => {
    if (count !== 1) return;
    const pod = podOf('team-a');
    const labels = { ...(pod?.metadata.labels as object), 'sluice.dev/eviction-mode': 'Skip' };
    scene.cluster.seed({ ...pod, metadata: { ...pod?.metadata, labels } } as never);
  };
  const { out } = await scene.run(['get', 'pods', '-A', '--watch'], { onSleep, sleeps: 3 });
  const rows = lines(out).filter((one) => one.includes('pod-00000'));
  expect(rows.map((one) => one.split(/ +/)[0])).toEqual(['team-a', 'team-z', 'team-a']);
});

it('get of one object prints that object at first with --watch, as without it', async () => {
  const words = ['get', 'rules', 'unhealthy-gpus', '-o', 'jsonpath={.metadata.name}'];
  expect((await scene.run([...words, '--watch'], { sleeps: 1 })).out.trim()).toBe('unhealthy-gpus');
});
