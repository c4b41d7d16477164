// The console's pages and actions over a simulated cluster, as a browser without scripts would use them.
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { User } from '../../../lib/local/cluster/access.ts';
import { createApiClient } from '../../../lib/local/cluster/client.ts';
import { startCluster } from '../../../lib/local/cluster/cluster.ts';
import type { FaultSubject } from '../../../lib/local/cluster/faults.ts';
import { aLimiter, aPicture } from '../../view/pictures.ts';
import { ask, listen, type ServedScene, serveConsole, textOf } from '../support/consoleScene.ts';
import { gpuRule, objectsOf, type Scene, startScene } from '../support/scene.ts';

let scene: Scene;
let server: ServedScene;

beforeEach(async () => {
  scene = await startScene();
  scene.cluster.seed(gpuRule);
  server = await serveConsole({ kubeconfig: scene.kubeconfig });
  await server.shows('/fleet', 'node-003');
});

afterEach(async () => {
  await server.stop();
  await scene.stop();
});

const rule = 'DeviceTaintRule/unhealthy-gpus';

/** Submits the form of an action page, as its button does. */
/** The fields of the form that does what the page says. */
async function formOf(path: string): Promise<Readonly<Record<string, string>>> {
  const page = await server.shows(path, 'name="token"');
  const [, form = ''] = /<form[^>]*method="post"[^>]*>(.*?)<\/form>/s.exec(page) ?? [];
  const inputs = [...form.matchAll(/<input[^>]* name="([^"]*)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) =>
      [name, value.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')] as const,
  );
  return Object.fromEntries(inputs);
}

async function post(path: string, form: Readonly<Record<string, string>>): Promise<string> {
  const origin = server.url.slice(0, -1);
  const { body } = await ask(`${origin}${path.split('?')[0]}`, { method: 'POST', headers: { origin }, form });
  return textOf(body);
}

async function act(path: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  return post(path, { ...(await formOf(path)), ...fields });
}

const annotationsOf = (name: string) =>
  objectsOf(scene.cluster, 'devicetaintrules').find(({ metadata }) => metadata.name === name)?.metadata.annotations ??
  {};
const annotations = () => annotationsOf('unhealthy-gpus');

describe('every page', () => {
  it('every page links to the stop of the whole cluster, until it is stopped', async () => {
    for (const page of ['/fleet', '/rules', '/timeline', '/why'])
      expect(await server.shows(page, 'Pause everything')).toContain('href="/act/pause?kind=everything"');
    expect(await act('/act/pause?kind=everything')).toContain('Done');
    expect(await server.shows('/fleet', 'Paused: ')).not.toContain('Pause everything');
  });

  it('a page has no numbers before every kind was read', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cluster = await startCluster({});
    cluster.seed(gpuRule);
    cluster.faults.add({ when: ({ request }) => request.resource.plural === 'pods', until: promise });
    const own = await serveConsole({ kubeconfig: scene.file('slow', cluster.kubeconfigYaml) });
    try {
      for (const page of ['/fleet', '/rules', `/plan/${rule}`]) {
        const text = textOf(await own.shows(page, 'Reading the cluster'));
        expect(text).toMatch(/There are no numbers to show yet: \d+ of \d+ kinds are read\./);
        expect(text).not.toMatch(/\d+ (free|in use|pods)/);
      }
      resolve();
      await own.shows('/rules', 'unhealthy-gpus');
    } finally {
      resolve();
      await own.stop();
      await cluster.close();
    }
  });
});

it('a rule whose expression fails on every device shows the error on Rules', async () => {
  scene.cluster.seed({
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'PacedTaintRule',
    metadata: { name: 'failing' },
    spec: {
      deviceSelector: { selectors: [{ cel: { expression: 'device.attributes["none.example.com"].x == 1' } }] },
      taints: [{ key: 'example.com/x', effect: 'NoExecute' }],
    },
  });
  const text = textOf(await server.shows('/rules', 'fails on every device'));
  expect(text).toMatch(/selectors\[0\] fails on every device that it is evaluated on, so the rule selects nothing: ./);
});

