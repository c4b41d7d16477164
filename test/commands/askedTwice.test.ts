// What a verb does when the object that it writes already exists, or is changed or deleted while the verb waits.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gpuRule, objectsOf, type Scene, startScene } from './support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ hasStops: true });
});
afterEach(() => scene.stop());

const device = 'gpu.example.com/node-000/device-0';
const rules = () => objectsOf(scene.cluster, 'pacedtaintrules');
const taints = () => rules().map(({ spec }) => (spec as { taints: unknown[] }).taints);
const stops = () => objectsOf(scene.cluster, 'evictionstops');
const remove = (plural: string) => {
  const resource = scene.cluster.resource(plural);
  for (const one of objectsOf(scene.cluster, plural)) scene.cluster.store.remove(resource, one);
};

describe('a repeated drain or taint', () => {
  const drain = (...words: string[]) => scene.sluice('drain', 'node', 'node-000', '--yes', ...words);

  it('a repeated drain changes the rate and burst of its rule and prints the old and new values', async () => {
    await drain('--rate', '1', '--burst', '1');
    const slower = await drain('--rate', '0.001', '--burst', '1');
    expect([slower.status, slower.err]).toEqual([0, '']);
    expect(slower.out).toMatch(/ changed from 1\/s to 0\.001\/s\n$/);
    expect(taints()).toEqual([[{ key: 'sluice.dev/drain', effect: 'NoExecute', evictionsPerSecond: 0.001, burst: 1 }]]);
    expect((await drain()).out).toMatch(
      / changed from 0\.001\/s to the default rate and from burst 1 to the default burst\n$/,
    );
    expect(taints()).toEqual([[{ key: 'sluice.dev/drain', effect: 'NoExecute' }]]);
  });

  it('a repeated taint changes the value of its taint and keeps the fields that others wrote', async () => {
    await scene.sluice('taint', 'device', device, 'example.com/k=one:NoSchedule');
    const [made] = rules();
    const other = { key: 'example.com/other', effect: 'None' };
    const [mine] = taints()[0] ?? [];
    scene.cluster.seed({
      ...made,
      spec: { ...(made?.spec as object), priority: 3, taints: [other, { ...(mine as object), description: 'xid' }] },
    } as never);
    expect((await scene.sluice('taint', 'device', device, 'example.com/k=two:NoSchedule')).out).toMatch(
      / changed from example\.com\/k=one:NoSchedule to example\.com\/k=two:NoSchedule\n$/,
    );
    expect(rules()[0]?.spec).toMatchObject({
      priority: 3,
      taints: [other, { key: 'example.com/k', value: 'two', effect: 'NoSchedule', description: 'xid' }],
    });
  });

  it('a repeated drain restores the device selector of its rule', async () => {
    await drain();
    const [made] = rules();
    const spec = { ...(made?.spec as object), deviceSelector: { driver: 'gpu.example.com', device: 'device-9' } };
    scene.cluster.seed({ ...made, spec } as never);
    expect((await drain()).out).toMatch(/ changed from .*device-9.* to .*node-000/);
    expect(rules().map(({ spec }) => (spec as Record<string, unknown>).deviceSelector)).toEqual([
      { driver: 'gpu.example.com', pool: 'node-000' },
    ]);
  });

  it('a repeated drain writes nothing for the same values, and reports what pauses the rule when it changes one', async () => {
    await drain('--rate', '1');
    const [before] = rules();
    expect((await drain('--rate', '1')).out).toMatch(/ unchanged\n$/);
    expect(rules()).toEqual([before]);
    await scene.sluice('pause', 'rule', rules()[0]?.metadata.name ?? '', '--why', 'audit');
    expect((await drain('--rate', '2')).out).toMatch(/ changed from 1\/s to 2\/s; it is paused: .*audit/);
  });

  it('a repeated drain fails and changes nothing if neither taint nor drain created the rule', async () => {
    await drain('--rate', '1');
    const [made] = rules();
    scene.cluster.seed({ ...made, metadata: { name: made?.metadata.name } } as never);
    const said = await drain('--rate', '0.001');
    expect(said.err).toMatch(
      /^error: PacedTaintRule .* exists, but was not created by sluice taint or sluice drain; it was not changed from 1.*\nsee: sluice/,
    );
    expect([said.status, taints()]).toEqual([
      1,
      [[{ key: 'sluice.dev/drain', effect: 'NoExecute', evictionsPerSecond: 1 }]],
    ]);
  });

  it('a repeated drain fails when the API server refuses the change, and names untaint as the remedy', async () => {
    await drain('--rate', '1');
    scene.cluster.faults.add({ when: ({ request }) => request.verb === 'patch', status: 409 });
    const said = await drain('--rate', '0.001');
    expect(said.err).toMatch(/was not changed from 1\/s to 0\.001\/s: .*\n.*sluice untaint node node-000/);
    expect(said.status).toBe(1);
  });
});

