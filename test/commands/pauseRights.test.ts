// A person who may only stop the cluster: what stands is said, with how to end it, although nothing else can be read.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gpuRule, objectsOf, type Scene, startScene } from './support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ hasStops: true });
  scene.cluster.seed(gpuRule);
  const refused = ['pods', 'devicetaintrules', 'pacedtaintrules', 'evictionpolicies', 'namespaces', 'resourceslices'];
  scene.cluster.faults.add({ when: ({ request }) => refused.includes(request.resource?.plural ?? ''), status: 403 });
});
afterEach(() => scene.stop());

it('pause --all says that the cluster is stopped and how to resume, with status 1, if pods cannot be read', async () => {
  const { status, out, err } = await scene.sluice('pause', '--all');
  expect(objectsOf(scene.cluster, 'evictionstops')).toHaveLength(1);
  expect([status, out]).toEqual([1, 'to resume: sluice resume --all\n']);
  expect(err).toMatch(/\nerror: the cluster of context \S+ is paused, but .*pods/);
});

it('pauses lists the EvictionStops that the caller may read, and says what it could not read', async () => {
  await scene.sluice('pause', '--all', '--why', 'power failure');
  const { status, out, err } = await scene.sluice('pauses');
  expect([status, out]).toEqual([1, expect.stringMatching(/manual +ada +\S+ +power failure/)]);
  expect(err).toMatch(/^incomplete: .*devicetaintrules/m);
});

it('an EvictionStop with a name of more than 63 characters is ended by the command that the error names', async () => {
  const name = 'a'.repeat(76);
  scene.cluster.seed({ apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionStop', metadata: { name } } as never);
  expect((await scene.sluice('resume', '--all')).err).toContain(`end it with: sluice resume --all --name ${name}`);
  expect((await scene.sluice('resume', '--all', '--name', name)).out).toMatch(`EvictionStop ${name} is deleted\n`);
});
