// Verbs that need only a kubeconfig, run through the real program on the simulated cluster.
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createApiClient } from '../../lib/local/cluster/client.ts';
import { mapAt } from '../../lib/local/cluster/object.ts';
import { gpuRule, now, objectsOf, type Scene, startScene, writesTo } from './support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ hasStops: true });
});
afterEach(() => scene.stop());

const lines = (text: string) => text.trimEnd().split('\n');
const device = 'gpu.example.com/node-000/device-0';
const marked = {
  type: 'sluice.dev/EvictionDue',
  status: 'True',
};

/** Two pods of the rule are in its namespace. */
const tightBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'all', namespace: 'team-a' },
  spec: { selector: {} },
  status: { disruptionsAllowed: 1 },
};

describe('doctor', () => {
  it('doctor checks the cluster of KUBECONFIG when no installation is named, and needs no AWS region', async () => {
    const looked = await scene.sluice('doctor', '--no-probe');
    expect(looked.err).not.toMatch(/region|installation is named/);
    expect(looked.out).toMatch(/devicetaintrules|ResourceSlice|API server/i);
  });
});

describe('get', () => {
  it('get devices lists devices with their taints and users, and finds one by its name', async () => {
    scene.cluster.seed(gpuRule);
    const all = await scene.sluice('get', 'devices');
    expect(lines(all.out)).toHaveLength(13);
    expect(lines(all.out)[1]).toBe(`${device}   example.com/unhealthy=xid:NoExecute   1`);
    const one = await scene.sluice('get', 'devices', device, '-o', 'jsonpath={.pods[0]}');
    expect(one).toEqual({ status: 0, out: 'team-a/pod-00000\n', err: '' });
  });

  it('get pods lists the pods of one namespace or of all with their verdicts', async () => {
    scene.cluster.seed(gpuRule);
    const team = await scene.sluice('get', 'pods', '-n', 'team-b');
    expect(lines(team.out).map((one) => one.split(/\s{2,}/).slice(0, 3))).toEqual([
      ['NAME', 'NODE', 'VERDICT'],
      ['pod-00001', 'node-001', 'Keep'],
      ['pod-00004', 'node-000', 'EvictAt'],
      ['pod-00007', 'node-003', 'Keep'],
    ]);
    const verdicts = await scene.sluice('get', 'pods', '-A', '-o', 'jsonpath={.items[*].verdict}');
    expect(verdicts.out.trim().split(' ').sort()).toEqual([...Array(4).fill('EvictAt'), ...Array(4).fill('Keep')]);
  });

  it('get rules lists rules of both kinds in every format', async () => {
    scene.cluster.seed(gpuRule);
    scene.cluster.seed({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'PacedTaintRule',
      metadata: { name: 'paced', labels: { team: 'a' } },
      spec: { deviceSelector: { all: true }, taints: [{ key: 'example.com/x', effect: 'None' }] },
    });
    expect((await scene.sluice('get', 'rules', '-o', 'name')).out).toBe(
      'pacedtaintrule.sluice.dev/paced\ndevicetaintrule.resource.k8s.io/unhealthy-gpus\n',
    );
    expect(lines((await scene.sluice('get', 'rules')).out)[1]).toMatch(
      /^paced +PacedTaintRule +example.com\/x:None +every device/,
    );
    expect((await scene.sluice('get', 'rules', '-l', 'team=a', '-o', 'name')).out).toBe(
      'pacedtaintrule.sluice.dev/paced\n',
    );
    expect(JSON.parse((await scene.sluice('get', 'rules', 'unhealthy-gpus', '-o', 'json')).out)).toMatchObject({
      kind: 'DeviceTaintRule',
      spec: gpuRule.spec,
    });
    expect((await scene.sluice('get', 'rules', 'paced', '-o', 'yaml')).out).toContain('kind: PacedTaintRule\n');
  });

  it.each([
    ['rules', 'unhealthy-gpu', /there is no rule unhealthy-gpu .*\ndid you mean unhealthy-gpus\?/],
    ['taints', 'example.com/unhealty', /has a taint example.com\/unhealty\ndid you mean example.com\/unhealthy\?/],
    ['devices', 'gpu.example.com/node-000/device-9', /publishes device .*\ndid you mean/],
    ['pods', 'pod-0000', /there is no pod default\/pod-0000 with devices/],
    ['policies', 'none', /there is no EvictionPolicy none/],
  ])('get %s fails for the unknown name %s', async (kind, name, says) => {
    scene.cluster.seed(gpuRule);
    const { status, out, err } = await scene.sluice('get', kind, name);
    expect(err).toMatch(says);
    expect([status, out]).toEqual([1, '']);
  });

  it('get rules says on standard error that there are none, with status 0', async () => {
    expect(await scene.sluice('get', 'rules')).toEqual({ status: 0, out: '', err: 'no rules found\n' });
    expect(JSON.parse((await scene.sluice('get', 'rules', '-o', 'json')).out)).toEqual({
      apiVersion: 'v1',
      kind: 'List',
      items: [],
    });
  });

  it('get --watch prints a line again only when it has changed', async () => {
    scene.cluster.seed(gpuRule);
    const onSleep = (count: number) => {
      if (count === 2) scene.cluster.seed({ ...gpuRule, metadata: { name: 'second' } });
    };
    const said = await scene.run(['get', 'rules', '--watch', '-o', 'name'], { onSleep, sleeps: 4 });
    expect(lines(said.out)).toEqual([
      'devicetaintrule.resource.k8s.io/unhealthy-gpus',
      'devicetaintrule.resource.k8s.io/second',
    ]);
  });
});