describe('pause', () => {
  it('pause --all refuses a name that no EvictionStop can have, and suggests a valid one', async () => {
    expect(await scene.sluice('pause', '--all', '--name', 'Inc_1')).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringMatching(/^error: Inc_1 .*\n.*--name inc-1/),
    });
    expect(stops()).toEqual([]);
  });

  it.each([
    ['an EvictionStop', ['--all'], 'evictionstops', 'the cluster of context \\S+'],
    ['a rule', ['rule', 'unhealthy-gpus'], 'devicetaintrules', 'DeviceTaintRule unhealthy-gpus'],
    ['a taint', ['taint', 'example.com/unhealthy'], 'evictionpolicies', 'taint example\\.com/unhealthy'],
    ['a namespace', ['namespace', 'team-a'], 'namespaces', 'Namespace team-a'],
  ])(
    'a second pause of %s leaves author, time and reason of the first, and reports them',
    async (_, words, plural, what) => {
      scene.cluster.seed(gpuRule);
      expect(await scene.sluice('pause', ...words, '--why', 'first')).toMatchObject({ status: 0 });
      const written = objectsOf(scene.cluster, plural);
      const again = await scene.run(['pause', ...words, '--why', 'second'], { env: { KUBECONFIG: scene.eve } });
      expect(again.status).toBe(0);
      expect(again.err).toMatch(
        new RegExp(`^${what} is already paused by ada since \\S+Z \\(first\\); that pause stays as it is`),
      );
      expect(objectsOf(scene.cluster, plural)).toEqual(written);
    },
  );

  it('a second pause of another name adds its author and reason', async () => {
    await scene.sluice('pause', '--all', '--why', 'first');
    const again = await scene.run(['pause', '--all', '--name', 'eve', '--why', 'second'], {
      env: { KUBECONFIG: scene.eve },
    });
    expect([again.status, again.err]).toEqual([0, 'paused; waiting until no DELETE is in flight\n']);
    const listed = (await scene.sluice('pauses')).out;
    expect(listed).toMatch(/manual +ada +\S+ +first/);
    expect(listed).toMatch(/eve +eve +\S+ +second/);
  });

  it('one of two persons who pause a rule at the same moment sets the pause, and the other is told so', async () => {
    scene.cluster.seed(gpuRule);
    const all = await Promise.all(
      [scene.kubeconfig, scene.eve].map((KUBECONFIG) =>
        scene.run(['pause', 'rule', 'unhealthy-gpus'], { env: { KUBECONFIG } }),
      ),
    );
    expect(all.map(({ status }) => status)).toEqual([0, 0]);
    expect(all.filter(({ err }) => err.includes('is already paused by'))).toHaveLength(1);
  });

  it('a pause is written although the status of its rule changes meanwhile', async () => {
    scene.cluster.seed(gpuRule);
    scene.cluster.faults.add({ when: ({ request }) => request.verb === 'patch', status: 409, times: 3 });
    expect(await scene.sluice('pause', 'rule', 'unhealthy-gpus')).toMatchObject({ status: 0 });
    expect(objectsOf(scene.cluster, 'devicetaintrules')[0]?.metadata.annotations).toHaveProperty([
      'pause.sluice.dev/manual',
    ]);
  });

  it.each([
    ['an EvictionStop', ['--all'], 'evictionstops'],
    ['a rule', ['rule', 'unhealthy-gpus'], 'devicetaintrules'],
    ['the policy of a taint', ['taint', 'example.com/unhealthy'], 'evictionpolicies'],
    ['a namespace', ['namespace', 'team-a'], 'namespaces'],
  ])('pause fails if %s is deleted while it waits', async (_, words, plural) => {
    scene.cluster.seed(gpuRule);
    const said = await scene.run(['pause', ...words], { onSleep: () => remove(plural) });
    expect(said).toMatchObject({ status: 1, out: '' });
    expect(said.err).toMatch(/error: .*(no longer paused|there is no)/);
  });

  it.each([
    ['a rule', ['rule', 'unhealthy-gpus'], gpuRule],
    ['a namespace', ['namespace', 'team-a'], { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } }],
  ])('pause fails if another user resumes %s while it waits', async (_, words, plain) => {
    scene.cluster.seed(gpuRule);
    const said = await scene.run(['pause', ...words], { onSleep: () => scene.cluster.seed(plain as never) });
    expect(said).toMatchObject({ status: 1, out: '', err: expect.stringContaining('no longer paused') });
  });
});

describe('a namespace that does not exist', () => {
  it.each(['get pods', 'get pods -o json', 'get evictions', 'events'])(
    '%s fails for a namespace that does not exist and suggests the nearest name',
    async (words) => {
      const said = await scene.sluice(...words.split(' '), '-n', 'team-aa');
      expect(said).toMatchObject({ status: 1, out: '' });
      expect(said.err).toMatch(/^error: there is no namespace team-aa in context \S+\ndid you mean team-a\? /);
    },
  );

  it('get pods succeeds for a namespace without pods and for one that the caller may not read', async () => {
    expect(await scene.sluice('get', 'pods', '-n', 'default')).toEqual({
      status: 0,
      out: '',
      err: 'no pods with devices in namespace default found\n',
    });
    scene.cluster.faults.add({ when: ({ request }) => request.name === 'missing', status: 403 });
    expect(await scene.sluice('get', 'pods', '-n', 'missing')).toMatchObject({ status: 0 });
  });
});