it('the plan page of a deleted rule says that it ended, when and with which counts, and links its evictions', async () => {
  const limiters = [
    aLimiter({
      name: 'old',
      place: 'DeviceTaintRule old',
      state: 'Stopped',
      counts: { evicted: 3, deleting: 0, pending: 0, waiting: 0 },
      total: 4,
      kept: 1,
      lastEvictionAt: Date.UTC(2026, 10, 26, 17, 5),
    }),
  ];
  const state = () => Promise.reject(new Error('not asked'));
  const table = { state, progress: async () => aPicture({ limiters }) };
  const own = await serveConsole({ kubeconfig: scene.kubeconfig, table });
  try {
    const page = await own.shows('/plan/DeviceTaintRule/old', 'is deleted');
    expect(textOf(page)).toMatch(
      /DeviceTaintRule\/old is deleted, so it has no plan\. +example\.com\/bad=yes:NoExecute *: 3 pods evicted, the last at .*17:05:00 UTC; 1 pod kept\./,
    );
    expect(page).toContain('href="/timeline?rule=DeviceTaintRule%2Fold"');
    expect(textOf(await own.shows('/plan/DeviceTaintRule/never', 'Not found'))).not.toContain('is deleted');
  } finally {
    await own.stop();
  }
});

describe('the page Fleet', () => {
  it('the page Fleet shows each device in its state, grouped by node, driver or team', async () => {
    const text = textOf(await server.shows('/fleet', '4 evicting'));
    expect(text).toContain('4 evicting 0 held 0 unknown 2 tainted 4 in use 2 free');
    expect(text).toContain('node-000 3 devices: 2 evicting, 1 tainted');
    expect(textOf(await server.shows('/fleet?by=driver', '2 drivers'))).toContain('gpu.example.com 6 devices');
    expect(textOf(await server.shows('/fleet?by=team', 'teams'))).toContain('not in use');
  });

  it('the page of a group shows its devices, each with links to its page and its actions', async () => {
    const page = await server.shows('/fleet?by=node&in=node-000', 'gpu.example.com/node-000/device-0');
    expect(page).toContain('href="/why/device/gpu.example.com/node-000/device-0"');
    expect(page).toContain('/act/taint?kind=device&amp;name=gpu.example.com%2Fnode-000%2Fdevice-0');
    expect(page).not.toContain('node-001');
  });

  it('the page of a group that does not exist gets status 404', async () => {
    await server.shows('/fleet', 'node-003');
    const { status, body } = await ask(`${server.url}fleet?by=node&in=nope`);
    expect([status, textOf(body)]).toEqual([404, expect.stringContaining('There is no node nope')]);
  });

  it('no device is shown as evicting while it cannot be read whether an EvictionStop is there', async () => {
    await server.stop();
    const mayNotRead = { when: ({ request }: FaultSubject) => request.resource.plural === 'evictionstops' };
    onTestFinished(scene.cluster.faults.add({ ...mayNotRead, status: 403 }));
    server = await serveConsole({ kubeconfig: scene.kubeconfig });
    const text = textOf(await server.shows('/fleet', 'Not read: EvictionStop'));
    expect(text).toContain('0 evicting 4 held');
  });

  it('devices of a paused rule are shown as held, and every page says who paused it and has the button that resumes it', async () => {
    await scene.sluice('pause', 'rule', rule, '--why', 'until Monday');
    expect(textOf(await server.shows('/fleet', '4 held'))).toContain('0 evicting');
    for (const path of ['/fleet', '/rules', '/timeline', '/why', `/plan/${rule}`]) {
      const page = await server.shows(path, 'Paused: DeviceTaintRule unhealthy-gpus');
      expect(textOf(page)).toContain('until Monday by ada, since 2026-01-01 12:00:00 UTC');
      expect(page).toContain('href="/act/resume?kind=rule');
    }
  });
});