describe('plan', () => {
  const file = () => scene.file('rule.json', JSON.stringify(gpuRule));

  it('plan of a file has status 3 if a pod would be evicted, and writes nothing', async () => {
    const { status, out } = await scene.sluice('plan', '-f', file());
    expect(status).toBe(3);
    expect(out).toContain('4 pods in 3 namespaces would be evicted at once');
    expect(lines(out).filter((one) => /pod-0000\d/.test(one))).toHaveLength(4);
    expect(scene.cluster.store.list(scene.cluster.resource('devicetaintrules'))).toEqual([]);
    expect(writesTo(scene.cluster).filter((one) => !/\?dryRun=All&/.test(one))).toEqual([]);
  });

  it('plan of a file has no plan for a rule that the API server refuses or whose selector cannot be used', async () => {
    const plan = async (rule: object) => scene.sluice('plan', '-f', scene.file('bad.json', JSON.stringify(rule)));
    const paced = (selectors: object) => ({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'PacedTaintRule',
      metadata: { name: 'bad' },
      spec: { deviceSelector: selectors, taints: [{ key: 'example.com/x', effect: 'NoExecute' }] },
    });
    const broken = await plan(paced({ selectors: [{ cel: { expression: 'device.driver ==' } }] }));
    expect(broken).toMatchObject({ status: 1, out: '' });
    expect(broken.err).toMatch(
      /PacedTaintRule bad: spec\.deviceSelector\.selectors\[0\] cannot be used.*line 1, column/,
    );
    const refused = await plan({ ...gpuRule, metadata: { name: 'Not_A_Name' } });
    expect(refused).toMatchObject({ status: 2, out: '' });
    expect(refused.err).toMatch(/the API server refuses DeviceTaintRule Not_A_Name: .*metadata\.name: Invalid value/);
    const unversioned = await plan({ ...gpuRule, apiVersion: undefined });
    expect(unversioned).toMatchObject({ status: 2, err: expect.stringContaining('expected resource.k8s.io/v1 or') });
    const unknown = await plan({ ...gpuRule, apiVersion: 'resource.k8s.io/v9' });
    expect(unknown).toMatchObject({ status: 2, err: expect.stringContaining('expected resource.k8s.io/v1 or') });
  });

  it('plan of a file says so if the API server may not be asked to check it, and shows the plan', async () => {
    scene.cluster.faults.add({ when: ({ request }) => request.verb === 'create', status: 403 });
    const { status, out, err } = await scene.sluice('plan', '-f', file());
    expect(err).toMatch(/DeviceTaintRule unhealthy-gpus was not checked by the API server: /);
    expect(out).toContain('4 pods in 3 namespaces would be evicted at once');
    expect(status).toBe(3);
  });

  it('plan of a rule with a rate says how long the evictions take', async () => {
    const slow = {
      ...gpuRule,
      metadata: { name: 'slow', annotations: { 'sluice.dev/evictions-per-second': '0.5', 'sluice.dev/burst': '1' } },
    };
    scene.cluster.seed(slow);
    expect((await scene.sluice('plan', 'slow')).out).toContain('would be evicted within 6.0 s');
  });

  it('plan of a rule that evicts no pod because of its effect says so', async () => {
    const { spec, ...rule } = gpuRule as { spec: { taint: object } };
    scene.cluster.seed({ ...rule, spec: { ...spec, taint: { ...spec.taint, effect: 'None' } } } as never);
    const said = await scene.sluice('plan', 'unhealthy-gpus');
    const [, dry, pods] = lines(said.out);
    expect(said.status).toBe(0);
    expect([dry, pods]).toEqual([
      'a dry run: it evicts no pod until its effect is NoExecute',
      '4 pods in 3 namespaces would be evicted at once',
    ]);
  });

  it('plan has status 0 if no pod would be evicted', async () => {
    const none = { ...gpuRule, spec: { ...(gpuRule.spec as object), deviceSelector: { driver: 'none.example.com' } } };
    const said = await scene.sluice('plan', '-f', scene.file('none.json', JSON.stringify(none)));
    expect([said.status, lines(said.out)[1]]).toEqual([0, '0 pods in 0 namespaces would be evicted']);
  });

  it('plan shows all pods in pages', async () => {
    const page = async (n: string) => (await scene.sluice('plan', '-f', file(), '--page', n, '--page-size', '3')).out;
    const shown = (text: string) => [...text.matchAll(/pod-0000\d/g)].map(([name]) => name);
    const [first, second] = [await page('1'), await page('2')];
    expect(shown(first)).toHaveLength(3);
    expect(new Set([...shown(first), ...shown(second)]).size).toBe(4);
    expect(lines(first).at(-1)).toBe('page 1 of 2; next page: --page 2');
    expect(lines(second).at(-1)).toBe('page 2 of 2');
  });

  it.each([
    ['namespace', ['team-a   2      0', 'team-b   1      0', 'team-c   1      0']],
    ['device', [expect.stringContaining(device), expect.anything(), expect.anything(), expect.anything()]],
    ['owner', ['none    4      0']],
    ['budget', ['none     4      0']],
  ])('plan --by counts the pods by %s', async (by, rows) => {
    const { out } = await scene.sluice('plan', '-f', file(), '--by', by);
    expect(
      lines(out.slice(out.indexOf('\n\n') + 2))
        .slice(1)
        .map((one) => one.trim()),
    ).toEqual(
      rows.map((row) =>
        typeof row === 'string' ? expect.stringMatching(new RegExp(`^${row.replace(/ +/g, ' +')}$`)) : row,
      ),
    );
  });

  it('plan counts the pods beyond what a PodDisruptionBudget allows', async () => {
    scene.cluster.seed(tightBudget);
    const { out } = await scene.sluice('plan', '-f', file());
    expect(out).toContain('1 pod more than PodDisruptionBudgets allow');
    expect(out).toMatch(/team-a +pod-00000 +none +all allows 1/);
  });

  it.each([
    ['a file that does not exist', ['-f', 'no-such.yaml'], 1, /no-such.yaml: there is no such file/],
    ['a device', ['-f', '/dev/zero'], 1, /\/dev\/zero: it is a device, not a file/],
    ['a file without a rule', ['-f', '-'], 2, /- contains no rule/],
    ['a rule that does not exist', ['nope'], 1, /there is no rule nope/],
  ])('plan fails with an error for %s', async (_, words, status, says) => {
    const said = await scene.sluice('plan', ...words);
    expect(said.err).toMatch(says);
    expect([said.status, said.out]).toEqual([status, '']);
  });

  it.each([
    ['an alias of nothing', 'a: *x\n', 'Unresolved alias'],
    [
      'more aliases than a file may have',
      `${Array.from({ length: 8 }, (_, i) => `a${i}: &a${i} [${Array(9).fill(i === 0 ? 'x' : `*a${i - 1}`)}]`).join('\n')}\n`,
      'Excessive alias count',
    ],
  ])('plan of a file with %s names the file', async (_, input, why) => {
    expect(await scene.run(['plan', '-f', '-'], { input })).toMatchObject({
      status: 2,
      err: expect.stringContaining(`error: - is not YAML: ${why}`),
    });
  });

  it('plan of an object that is not a rule names its kind', async () => {
    const said = await scene.run(['plan', '-f', '-'], { input: 'kind: Pod\nmetadata: {name: a}\n' });
    expect(said).toMatchObject({
      status: 2,
      err: expect.stringContaining('cannot plan a Pod: expected a DeviceTaintRule or a PacedTaintRule'),
    });
  });
});

