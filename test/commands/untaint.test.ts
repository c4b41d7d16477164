// Which rules `untaint` deletes.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { objectsOf, type Scene, startScene } from './support/scene.ts';

const device = 'gpu.example.com/node-000/device-0';
let scene: Scene;
beforeEach(async () => {
  scene = await startScene();
});
afterEach(() => scene.stop());

const effectsLeft = () =>
  objectsOf(scene.cluster, 'pacedtaintrules').flatMap(({ spec }) =>
    (spec as { taints: { effect: string }[] }).taints.map(({ effect }) => effect),
  );

it.each([
  ['KEY:EFFECT', 'example.com/x:NoSchedule', ['NoExecute']],
  ['KEY:EFFECT-', 'example.com/x:NoExecute-', ['NoSchedule']],
  ['KEY=VALUE:EFFECT', 'example.com/x=1:NoSchedule', ['NoExecute']],
  ['KEY', 'example.com/x', []],
])('untaint by %s deletes only rules whose taint has all that is named', async (_, text, left) => {
  for (const effect of ['NoSchedule', 'NoExecute'])
    await scene.sluice('taint', 'device', device, `example.com/x=1:${effect}`, '--yes');
  expect(effectsLeft().toSorted()).toEqual(['NoExecute', 'NoSchedule']);
  expect((await scene.sluice('untaint', 'device', device, text)).status).toBe(0);
  expect(effectsLeft()).toEqual(left);
});

it('untaint by a value that no taint has deletes nothing, and says which taints there are', async () => {
  await scene.sluice('taint', 'device', device, 'example.com/x=1:NoSchedule');
  expect(await scene.sluice('untaint', 'device', device, 'example.com/x=2:NoSchedule')).toMatchObject({
    status: 1,
    err: expect.stringMatching(/with taint example.com\/x=2:NoSchedule in context local\nit has example.com\/x;/),
  });
  expect(effectsLeft()).toEqual(['NoSchedule']);
});

it('untaint deletes no rule whose label says that something else than taint or drain made it', async () => {
  await scene.sluice('taint', 'device', device, 'example.com/x:NoSchedule');
  const [made] = objectsOf(scene.cluster, 'pacedtaintrules');
  const labels = { 'sluice.dev/made-by': 'ops' };
  scene.cluster.seed({ ...made, metadata: { name: 'hand', labels, annotations: made?.metadata.annotations } } as never);
  expect((await scene.sluice('untaint', 'device', device)).status).toBe(0);
  expect(objectsOf(scene.cluster, 'pacedtaintrules').map(({ metadata }) => metadata.name)).toEqual(['hand']);
});