describe('the page of a plan', () => {
  it('the page of a plan lists all pods and finds one by its name', async () => {
    const text = textOf(await server.shows(`/plan/${rule}`, '4 pods'));
    expect(text).toContain('4 pods in 3 namespaces would be evicted');
    expect(text).toContain('team-a/pod-00000 none node-000');
    const found = textOf(await server.shows(`/plan/${rule}?q=pod-00006`, '1 pod'));
    expect(found).toContain('team-a/pod-00006');
    expect(found).not.toContain('team-a/pod-00000');
  });

  it('the page of a plan stays unchanged when its rule is deleted, while its notices are updated', async () => {
    const heard = listen(
      `${server.url}live?of=/plan/${rule}`,
      ({ set: { notices = '' } }) =>
        notices.includes('PacedTaintRule paused') && notices.includes('The page shows its last state'),
    );
    await server.shows(`/plan/${rule}`, '4 pods');
    const { url, ca, token } = scene.cluster;
    const kubectl = createApiClient({ url, ca, token, userAgent: 'kubectl' });
    onTestFinished(kubectl.close);
    await kubectl.call('DELETE', '/apis/resource.k8s.io/v1/devicetaintrules/unhealthy-gpus');
    const spec = { deviceSelector: { driver: 'x' }, taints: [{ key: 'a', effect: 'None' }], paused: true };
    const paused = { apiVersion: 'sluice.dev/v1alpha1', kind: 'PacedTaintRule', metadata: { name: 'paused' }, spec };
    scene.cluster.seed(paused);
    const [first, ...others] = await heard;
    expect(first?.order?.length).toBeGreaterThan(0);
    expect(others.filter(({ order }) => order !== undefined)).toEqual([]);
  });

  it('a plan with a malformed address gets status 404', async () => {
    expect((await ask(`${server.url}plan/%E0%A4%A`)).status).toBe(404);
  });

  it('the plan of a rule that does not exist gets status 404', async () => {
    expect((await ask(`${server.url}plan/DeviceTaintRule/missing`)).status).toBe(404);
  });
});

describe('the page Why', () => {
  it.each([
    ['pod/team-a/pod-00000', 'team-a/pod-00000'],
    [`rule/${rule}`, 'DeviceTaintRule unhealthy-gpus: evicts 4 pods in 3 namespaces'],
    ['device/gpu.example.com/node-000/device-0', 'has 1 taint'],
    ['pod/team-a/missing', 'There is no pod team-a/missing'],
  ])('the page Why of %s has an address of its own', async (path, expected) => {
    const text = textOf(await server.shows(`/why/${path}`, 'The cluster now'));
    expect(text).toContain(expected);
    expect(text).toContain('Records are kept in the state table. Name a table.');
  });
});