describe('why and describe', () => {
  it('the time of why rule says how many pods PodDisruptionBudgets make wait', async () => {
    for (const one of [gpuRule, tightBudget]) scene.cluster.seed(one);
    const [head, budget] = lines((await scene.sluice('why', 'rule', 'unhealthy-gpus')).out);
    expect(head).toContain('evicts 4 pods in 3 namespaces at once');
    expect(budget).toBe('  1 pod more than PodDisruptionBudgets allow: in mode Evict these wait, and it takes longer');
  });

  it('why pod names the rule that evicts one pod and the reason why another pod is kept', async () => {
    scene.cluster.seed(gpuRule);
    const evicted = await scene.sluice('why', 'pod', 'team-a/pod-00000');
    expect(evicted.out).toMatch(
      /^team-a\/pod-00000 \([0-9a-f-]+\): will be evicted\n {2}because of DeviceTaintRule unhealthy-gpus/,
    );
    const kept = await scene.sluice('why', 'pod', 'pod-00003', '-n', 'team-a');
    expect(kept.out).toMatch(/: kept\n {2}its devices have no taint: nic.example.com\/node-003\/device-0/);
  });

  it('why pod names the pause that holds a pod', async () => {
    scene.cluster.seed({
      ...gpuRule,
      metadata: { name: 'unhealthy-gpus', annotations: { 'sluice.dev/paused': 'true' } },
    });
    const { out } = await scene.sluice('why', 'pod', 'team-a/pod-00000');
    expect(out).toMatch(/: is held\n[\s\S]*held: DeviceTaintRule unhealthy-gpus: Paused by sluice.dev\/paused\./);
  });

  it('why pod says that a taint without effect NoExecute evicts no pod', async () => {
    const spec = { ...(gpuRule.spec as object), taint: { key: 'example.com/x', effect: 'NoSchedule' } };
    scene.cluster.seed({ ...gpuRule, spec });
    expect((await scene.sluice('why', 'pod', 'team-a/pod-00000')).out).toContain(
      'has effect NoSchedule, and only NoExecute evicts',
    );
  });

  it('why pod explains an evicted pod by an Event of the cluster, and names no reason for a pod that never was', async () => {
    scene.cluster.seed({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'gone', namespace: 'team-a' },
      involvedObject: { kind: 'Pod', namespace: 'team-a', name: 'gone', uid: 'gone-uid' },
      reason: 'DeviceTaintManagerEviction',
      message: 'Marking for deletion: DeviceTaintRule bad: taint example.com/x:NoExecute',
      reportingComponent: 'sluice',
      lastTimestamp: new Date(now).toISOString(),
    });
    expect(await scene.sluice('why', 'pod', 'team-a/gone')).toEqual({
      status: 0,
      out:
        'team-a/gone (gone-uid): evicted at 2026-01-01T12:00:00Z, by an Event of the cluster\n' +
        '  because of DeviceTaintRule bad: taint example.com/x:NoExecute\n',
      err: '',
    });
    expect(await scene.sluice('why', 'pod', 'team-a/never')).toMatchObject({ status: 1, out: '' });
  });

  it('why pod says why a terminating pod was evicted, by name or UID, and get pods says that it is terminating', async () => {
    scene.cluster.seed(gpuRule);
    const pod = objectsOf(scene.cluster, 'pods').find(({ metadata }) => metadata.name === 'pod-00000');
    const { url, ca, token } = scene.cluster;
    const client = createApiClient({ url, ca, token, userAgent: 'test' });
    await client.call('DELETE', '/api/v1/namespaces/team-a/pods/pod-00000', { body: { gracePeriodSeconds: 600 } });
    client.close();
    const uid = pod?.metadata.uid ?? '';
    scene.cluster.seed({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'gone', namespace: 'team-a' },
      involvedObject: { kind: 'Pod', namespace: 'team-a', name: 'pod-00000', uid },
      reason: 'DeviceTaintManagerEviction',
      message: 'Marking for deletion: DeviceTaintRule bad: taint example.com/x:NoExecute',
      reportingComponent: 'sluice',
      lastTimestamp: new Date(now).toISOString(),
    });
    for (const name of ['team-a/pod-00000', uid])
      expect((await scene.sluice('why', 'pod', name)).out).toBe(
        `team-a/pod-00000 (${uid}): is terminating\n` +
          `team-a/pod-00000 (${uid}): evicted at 2026-01-01T12:00:00Z, by an Event of the cluster\n` +
          '  because of DeviceTaintRule bad: taint example.com/x:NoExecute\n',
      );
    await scene.sluice('pause', '--all');
    expect((await scene.sluice('get', 'pods', '-A')).out).toMatch(/pod-00000 +node-000 +Terminating /);
  });

  it('plan and why rule say how many pods a rule reaches that eviction mode Skip keeps', async () => {
    scene.cluster.seed(gpuRule);
    for (const pod of objectsOf(scene.cluster, 'pods')) {
      const labels = { ...pod.metadata.labels, 'sluice.dev/eviction-mode': 'Skip' };
      scene.cluster.seed({ ...pod, metadata: { ...pod.metadata, labels } } as never);
    }
    const kept = '4 pods would be kept, by eviction mode Skip';
    expect((await scene.sluice('plan', 'unhealthy-gpus')).out).toContain(`\n${kept}\n`);
    expect((await scene.sluice('why', 'rule', 'unhealthy-gpus')).out).toContain(`: evicts no pod; ${kept}\n`);
    // They would stay without the pause.
    expect((await scene.sluice('pause', 'rule', 'unhealthy-gpus')).out).toContain('is paused: 0 pods are kept\n');
  });

  describe('of a DeviceTaintSlice', () => {
    const slice = (taints: readonly object[], more: object = {}) => ({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'DeviceTaintSlice',
      metadata: { name: 'agent', generation: 1 },
      spec: { driver: 'gpu.example.com', pool: 'node-000', taints, ...more },
    });
    const ecc = { device: 'device-0', taint: { key: 'example.com/ecc', effect: 'NoExecute' } };

    it('why rule says of a DeviceTaintSlice what each of its taints evicts, where it stands, and what paces or holds it', async () => {
      const hot = { device: 'device-0', taint: { key: 'example.com/hot', effect: 'NoSchedule' } };
      scene.cluster.seed(slice([ecc, hot]));
      scene.cluster.seed({
        apiVersion: 'sluice.dev/v1alpha1',
        kind: 'EvictionPolicy',
        metadata: { name: 'agents' },
        spec: { taints: { keys: ['example.com/ecc'] }, evictionsPerSecond: 2, burst: 1, paused: true },
      });
      const { status, out } = await scene.sluice('why', 'rule', 'DeviceTaintSlice/agent');
      expect(status).toBe(0);
      expect(lines(out)).toEqual([
        'DeviceTaintSlice agent: has 2 taints',
        'taint gpu.example.com/example.com/ecc:NoExecute: is held; would evict 1 pod in 1 namespace',
        '  in DeviceTaintSlice agent: 1 device',
        '  2/s, burst 1, EvictionPolicy agents',
        '  held: Paused by EvictionPolicy agents',
        'taint gpu.example.com/example.com/hot:NoSchedule: reaches no pod',
        '  in DeviceTaintSlice agent: 1 device',
        expect.stringMatching(/^ {2}\S+\/s, burst \d+, no EvictionPolicy selects it$/),
      ]);
    });

    it('why rule says that a DeviceTaintSlice for an older generation of its pool does nothing, and shows its conditions', async () => {
      const condition = { type: 'sluice.dev/Told', status: 'False', reason: 'Stale', message: 'The pool is newer.' };
      scene.cluster.seed({ ...slice([ecc], { generation: 0 }), status: { conditions: [condition] } });
      const { out } = await scene.sluice('why', 'rule', 'DeviceTaintSlice/agent');
      expect(out).toMatch(
        /^DeviceTaintSlice agent: has 1 taint, and none counts: pool gpu.example.com\/node-000 has the newer generation 1\n[\s\S]*\(Stale\): The pool is newer\.\n$/,
      );
    });

    it('why rule asks for the cluster of a DeviceTaintSlice where only an installation is named, as records name no slice', async () => {
      const words = ['why', 'rule', 'DeviceTaintSlice/agent', '--table', 'Sluice', '--region', 'eu-west-1'];
      expect(await scene.run(words, { env: { KUBECONFIG: '' } })).toEqual({
        status: 2,
        out: '',
        err: [
          'error: the taints of a DeviceTaintSlice are read from its cluster, and no cluster is given',
          'specify --kubeconfig FILE, or read the records of a device: sluice why device DRIVER/POOL/DEVICE --table Sluice --region eu-west-1',
          '',
        ].join('\n'),
      });
    });

    it('why rule names the nearest DeviceTaintSlice for one that does not exist', async () => {
      scene.cluster.seed(slice([ecc]));
      expect(await scene.sluice('why', 'rule', 'DeviceTaintSlice/agnet')).toMatchObject({
        status: 1,
        out: '',
        err: 'error: there is no DeviceTaintSlice agnet in context local\ndid you mean agent? see: kubectl get devicetaintslices\n',
      });
    });
  });

  it('describe shows a rule with its plan, a device with its pods, and a pod with Events of Sluice', async () => {
    scene.cluster.seed(gpuRule);
    scene.cluster.seed({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'team-a' },
      involvedObject: { kind: 'Pod', namespace: 'team-a', name: 'pod-00000' },
      reason: 'DeviceTaintManagerEviction',
      message: 'Marking for deletion: because of a test',
      reportingComponent: 'sluice',
      lastTimestamp: new Date(now).toISOString(),
    });
    expect((await scene.sluice('describe', 'rule', 'unhealthy-gpus')).out).toContain('evicts 4 pods in 3 namespaces');
    expect((await scene.sluice('describe', 'device', device)).out).toMatch(
      /has 1 taint\n[\s\S]*team-a\/pod-00000[\s\S]*model: example-80g/,
    );
    const pod = await scene.sluice('describe', 'pod', 'pod-00000', '-n', 'team-a');
    expect(pod.out).toContain('Events:\n  2026-01-01T12:00:00Z DeviceTaintManagerEviction: Marking for deletion');
    expect((await scene.sluice('events', '-n', 'team-a', '-o', 'name')).out).toMatch(/^event\//);
    expect((await scene.sluice('get', 'evictions', '-o', 'jsonpath={.items[*].name}')).out).toBe('pod-00000\n');
    expect((await scene.sluice('why', 'rule', 'unhealthy-gpus')).out).toContain(
      'example.com/unhealthy=xid:NoExecute at 10/s, burst 10',
    );
  });
});