describe('an action of the console', () => {
  it('pause and resume of a rule show their effect, change the annotation and say what was done', async () => {
    const path = `/act/pause?kind=rule&name=${rule}`;
    expect(textOf(await server.shows(path, 'What it will do'))).toContain(
      '4 pods are kept until DeviceTaintRule/unhealthy-gpus is resumed.',
    );
    expect(await act(path, { why: 'audit' })).toContain('DeviceTaintRule unhealthy-gpus is paused: 4 pods are kept');
    await server.shows(`/why/rule/${rule}`, 'is held; would evict 4 pods in 3 namespaces');
    expect(textOf(await server.shows(path, 'What it will do'))).toMatch(
      /DeviceTaintRule\/unhealthy-gpus is already paused by ada since \S+ \(audit\); that pause stays as it is\./,
    );
    const again = await act(path, { why: 'mine' });
    expect(again).toMatch(/is already paused by ada since \S+ \(audit\); that pause stays as it is\./);
    expect(again).toContain('DeviceTaintRule unhealthy-gpus is paused: 4 pods are kept');
    expect(annotations()['pause.sluice.dev/manual']).toMatch(/^audit; by ada at /);
    const resume = `/act/resume?kind=rule&name=${rule}&pause=manual`;
    expect(textOf(await server.shows(resume, 'What it will do'))).toContain('4 pods can be evicted again');
    expect(await act(resume)).toContain('DeviceTaintRule unhealthy-gpus is not paused any more');
    expect(annotations()).toEqual({});
  });

  it('an EvictionStop that kubectl creates or deletes appears on every open page without another list request', async () => {
    const path = '/apis/sluice.dev/v1alpha1/evictionstops';
    const { url, ca, token } = scene.cluster;
    const kubectl = createApiClient({ url, ca, token, userAgent: 'kubectl' });
    onTestFinished(kubectl.close);
    await server.shows('/rules', 'cluster watched');
    const lists = () => scene.cluster.calls.filter((one) => one.path.startsWith(path) && one.verb === 'list').length;
    const before = lists();
    const told = (of: string, holds: (notices: string) => boolean) =>
      listen(`${server.url}live?of=${of}`, ({ set }) => set.notices !== undefined && holds(set.notices));
    const isStopped = (notices: string) => notices.includes('disks fail');
    const all = ['/rules', '/fleet', `/plan/${rule}`, '/why'];
    const stopped = all.map((one) => told(one, isStopped));
    const spec = { reason: 'disks fail' };
    const stop = { apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionStop', metadata: { name: 'incident' }, spec };
    await kubectl.call('POST', path, { body: stop });
    await Promise.all(stopped);
    const over = all.map((one) => told(one, (notices) => !isStopped(notices)));
    await kubectl.call('DELETE', `${path}/incident`);
    await Promise.all(over);
    expect(lists()).toBe(before);
  });

  it('pause of the whole cluster creates an EvictionStop, and resume deletes it', async () => {
    expect(await act('/act/pause?kind=everything', { why: 'power failure' })).toContain('is paused: 4 pods are kept');
    expect(objectsOf(scene.cluster, 'evictionstops')).toHaveLength(1);
    await server.shows('/fleet', '4 held');
    expect(await act('/act/resume?kind=everything&pause=manual')).toContain('EvictionStop manual is deleted');
    expect(objectsOf(scene.cluster, 'evictionstops')).toHaveLength(0);
  });

  it.each([
    ['an EvictionStop', 'kind=everything', ['--all']],
    ['a rule', `kind=rule&name=${rule}`, ['rule', rule]],
  ])(
    'a form that ends the pause of %s does not end another one that was made under its name since',
    async (_, query, words) => {
      const sluice = (verb: string, ...more: string[]) => scene.sluice(verb, ...words, ...more);
      await sluice('pause', '--why', 'incident 1');
      const path = `/act/resume?${query}&pause=manual`;
      const page = textOf(await server.shows(path, 'incident 1'));
      expect(page).toMatch(/This ends the pause by \S+ since \S+ \(incident 1\)\./);
      const loaded = await formOf(path);
      await sluice('resume');
      await sluice('pause', '--why', 'incident 2, do not resume');
      const refused = await post(path, loaded);
      expect(refused).toContain('another pause of this name was made since this page was loaded');
      expect(refused).toContain('(incident 2, do not resume); nothing was done');
      expect((await scene.sluice('pauses')).out).toContain('incident 2');
      await server.shows(path, 'incident 2');
      expect(await act(path)).toMatch(/is deleted|is not paused any more/);
    },
  );

  it('every preview names an EvictionStop that stands, and resume of another one promises no eviction', async () => {
    const stopNamed = (name: string) => ({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionStop',
      metadata: { name },
      spec: { reason: `reason of ${name}` },
    });
    for (const name of ['anna', 'bert']) scene.cluster.seed(stopNamed(name));
    const page = textOf(await server.shows('/rules', 'reason of bert'));
    expect(page).toContain('EvictionStop anna');
    expect(page).toContain('EvictionStop bert');
    const rate = textOf(await server.shows(`/act/rate?kind=rule&name=${rule}&rate=2`, 'At 2/s'));
    expect(rate).toContain('No pod of this cluster is evicted: stopped by EvictionStop anna');
    const resume = textOf(await server.shows('/act/resume?kind=everything&pause=anna', 'What it will do'));
    expect(resume).toContain('4 pods are still kept: stopped by EvictionStop bert');
    expect(resume).not.toContain('can be evicted again');
    const { body } = await ask(`${server.url}act/resume?kind=everything`);
    expect(textOf(body)).toContain('The whole cluster has no pause of that name; there are anna and bert');
    await act('/act/resume?kind=everything&pause=anna');
    expect(textOf(await server.shows('/act/resume?kind=everything&pause=bert', 'again'))).toContain(
      '4 pods can be evicted again',
    );
  });

  it('a change of the rate shows how long the backlog takes at both rates and writes the annotation', async () => {
    const asked = textOf(await server.shows(`/act/rate?kind=rule&name=${rule}&rate=0.5`, 'At 0.5/s'));
    expect(asked).toMatch(/Now 10\/s, burst 10: 4 pods at once/);
    expect(await act(`/act/rate?kind=rule&name=${rule}&rate=0.5`)).toContain('0.5/s');
    expect(annotations()['sluice.dev/evictions-per-second']).toBe('0.5');
  });

  it('taint of a device shows its plan and creates a rule, and untaint deletes the rule', async () => {
    const device = 'nic.example.com/node-001/device-0';
    const taint = `/act/taint?kind=device&name=${device}&taint=example.com/link-down:NoExecute&rate=2`;
    expect(textOf(await server.shows(taint, 'What it will do'))).toContain('1 pod in 1 namespace would be evicted');
    const result = await act(taint);
    expect(result).toMatch(/pacedtaintrule.sluice.dev\/\S+ created\s+1 pod in 1 namespace will be evicted at once/);
    expect(result).not.toContain('would be evicted');
    expect(objectsOf(scene.cluster, 'pacedtaintrules')).toHaveLength(1);
    await server.shows(
      '/fleet?by=driver&in=nic.example.com',
      `/act/untaint?kind=device&amp;name=${encodeURIComponent(device)}`,
    );
    expect(await act(`/act/untaint?kind=device&name=${device}`)).toContain('deleted');
    expect(objectsOf(scene.cluster, 'pacedtaintrules')).toHaveLength(0);
  });

  it('approve accepts only the plan that the rule offers', async () => {
    const message = 'sluice.dev/approve=0123456789ab approves it';
    const held = {
      type: 'sluice.dev/Held',
      status: 'True',
      reason: 'ApprovalRequired',
      message,
      lastTransitionTime: '2026-01-01T11:00:00Z',
    };
    scene.cluster.seed({ ...gpuRule, metadata: { name: 'asks' }, status: { conditions: [held] } });
    const page = await server.shows('/rules', '/act/approve?kind=rule&amp;name=DeviceTaintRule%2Fasks');
    expect(page).toContain('Held: DeviceTaintRule asks');
    const path = '/act/approve?kind=rule&name=DeviceTaintRule/asks';
    expect(textOf(await server.shows(path, 'What it will do'))).toContain('4 pods in 3 namespaces would be evicted');
    expect(await act(path, { digests: 'ba9876543210' })).toContain('has changed since it was shown');
    expect(annotationsOf('asks')).toEqual({});
    expect(await act(path)).toContain('approved by ada: sluice.dev/approve=0123456789ab');
    for (const shown of ['/rules', '/plan/DeviceTaintRule/asks', '/why/rule/DeviceTaintRule/asks'])
      expect(textOf(await server.shows(shown, 'approval of'))).toMatch(
        /approval of plan 0123456789ab by ada at \d{4}-\d\d-\d\dT\S+Z/,
      );
  });

  it('an action on a rule that does not exist fails and says why', async () => {
    const page = await server.shows('/act/pause?kind=rule&name=DeviceTaintRule/missing', 'This failed');
    expect(textOf(page)).toContain('There is no rule DeviceTaintRule/missing');
  });
});

it.each([
  [`kind=rule&name=${rule}&pause=manual`, `${rule} has no pause manual`],
  ['kind=everything&pause=by-key', 'The whole cluster has no pause by-key'],
  ['kind=namespace&name=team-a', 'Namespace team-a has no pause'],
])('resume of what is not paused is refused before it is offered: %s', async (query, why) => {
  await server.shows('/rules', 'unhealthy-gpus');
  const { status, body } = await ask(`${server.url}act/resume?${query}`);
  expect([status, textOf(body)]).toEqual([409, expect.stringContaining(why)]);
  expect(body).not.toContain('name="token"');
});

it('the result of an action has an address of its own, so that a reload does not act again', async () => {
  const page = await server.shows(`/act/pause?kind=rule&name=${rule}`, 'name="token"');
  const [, token = ''] = /name="token" value="([^"]*)"/.exec(page) ?? [];
  const origin = server.url.slice(0, -1);
  const posted = await fetch(`${origin}/act/pause`, {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({ kind: 'rule', name: rule, why: 'audit', token }),
    redirect: 'manual',
  });
  expect(posted.status).toBe(303);
  const result = `${origin}${posted.headers.get('location')}`;
  const written = annotations();
  for (let i = 0; i < 2; i++) expect(textOf((await ask(result)).body)).toContain('is paused: 4 pods are kept');
  expect(annotations()).toEqual(written);
  expect((await ask(`${origin}/done/of-another-console`)).status).toBe(404);
});

it.each([
  ['/act/pause?kind=namespace&name=nope', 'namespace nope'],
  ['/act/taint?kind=device&name=nope', 'nope is not a device'],
])('an action that cannot succeed is refused before it is offered: %s', async (path, why) => {
  await server.shows('/rules', 'unhealthy-gpus');
  const { status, body } = await ask(`${server.url.slice(0, -1)}${path}`);
  expect([status, textOf(body)]).toEqual([409, expect.stringContaining(why)]);
  expect(body).not.toContain('name="token"');
});

it.each([
  [
    'rate',
    `kind=rule&name=${rule}`,
    { rate: '0.00001' },
    'rate',
    '&quot;0.00001&quot; is not a rate: write a number from 0 to 10000',
  ],
  ['rate', `kind=rule&name=${rule}`, { rate: 'fast' }, 'rate', '&quot;fast&quot; is not a rate'],
  [
    'taint',
    'kind=device&name=gpu.example.com/node-000/device-0',
    { taint: 'x:Evict', rate: '2' },
    'taint',
    'Evict is not an effect',
  ],
  [
    'taint',
    'kind=device&name=gpu.example.com/node-000/device-0',
    { taint: 'x:NoExecute', rate: '-1' },
    'rate',
    '&quot;-1&quot; is not a rate',
  ],
] as const)(
  'the form of %s keeps what was typed, with the error beside its field: %s %o',
  async (action, query, typed, field, why) => {
    await server.shows('/rules', 'unhealthy-gpus');
    const { status, body } = await ask(`${server.url}act/${action}?${query}&${new URLSearchParams(typed)}`);
    expect(status).toBe(400);
    for (const [name, value] of Object.entries(typed)) expect(body).toContain(`name="${name}" value="${value}"`);
    expect(body).toMatch(new RegExp(`name="${field}"[^>]*aria-invalid="true" aria-describedby="problem-${field}"`));
    const [, said = ''] = new RegExp(`<p class="problem" id="problem-${field}">([^<]*)</p>`).exec(body) ?? [];
    expect(said).toContain(why);
    expect(body).not.toContain('name="token"');
  },
);