describe('taint, drain and untaint', () => {
  const rules = () => objectsOf(scene.cluster, 'pacedtaintrules');

  it('taint device creates one rule however often it is run, and untaint deletes only rules that taint or drain created', async () => {
    const words = ['taint', 'device', device, 'example.com/x=1:NoSchedule'];
    expect((await scene.sluice(...words)).out).toMatch(
      /^pacedtaintrule.sluice.dev\/taint-gpu-example-com-node-000-device-0-[0-9a-f]{8} created\n$/,
    );
    expect((await scene.sluice(...words)).out).toMatch(/ unchanged\n$/);
    expect(rules().map(({ spec }) => spec)).toEqual([
      {
        deviceSelector: { driver: 'gpu.example.com', pool: 'node-000', device: 'device-0' },
        taints: [{ key: 'example.com/x', value: '1', effect: 'NoSchedule' }],
      },
    ]);
    scene.cluster.seed({ ...rules()[0], metadata: { name: 'by-hand' } } as never);
    expect((await scene.sluice('untaint', 'device', device)).status).toBe(0);
    expect(rules().map(({ metadata }) => metadata.name)).toEqual(['by-hand']);
    expect(await scene.sluice('untaint', 'device', device)).toMatchObject({
      status: 1,
      err: expect.stringContaining('there is no rule by sluice taint or sluice drain for device'),
    });
  });

  it('drain shows the plan first and writes nothing without a confirmation', async () => {
    const asked = await scene.sluice('drain', 'node', 'node-000');
    expect(asked).toMatchObject({
      status: 2,
      err: expect.stringContaining('to confirm without a terminal, add --yes'),
    });
    expect(asked.out).toContain('2 pods in 2 namespaces would be evicted');
    const dry = await scene.sluice('drain', 'node', 'node-000', '--dry-run');
    expect([dry.status, dry.err]).toEqual([3, 'dry run: nothing was written\n']);
    expect(rules()).toEqual([]);
  });

  it('drain node creates a rule with a rate for the pool of the node, and untaint node deletes it', async () => {
    expect((await scene.sluice('drain', 'node', 'node-000', '--yes', '--rate', '0.5')).status).toBe(0);
    expect(rules()[0]?.spec).toEqual({
      deviceSelector: { driver: 'gpu.example.com', pool: 'node-000' },
      taints: [{ key: 'sluice.dev/drain', effect: 'NoExecute', evictionsPerSecond: 0.5 }],
    });
    expect((await scene.sluice('why', 'pod', 'team-a/pod-00000')).out).toContain(
      'Sluice sets it when it sees the rule',
    );
    expect((await scene.sluice('untaint', 'node', 'node-000')).status).toBe(0);
    expect(rules()).toEqual([]);
  });

  it.each([
    [
      'node',
      ['drain', 'node', 'node-00'],
      /publishes devices of node node-00; nothing was written\ndid you mean node-000/,
    ],
    [
      'device',
      ['taint', 'device', 'gpu.example.com/node-000/device-7', 'k:NoExecute'],
      /publishes device .*; nothing was written\ndid you mean/,
    ],
  ])('drain and taint write nothing for a %s that does not exist', async (_, words, says) => {
    const said = await scene.sluice(...words, '--yes');
    expect(said.err).toMatch(says);
    expect([said.status, rules()]).toEqual([1, []]);
  });
});