it('an action that fails says so in sentences, and leads back to its form with what was typed', async () => {
  const page = await act(`/act/pause?kind=rule&name=${rule}`, {
    name: 'DeviceTaintRule/missing',
    why: 'power failure',
  });
  expect(page).toContain('Not done There is no rule DeviceTaintRule/missing in context');
  expect(page).not.toContain('error:');
  const missing = await server.shows('/act/pause?kind=rule&name=DeviceTaintRule/missing', 'This failed');
  expect(textOf(missing)).toMatch(/There is no rule DeviceTaintRule\/missing/);
  expect(textOf(missing)).not.toContain('error:');
  const again = await server.shows(`/act/pause?kind=rule&name=${rule}&why=power+failure`, 'What it will do');
  expect(again).toContain('name="why" value="power failure"');
});

it('untaint is offered for devices with a rule that it can delete, and for no others', async () => {
  const untaint = (page: string) => [...page.matchAll(/href="\/act\/untaint[^"]*"/g)].length;
  const path = '/fleet?by=node&in=node-000';
  expect(untaint(await server.shows(path, '2 evicting'))).toBe(0);
  const device = 'gpu.example.com/node-000/device-0';
  await act(`/act/taint?kind=device&name=${device}&taint=example.com/x:NoSchedule&rate=1`);
  expect(untaint(await server.shows(path, '/act/untaint'))).toBe(1);
});

it('the address of an action shows what it would do now, also after it was done', async () => {
  const page = await server.shows(`/act/pause?kind=rule&name=${rule}`, 'name="token"');
  const [, action = ''] = /method="post" action="([^"]*)"/.exec(page) ?? [];
  await act(`/act/pause?kind=rule&name=${rule}`);
  const { status, body } = await ask(`${server.url.slice(0, -1)}${action.replaceAll('&amp;', '&')}`);
  expect([status, textOf(body)]).toEqual([200, expect.stringContaining('What it will do')]);
});

it('a page says once that the API server does not answer, and since when its numbers are old', async () => {
  const cluster = await startCluster({});
  cluster.seed(gpuRule);
  const own = await serveConsole({ kubeconfig: scene.file('away', cluster.kubeconfigYaml) });
  try {
    await own.shows('/rules', 'unhealthy-gpus');
    await cluster.close();
    const text = textOf(await own.shows('/rules', '10 kinds of objects'));
    expect(text.match(/Not read: \d+ kinds of objects/g)).toHaveLength(1);
    expect(text).toContain('cluster not read');
    expect(text).not.toMatch(/cluster watched|watcher live/);
    expect(text).toMatch(/Pages show what was read before\. since \d{2}:\d{2}:\d{2} UTC/);
  } finally {
    await own.stop();
  }
});

describe('a caller without a right', () => {
  it('a caller whose rights cannot be read is told so, and gets the buttons once they can be read', async () => {
    let isBroken = true;
    const cluster = await startCluster({
      authorize: (_, { verb }) => {
        if (isBroken && verb === 'patch') throw new Error('the authorizer is down');
        return true;
      },
    });
    cluster.seed(gpuRule);
    const own = await serveConsole({ kubeconfig: scene.file('admin', cluster.kubeconfigYaml) });
    try {
      const text = textOf(await own.shows('/rules', 'unhealthy-gpus'));
      expect(text).toContain('Not read: your rights');
      expect(text).not.toContain('you may not');
      isBroken = false;
      expect(textOf(await own.shows('/rules', 'href="/act/rate'))).not.toContain('your rights');
    } finally {
      await own.stop();
      await cluster.close();
    }
  });

  it.each([
    ['watch', ['get', 'list']],
    ['list', ['get']],
  ])(
    'the page Why of a caller without the right to %s gives no answer about the cluster, and says what to do',
    async (verb, verbs) => {
      const reader: User = { name: 'reader', groups: [] };
      const cluster = await startCluster({
        users: new Map([['reader-token', reader]]),
        authorize: (user, request) => user !== reader || verbs.includes(request.verb),
      });
      cluster.seed(gpuRule);
      const kubeconfig = scene.file('reader', cluster.kubeconfigYaml.replace(cluster.token, 'reader-token'));
      const own = await serveConsole({ kubeconfig });
      try {
        for (const path of [
          `/why/rule/${rule}`,
          '/why/pod/team-a/a',
          '/why/device/gpu.example.com/node-000/device-0',
        ]) {
          const text = textOf(await own.shows(path, `cannot ${verb} resource`));
          expect(text).toMatch(
            /The cluster now Not known: \d+ of \d+ kinds of objects are read\. To ask without the console: sluice why /,
          );
          expect(text).not.toMatch(/reaches no pod|evicts no pod|is kept|publishes/);
        }
      } finally {
        await own.stop();
        await cluster.close();
      }
    },
  );

  it('a caller without a right sees no buttons but which right is missing, and the action is refused', async () => {
    const reader: User = { name: 'reader', groups: [] };
    const cluster = await startCluster({
      users: new Map([['reader-token', reader]]),
      authorize: (user, { verb, resource }) =>
        user !== reader || ['get', 'list', 'watch'].includes(verb) || resource.plural === 'evictionpolicies',
    });
    cluster.seed(gpuRule);
    const kubeconfig = scene.file('reader', cluster.kubeconfigYaml.replace(cluster.token, 'reader-token'));
    const own = await serveConsole({ kubeconfig });
    try {
      const page = await own.shows('/rules', 'unhealthy-gpus');
      expect(page).not.toContain('href="/act/');
      const text = textOf(page);
      expect(text).toContain('Some buttons are missing because you may not: create evictionstops.sluice.dev');
      expect(text).toContain('patch devicetaintrules.resource.k8s.io');
      expect(text).not.toContain('patch evictionpolicies');
      const refused = textOf((await ask(`${own.url}act/pause?kind=rule&name=${rule}`)).body);
      expect(refused).toContain('Required right: patch devicetaintrules.resource.k8s.io');
    } finally {
      await own.stop();
      await cluster.close();
    }
  });
});