describe('approve', () => {
  const digest = '0123456789ab';
  const held = (message: string) => ({
    ...gpuRule,
    status: {
      conditions: [
        {
          type: 'sluice.dev/Held',
          status: 'True',
          reason: 'AwaitingApproval',
          message,
          lastTransitionTime: '2026-01-01T11:00:00Z',
        },
      ],
    },
  });
  const annotations = () => objectsOf(scene.cluster, 'devicetaintrules')[0]?.metadata.annotations;

  it('approve shows the plan and writes the digest that the rule offers', async () => {
    scene.cluster.seed(
      held(`To evict them: kubectl annotate devicetaintrule unhealthy-gpus sluice.dev/approve=${digest}`),
    );
    const said = await scene.sluice('approve', 'rule', 'unhealthy-gpus', '--yes');
    expect([said.status, said.err]).toEqual([0, '']);
    expect(said.out).toContain('4 pods in 3 namespaces would be evicted');
    expect(said.out).toContain(`approved by ada: sluice.dev/approve=${digest}`);
    expect(annotations()).toEqual({
      'sluice.dev/approve': digest,
      'sluice.dev/approve-note': `${digest}; by ada at 2026-01-01T12:00:00Z`,
    });
  });

  it.each([
    ['why', 'rule', 'unhealthy-gpus'],
    ['describe', 'rule', 'unhealthy-gpus'],
    ['describe', 'policy', 'slow'],
  ])('%s %s %s says who approved the plan, and when', async (...words) => {
    const note = `${digest}; by eve at 2026-01-01T11:30:00Z`;
    const metadata = { annotations: { 'sluice.dev/approve': digest, 'sluice.dev/approve-note': note } };
    scene.cluster.seed({ ...gpuRule, metadata: { name: 'unhealthy-gpus', ...metadata } });
    scene.cluster.seed({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionPolicy',
      metadata: { name: 'slow', ...metadata },
      spec: { evictionsPerSecond: 1 },
    });
    const { out } = await scene.sluice(...words);
    expect(out).toContain(`\n  approval of plan ${digest} by eve at 2026-01-01T11:30:00Z\n`);
  });

  it('approve fails and writes nothing for a rule that does not wait for an approval', async () => {
    scene.cluster.seed(gpuRule);
    expect(await scene.sluice('approve', 'rule', 'unhealthy-gpus', '--yes')).toEqual({
      status: 1,
      out: '',
      err: 'error: DeviceTaintRule unhealthy-gpus has no plan that waits for approval\nsee: sluice describe rule unhealthy-gpus\n',
    });
    expect(annotations()).toBeUndefined();
  });
});

describe('a pod whose rule or policy is held', () => {
  const held = (reason: string, message: string) => ({
    conditions: [
      { type: 'sluice.dev/Held', status: 'True', reason, message, lastTransitionTime: '2026-01-01T11:00:00Z' },
    ],
  });
  const { spec } = gpuRule as { spec: { taint: object } };
  const agents = {
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionPolicy',
    metadata: { name: 'agents' },
    spec: { taints: { keys: ['example.com/ecc'] }, observer: { maxPercent: 10 } },
  };
  const taintSlice = {
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'DeviceTaintSlice',
    metadata: { name: 'agent' },
    spec: {
      driver: 'gpu.example.com',
      pool: 'node-000',
      taints: [{ device: 'device-0', taint: { key: 'example.com/ecc', effect: 'NoExecute' } }],
    },
    status: {
      taints: [{ device: 'device-0', key: 'example.com/ecc', effect: 'NoExecute', timeAdded: '2026-01-01T11:00:00Z' }],
    },
  };

  it.each<[string, readonly object[], RegExp]>([
    [
      'an approval',
      [{ ...gpuRule, status: held('AwaitingApproval', 'x') }],
      /DeviceTaintRule unhealthy-gpus: it waits for an approval/,
    ],
    [
      'a canary',
      [{ ...gpuRule, status: held('Canary', 'Canary of a: 3 more wait.') }],
      /unhealthy-gpus: Canary of a: 3 more wait/,
    ],
    [
      'a rate of 0',
      [
        {
          ...gpuRule,
          metadata: { name: 'unhealthy-gpus', annotations: { 'sluice.dev/evictions-per-second': '0' } },
          spec,
        },
      ],
      /DeviceTaintRule unhealthy-gpus: its rate is 0/,
    ],
    [
      'an observer in doubt',
      [{ ...agents, status: held('ObserverInDoubt', '20 of 40 devices are tainted.') }, taintSlice],
      /EvictionPolicy agents: 20 of 40 devices are tainted/,
    ],
    [
      'an observation that must come first',
      [agents, taintSlice],
      /taint example\.com\/ecc, evicted once the taint has been observed/,
    ],
  ])('why pod and get pods name %s', async (_, objects, text) => {
    for (const one of objects) scene.cluster.seed(one as never);
    const why = (await scene.sluice('why', 'pod', 'team-a/pod-00000')).out;
    expect(why).toMatch(/: is held\n/);
    expect(why).toMatch(new RegExp(`\n  held: .*${text.source}`));
    expect(why).not.toContain('275760');
    expect((await scene.sluice('get', 'pods', '-n', 'team-a')).out).toMatch(/pod-00000 .* Held /);
  });
});

describe('pause, pauses and resume', () => {
  const rule = () => objectsOf(scene.cluster, 'devicetaintrules')[0];

  it('a pause names the user that the API server knows, and that of the machine where the server does not say', async () => {
    scene.cluster.seed(gpuRule);
    const pause = (name: string, env: Readonly<Record<string, string>>) =>
      scene.run(['pause', 'rule', 'unhealthy-gpus', '--name', name], { env: { USER: 'laptop', ...env } });
    await pause('first', {});
    await pause('second', { KUBECONFIG: scene.eve });
    expect(rule()?.metadata.annotations).toEqual({
      'pause.sluice.dev/first': expect.stringMatching(/^by ada at /),
      'pause.sluice.dev/second': expect.stringMatching(/^by eve at /),
    });
    const older = await startScene({ hasSelfReview: false });
    await older.run(['pause', '--all'], { env: { USER: 'laptop' } });
    expect(objectsOf(older.cluster, 'evictionstops')[0]?.spec).toEqual({ reason: 'by laptop at 2026-01-01T12:00:00Z' });
    await older.stop();
  });

  it('pause rule says how many pods are kept and how to continue, pauses lists the pause, and resume ends it', async () => {
    scene.cluster.seed(gpuRule);
    const paused = await scene.sluice('pause', 'rule', 'unhealthy-gpus', '--why', 'until Monday');
    expect(paused.out).toBe(
      'DeviceTaintRule unhealthy-gpus is paused: 4 pods are kept\nto resume: sluice resume rule unhealthy-gpus\n',
    );
    expect(rule()?.metadata.annotations).toEqual({
      'pause.sluice.dev/manual': 'until Monday; by ada at 2026-01-01T12:00:00Z',
    });
    expect(lines((await scene.sluice('pauses')).out)[1]).toMatch(
      /^DeviceTaintRule unhealthy-gpus +manual +ada +2026-01-01T12:00:00Z +until Monday$/,
    );
    expect((await scene.sluice('resume', 'rule', 'unhealthy-gpus')).out).toBe(
      'DeviceTaintRule unhealthy-gpus is not paused any more\n',
    );
    expect(rule()?.metadata.annotations ?? {}).toEqual({});
    expect(await scene.sluice('pauses')).toEqual({ status: 0, out: '', err: 'no pauses in context local found\n' });
  });

  it('resume names the pause that remains when one of two ends', async () => {
    scene.cluster.seed(gpuRule);
    await scene.sluice('pause', 'rule', 'unhealthy-gpus');
    await scene.sluice('pause', 'rule', 'unhealthy-gpus', '--name', 'audit');
    expect((await scene.sluice('resume', 'rule', 'unhealthy-gpus', '--name', 'audit')).out).toMatch(
      /^pause audit was removed; .* still paused: manual/,
    );
  });

  it('pause --all with a reason longer than an EvictionStop may have stops the cluster, and keeps the reason', async () => {
    const why = 'ü'.repeat(700);
    expect((await scene.sluice('pause', '--all', '--why', why)).status).toBe(0);
    const reason = mapAt(objectsOf(scene.cluster, 'evictionstops')[0], 'spec')?.reason as string;
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(1024);
    expect(reason).toMatch(/^ü{400,}…$/);
    expect((await scene.sluice('pauses', '-o', 'json')).out).toContain(why);
  });

  it('pause --all creates an EvictionStop with only a kubeconfig, and resume --all deletes it', async () => {
    scene.cluster.seed(gpuRule);
    const paused = await scene.sluice('pause', '--all', '--why', 'power failure');
    expect(paused.out).toBe(
      'the cluster of context local is paused: 4 pods are kept\nto resume: sluice resume --all\n',
    );
    expect(objectsOf(scene.cluster, 'evictionstops').map(({ metadata }) => metadata.name)).toEqual(['manual']);
    expect((await scene.sluice('pauses')).out).toMatch(/cluster of context local +manual +ada .* power failure/);
    expect((await scene.sluice('resume', '--all')).status).toBe(0);
    expect(objectsOf(scene.cluster, 'evictionstops')).toEqual([]);
    expect(await scene.sluice('resume', '--all')).toMatchObject({
      status: 1,
      err: expect.stringContaining('there is no EvictionStop manual'),
    });
    await scene.sluice('pause', '--all', '--name', 'mine');
    expect(await scene.sluice('resume', '--all')).toMatchObject({
      status: 1,
      err: expect.stringMatching(/the cluster is stopped by mine\n.*sluice resume --all --name mine/),
    });
  });

  it('pause and resume refuse --cluster and write nothing when no installation is named', async () => {
    for (const verb of ['pause', 'resume'])
      expect(await scene.sluice(verb, '--all', '--cluster', 'prdo')).toMatchObject({
        status: 2,
        out: '',
        err: expect.stringContaining('no installation is given; nothing was written'),
      });
    expect(objectsOf(scene.cluster, 'evictionstops')).toEqual([]);
  });

  it('pauses lists who stopped the cluster or a rule with kubectl, when and why', async () => {
    const { url, ca, token } = scene.cluster;
    const kubectl = createApiClient({ url, ca, token, userAgent: 'kubectl' });
    onTestFinished(kubectl.close);
    await kubectl.call('POST', '/apis/sluice.dev/v1alpha1/evictionstops?fieldManager=kubectl-create', {
      body: {
        apiVersion: 'sluice.dev/v1alpha1',
        kind: 'EvictionStop',
        metadata: { name: 'stop' },
        spec: { reason: 'disks fail' },
      },
    });
    scene.cluster.seed(gpuRule);
    const path = '/apis/resource.k8s.io/v1/devicetaintrules/unhealthy-gpus?fieldManager=kubectl-annotate';
    await kubectl.call('PATCH', path, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { annotations: { 'pause.sluice.dev/audit': 'by hand' } } },
    });
    expect(lines((await scene.sluice('pauses')).out).slice(1)).toEqual([
      expect.stringMatching(
        /^cluster of context local +stop +field manager kubectl-create +2026-01-01T12:00:00Z +disks fail$/,
      ),
      expect.stringMatching(
        /^DeviceTaintRule unhealthy-gpus +audit +field manager kubectl-annotate +2026-01-01T12:00:00Z +by hand$/,
      ),
    ]);
  });

  it('pause namespace keeps a pod with a mode label of its own too, and leaves all mode labels as they are', async () => {
    scene.cluster.seed(gpuRule);
    const pod = objectsOf(scene.cluster, 'pods').find(({ metadata }) => metadata.name === 'pod-00000');
    const labels = { 'sluice.dev/eviction-mode': 'Delete' };
    scene.cluster.seed({ ...pod, metadata: { ...pod?.metadata, labels } } as never);
    const namespace = () => objectsOf(scene.cluster, 'namespaces').find(({ metadata }) => metadata.name === 'team-a');
    const before = namespace()?.metadata.labels;
    const planned = async () => (await scene.sluice('plan', 'unhealthy-gpus')).out;
    const all = await planned();
    expect(await scene.sluice('pause', 'namespace', 'team-a', '--why', 'audit')).toMatchObject({
      status: 0,
      out: 'Namespace team-a is paused: 2 pods are kept\nto resume: sluice resume namespace team-a\n',
    });
    expect(namespace()?.metadata).toMatchObject({
      annotations: { 'pause.sluice.dev/manual': expect.stringMatching(/^audit; by ada at /) },
    });
    expect(namespace()?.metadata.labels).toEqual(before);
    expect((await scene.sluice('why', 'pod', 'team-a/pod-00000')).out).toMatch(
      /: is held\n(?:.*\n)* {2}held: Its namespace team-a is paused by manual \(audit; by ada at .*\)\.\n/,
    );
    expect((await scene.sluice('get', 'pods', '-n', 'team-a')).out).toMatch(/pod-00000 .* Held /);
    const paused = await planned();
    expect(paused).toContain('\n2 of them are kept while their namespaces are paused (see: sluice pauses)\n');
    expect(paused).toMatch(/team-a +pod-00000 .* yes +gpu/);
    expect(paused).toMatch(/team-b +pod-00004 .* no +gpu/);
    expect((await scene.sluice('why', 'rule', 'unhealthy-gpus')).out).toContain(
      ': evicts 4 pods in 3 namespaces at once; 2 of them are kept while their namespaces are paused\n',
    );
    for (const other of ['team-b', 'team-c']) await scene.sluice('pause', 'namespace', other);
    expect((await scene.sluice('why', 'rule', 'unhealthy-gpus')).out).toContain(
      ': is held; would evict 4 pods in 3 namespaces, but none now: their namespaces are paused;',
    );
    for (const other of ['team-b', 'team-c']) await scene.sluice('resume', 'namespace', other);
    expect((await scene.sluice('pauses')).out).toMatch(/\nNamespace team-a +manual +ada +\S+Z +audit\n/);
    expect((await scene.sluice('resume', 'namespace', 'team-a')).out).toBe('Namespace team-a is not paused any more\n');
    expect(namespace()?.metadata.annotations ?? {}).toEqual({});
    expect(await planned()).toBe(all);
  });

  it('plan and drain --dry-run end with status 0, and say that no pod is evicted now, while the namespaces of all their pods are paused', async () => {
    scene.cluster.seed(gpuRule);
    const asked = [
      ['plan', 'unhealthy-gpus'],
      ['drain', 'device', device, '--dry-run'],
    ];
    const statuses = () => Promise.all(asked.map(async (words) => (await scene.sluice(...words)).status));
    await scene.sluice('pause', 'namespace', 'team-a');
    expect(await statuses()).toContain(3);
    for (const other of ['team-b', 'team-c']) await scene.sluice('pause', 'namespace', other);
    expect(await statuses()).toEqual([0, 0]);
    expect((await scene.sluice('plan', 'unhealthy-gpus')).out).toContain(
      '\n4 pods in 3 namespaces would be evicted, but none now: their namespaces are paused\n',
    );
    const plan = JSON.parse((await scene.sluice('plan', 'unhealthy-gpus', '-o', 'json')).out);
    expect(plan.summary).toMatchObject({ pods: 4, paused: 4, held: 'their namespaces are paused' });
  });

  it.each(['pauses', 'top --once', 'get evictions', 'why pod team-a/pod-00000', 'doctor'])(
    '%s refuses --cluster when no installation is named, because it would answer about another cluster',
    async (verb) => {
      expect(await scene.sluice(...verb.split(' '), '--cluster', 'prdo')).toMatchObject({
        status: 2,
        out: '',
        err: expect.stringMatching(/--cluster( prdo is a cluster of an installation| has no effect).*\n.*--stack NAME/),
      });
    },
  );

  it('pauses cuts neither who nor when nor why at 80 columns', async () => {
    const why = 'the disks of rack 12 fail, and the vendor asked us to wait until they have read the logs';
    await scene.sluice('pause', '--all', '--name', 'incident-of-the-night', '--why', why);
    const { out } = await scene.run(['pauses'], { columns: 80 });
    expect(lines(out).every((one) => one.length <= 80)).toBe(true);
    expect(out.replace(/\s+/g, ' ').trim()).toBe(
      `cluster of context local: incident-of-the-night by ada since 2026-01-01T12:00:00Z: ${why}`,
    );
    expect(out).toContain('\n    by ada since ');
    expect((await scene.run(['pauses'], { columns: 200 })).out).toMatch(/^PAUSED +NAME +BY +SINCE +WHY\ncluster/);
  });

  it('pauses says that the author of an EvictionStop without any field is not recorded, and names that of its labels', async () => {
    const { url, ca, token } = scene.cluster;
    const helm = createApiClient({ url, ca, token, userAgent: 'helm' });
    onTestFinished(helm.close);
    for (const metadata of [{ name: 'bare' }, { name: 'labelled', labels: { a: 'b' } }])
      await helm.call('POST', '/apis/sluice.dev/v1alpha1/evictionstops?fieldManager=helm', {
        body: { apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionStop', metadata },
      });
    const { out } = await scene.sluice('pauses');
    expect(out).toMatch(/ bare +not recorded +2026/);
    expect(out).toMatch(/ labelled +field manager helm +2026/);
  });

  it('resume ends the pauses that people write without Sluice, by the names that pauses lists', async () => {
    const annotations = { 'sluice.dev/paused': 'true' };
    scene.cluster.seed({ ...gpuRule, metadata: { name: 'unhealthy-gpus', annotations } });
    const policy = { apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionPolicy', metadata: { name: 'gpus' } };
    scene.cluster.seed({ ...policy, spec: { taints: { keys: ['a.example.com/b'] }, paused: true } } as never);
    const { out } = await scene.sluice('pauses');
    expect(out).toMatch(/unhealthy-gpus +sluice\.dev\/paused /);
    expect(out).toMatch(/gpus +spec\.paused /);
    expect(await scene.sluice('resume', 'rule', 'unhealthy-gpus', '--name', 'sluice.dev/paused')).toMatchObject({
      status: 0,
      out: 'DeviceTaintRule unhealthy-gpus is not paused any more\n',
    });
    expect(await scene.sluice('resume', 'policy', 'gpus', '--name', 'spec.paused')).toMatchObject({
      status: 0,
      out: 'EvictionPolicy gpus is not paused any more\n',
    });
    expect(objectsOf(scene.cluster, 'evictionpolicies')[0]?.spec).toEqual({ taints: { keys: ['a.example.com/b'] } });
    expect(await scene.sluice('resume', 'policy', 'gpus', '--name', 'spec.paused')).toMatchObject({ status: 1 });
    expect(await scene.sluice('pause', 'rule', 'unhealthy-gpus', '--name', 'sluice.dev/paused')).toMatchObject({
      status: 2,
    });
  });

  it('a namespace can have several pauses, and each is ended by its name', async () => {
    scene.cluster.seed(gpuRule);
    await scene.sluice('pause', 'namespace', 'team-a');
    const hint = (await scene.sluice('pause', 'namespace', 'team-a', '--name', 'audit')).out;
    expect(hint).toContain('to resume: sluice resume namespace team-a --name audit');
    expect((await scene.sluice('resume', 'namespace', 'team-a')).out).toMatch(
      /^pause manual was removed; Namespace team-a is still paused: audit /,
    );
    expect(await scene.sluice('resume', 'namespace', 'team-a', '--name', 'nope')).toMatchObject({
      status: 1,
      err: 'error: Namespace team-a has no pause nope\nsee: sluice pauses\n',
    });
  });

  it('resume of a rule and of a namespace says that an EvictionStop still keeps all pods', async () => {
    scene.cluster.seed(gpuRule);
    await scene.sluice('pause', 'rule', 'unhealthy-gpus');
    await scene.sluice('pause', 'namespace', 'team-a');
    await scene.sluice('pause', '--all', '--why', 'disks fail');
    for (const subject of [
      ['rule', 'unhealthy-gpus'],
      ['namespace', 'team-a'],
    ]) {
      const { status, out } = await scene.sluice('resume', ...subject);
      expect(status).toBe(0);
      expect(out).toContain('No pod of this cluster is evicted: stopped by EvictionStop manual (disks fail; by ada');
    }
    expect((await scene.sluice('resume', '--all')).out).toBe('EvictionStop manual is deleted\n');
  });

  it('pause waits until a pod that was marked for deletion is deleted', async () => {
    scene.cluster.seed(gpuRule);
    const pods = scene.cluster.resource('pods');
    const pod = objectsOf(scene.cluster, 'pods').find(({ metadata }) => metadata.name === 'pod-00000');
    const conditions = [
      marked,
      { type: 'DisruptionTarget', status: 'True', lastTransitionTime: new Date(now).toISOString() },
    ];
    scene.cluster.seed({ ...pod, status: { ...(pod?.status as object), conditions } } as never);
    let sleeps = 0;
    const onSleep = (count: number) => {
      sleeps = count;
      if (count === 3 && pod) scene.cluster.store.remove(pods, pod);
    };
    const said = await scene.run(['pause', 'rule', 'unhealthy-gpus'], { onSleep });
    expect(sleeps).toBe(3);
    expect(said.out).toContain('3 pods are kept');
  });

  it('pause has status 1 if a delete is not settled in time, and the pause remains', async () => {
    scene.cluster.seed(gpuRule);
    const pod = objectsOf(scene.cluster, 'pods').find(({ metadata }) => metadata.name === 'pod-00000');
    const conditions = [
      marked,
      { type: 'DisruptionTarget', status: 'True', lastTransitionTime: new Date(now + 9000).toISOString() },
    ];
    scene.cluster.seed({ ...pod, status: { ...(pod?.status as object), conditions } } as never);
    const said = await scene.sluice('pause', 'rule', 'unhealthy-gpus', '--timeout', '5');
    expect(said).toMatchObject({
      status: 1,
      err: expect.stringContaining('paused, but with 1 eviction still in flight, such as that of pod-00000'),
    });
    expect(Object.keys(rule()?.metadata.annotations ?? {})).toEqual(['pause.sluice.dev/manual']);
  });

  it.each([
    ['rule', 'unhealthy-gpu', /did you mean unhealthy-gpus/],
    ['policy', 'x', /there is no EvictionPolicy x/],
    ['taint', 'example.com/unhealty', /did you mean example.com\/unhealthy/],
    ['namespace', 'team-aa', /nothing was written\ndid you mean team-a/],
  ])('pause fails and writes nothing for a %s that does not exist', async (kind, name, says) => {
    scene.cluster.seed(gpuRule);
    const { status, out, err } = await scene.sluice('pause', kind, name);
    expect(err).toMatch(says);
    expect([status, out]).toEqual([1, '']);
    expect(writesTo(scene.cluster)).toEqual([]);
  });
});
