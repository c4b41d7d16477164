// Live reads for every answer of the API server: what is known, what is absent, what keeps a pod; and the ways to list a pool.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import { createLiveCluster } from '../../../lib/adapters/kubernetes/liveCluster.ts';
import { tokenOf } from '../../support/clusterUnderTest.ts';
import { type Answer, type AnsweringServer, resourceList, startAnsweringServer, status } from './answeringServer.ts';

let server: AnsweringServer;
let client: ApiClient;
let isSilent = false;
/** Only a read without an answer is to time out, however busy the machine is. */
const willAnswer = (...answers: Answer[]) => {
  isSilent = answers.includes('silence');
  server.answer(...answers);
};
beforeAll(async () => {
  server = await startAnsweringServer();
  const inner = createApiClient({ endpoint: server.endpoint, certificateAuthority: server.ca }, tokenOf('token'));
  client = { ...inner, send: (request) => inner.send({ ...request, timeout: isSilent ? 200 : 60_000 }) };
});
afterAll(async () => {
  client.close();
  await server.close();
});

const groupOf: Readonly<Record<string, string>> = { evictionstops: 'sluice.dev/v1alpha1', namespaces: 'v1' };
const served = (name: string) => resourceList(groupOf[name] ?? 'resource.k8s.io/v1', name);
const list = (items: readonly object[], more: object = {}): Answer => ({
  status: 200,
  body: { kind: 'List', metadata: { resourceVersion: '77', ...more }, items },
});
const meta = (name: string) => ({ name, uid: `uid-${name}`, resourceVersion: '5', generation: 2 });
const paths = () => server.asked.map(({ path }) => decodeURIComponent(path));

describe('one object', () => {
  const read = () => createLiveCluster(client).read('DeviceTaintRule', 'r');
  const rule = (spec: object) => ({ metadata: meta('r'), spec });

  it('one object is read as a list of one, so that an absent object has a resourceVersion', async () => {
    willAnswer(served('devicetaintrules'), list([]));
    expect(await read()).toEqual({ kind: 'NotFound', resourceVersion: '77' });
    expect(paths()[1]).toBe('/apis/resource.k8s.io/v1/devicetaintrules?limit=500&fieldSelector=metadata.name=r');
  });

  it('an object that exists is returned with its content', async () => {
    willAnswer(served('devicetaintrules'), list([rule({ taint: { key: 'a', effect: 'NoExecute' } })]));
    expect(await read()).toMatchObject({
      kind: 'Found',
      object: { uid: 'uid-r', taint: { key: 'a' } },
      conditions: [],
    });
  });

  it('an object that cannot be parsed is returned with the reason, and without anything that could evict a pod', async () => {
    const spec = { deviceSelector: { deviceClassName: 'gpu' }, taint: { key: 'a', effect: 'NoExecute' } };
    willAnswer(served('devicetaintrules'), list([rule(spec)]));
    const found = await read();
    expect(found).toMatchObject({ kind: 'Found', object: { generation: 2, taint: { effect: 'None' } } });
    expect(found.kind === 'Found' && found.problem).toContain('deviceClassName');
  });

  it('an object without a UID is unknown, and the read is retried later', async () => {
    willAnswer(served('devicetaintrules'), list([{ metadata: { name: 'r' } }]));
    expect(await read()).toMatchObject({ kind: 'RetryLater', why: expect.stringContaining('metadata.uid') });
  });

  it.each<[string, Answer, object]>([
    [
      '403',
      status(403, 'Forbidden', 'cannot list resource "devicetaintrules"'),
      { kind: 'Refused', why: expect.stringMatching(/LIST devicetaintrules r: 403 cannot list resource/) },
    ],
    ['429', status(429, 'TooManyRequests', 'wait'), { kind: 'RetryLater' }],
    ['500', status(500, 'InternalError', 'no'), { kind: 'RetryLater' }],
    ['no answer in time', 'silence', { kind: 'RetryLater', why: expect.stringContaining('no answer') }],
    ['a connection that breaks', 'reset', { kind: 'RetryLater' }],
    ['a page that is no list', { status: 200, body: { hello: 'world' } }, { kind: 'RetryLater' }],
  ])('a failed read names the object and the reason: %s', async (_, answer, outcome) => {
    willAnswer(served('devicetaintrules'), answer);
    const found = await read();
    expect(found).toMatchObject(outcome);
    expect('why' in found && found.why).toContain('devicetaintrules r');
  });

  it('a read of a kind that is not served names the kind', async () => {
    willAnswer({ status: 404, body: '404 page not found' });
    expect(await read()).toMatchObject({ kind: 'NotServed', why: expect.stringContaining('devicetaintrules r') });
  });

  it('an object is read in the version that the API server serves after an upgrade', async () => {
    const gone: Answer = { status: 404, body: '404 page not found' };
    const beta = resourceList('resource.k8s.io/v1beta2', 'devicetaintrules');
    willAnswer(served('devicetaintrules'), gone, gone, beta, list([]));
    expect(await read()).toMatchObject({ kind: 'NotFound' });
    expect(paths().at(-1)).toContain('/v1beta2/');
  });
});

describe('the slices of a pool', () => {
  const of = { driver: 'd.example.com', pool: 'pool-a', nodeName: 'node-1' };
  const slice = (name: string, pool = 'pool-a', spec: object = {}) => ({
    metadata: meta(name),
    spec: { driver: of.driver, pool: { name: pool, generation: 1, resourceSliceCount: 1, ...spec }, devices: [] },
  });
  const unknown = status(400, 'BadRequest', 'field label not supported: spec.pool.name');
  const names = (listed: Awaited<ReturnType<ReturnType<typeof createLiveCluster>['slices']>>) =>
    listed.kind === 'Listed' ? listed.objects.map(({ name }) => name) : listed;
  const selectors = () =>
    paths()
      .slice(1)
      .map((path) => new URLSearchParams(path.split('?')[1]).get('fieldSelector'));

  it('slices are selected by driver and pool', async () => {
    willAnswer(served('resourceslices'), list([slice('a')]));
    expect(names(await createLiveCluster(client).slices(of))).toEqual(['a']);
    expect(selectors()).toEqual(['spec.driver=d.example.com,spec.pool.name=pool-a']);
  });

  const ofNodeAndOfNone = [
    'spec.driver=d.example.com,spec.nodeName=',
    'spec.driver=d.example.com,spec.nodeName=node-1',
  ];

  it('slices of the node and those of no node are read if the API server cannot select by pool, and count if their newest generation is complete', async () => {
    willAnswer(
      served('resourceslices'),
      unknown,
      list([slice('a'), slice('b', 'pool-b')]),
      list([]),
      list([slice('a')]),
      list([]),
    );
    const live = createLiveCluster(client);
    expect(names(await live.slices(of))).toEqual(['a']);
    expect(selectors().slice(1).toSorted()).toEqual(ofNodeAndOfNone);
    // The API server is not asked for the pool again.
    expect(names(await live.slices(of))).toEqual(['a']);
    expect(selectors().slice(3).toSorted()).toEqual(ofNodeAndOfNone);
  });

  it('a newer generation of a pool that belongs to no node is read beside an older one of the node', async () => {
    const newer = slice('new', 'pool-a', { generation: 2 });
    willAnswer(served('resourceslices'), unknown, list([slice('old')]), list([newer, slice('x', 'pool-x')]));
    const found = names(await createLiveCluster(client).slices(of));
    expect([found].flat().toSorted()).toEqual(['new', 'old']);
    expect(selectors()).toHaveLength(3);
  });

  it('a pool is unknown if the slices of no node cannot be read', async () => {
    willAnswer(served('resourceslices'), unknown, list([slice('a')]), status(503, 'ServiceUnavailable', 'later'));
    expect(await createLiveCluster(client).slices(of)).toMatchObject({ kind: 'RetryLater' });
  });

  it('slices are read by driver, in pages, if node and no node have only a part of the pool, and slices of other pools are dropped', async () => {
    const part = { generation: 2, resourceSliceCount: 2 };
    willAnswer(
      served('resourceslices'),
      unknown,
      list([slice('a', 'pool-a', part)]),
      list([]),
      list([slice('a', 'pool-a', part), slice('x', 'pool-x')], { continue: 'next' }),
      list([slice('b', 'pool-a', part), slice('old')]),
    );
    expect(names(await createLiveCluster(client).slices(of))).toEqual(['a', 'b', 'old']);
    expect(selectors().slice(3)).toEqual(['spec.driver=d.example.com', 'spec.driver=d.example.com']);
  });

  it('all slices of the driver are read if those of the node and those of no node have none of the pool, or if the pod has no node', async () => {
    willAnswer(served('resourceslices'), unknown, list([]), list([]), list([slice('a')]));
    expect(names(await createLiveCluster(client).slices(of))).toEqual(['a']);
    willAnswer(served('resourceslices'), unknown, list([slice('a')]));
    expect(names(await createLiveCluster(client).slices({ driver: of.driver, pool: of.pool }))).toEqual(['a']);
    expect(selectors().at(-1)).toBe('spec.driver=d.example.com');
  });

  it('slices are unknown if a page is refused or the list has expired', async () => {
    willAnswer(served('resourceslices'), status(403, 'Forbidden', 'cannot list resource "resourceslices"'));
    expect(await createLiveCluster(client).slices(of)).toMatchObject({ kind: 'Refused' });
    willAnswer(served('resourceslices'), list([slice('a')], { continue: 'x' }), status(410, 'Expired', 'too old'));
    expect(await createLiveCluster(client).slices(of)).toMatchObject({ kind: 'RetryLater' });
  });
});

describe('the incarnation of a cluster', () => {
  it('the incarnation of a cluster is the UID of the namespace kube-system', async () => {
    willAnswer(served('namespaces'), list([{ metadata: meta('kube-system') }]));
    expect(await createLiveCluster(client).incarnation()).toEqual({ kind: 'Found', incarnation: 'uid-kube-system' });
  });

  it('the incarnation of a cluster is unknown if the namespace kube-system cannot be read', async () => {
    willAnswer(served('namespaces'), list([]));
    expect(await createLiveCluster(client).incarnation()).toMatchObject({ kind: 'RetryLater' });
  });

  it.each<[string, unknown, object]>([
    ['a suffix', 'restored-1', { kind: 'Found', incarnation: 'uid-kube-system.restored-1' }],
    ['an empty suffix', '', { kind: 'RetryLater' }],
    ['a suffix that is no incarnation', 'a@b#c', { kind: 'RetryLater' }],
  ])(
    'the incarnation of a cluster takes its suffix from the annotation of a restore, or is unknown: %s',
    async (_, value, expected) => {
      const metadata = { ...meta('kube-system'), annotations: { 'sluice.dev/incarnation': value } };
      willAnswer(served('namespaces'), list([{ metadata }]));
      expect(await createLiveCluster(client).incarnation()).toMatchObject(expected);
    },
  );
});

describe('all PacedTaintRules', () => {
  const rule = { metadata: meta('r'), spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } };
  const servedHere = resourceList('sluice.dev/v1alpha1', 'pacedtaintrules');

  it('all PacedTaintRules are read in pages of 500 of one version', async () => {
    const other = { ...rule, metadata: meta('other') };
    willAnswer(servedHere, list([rule], { continue: 'next' }), list([other]));
    const found = await createLiveCluster(client).pacedRules();
    expect(found).toMatchObject({ kind: 'Listed', objects: [{ uid: 'uid-r' }, { uid: 'uid-other' }] });
    const path = '/apis/sluice.dev/v1alpha1/pacedtaintrules?limit=500';
    expect(paths().slice(1)).toEqual([path, `${path}&continue=next`]);
  });

  it('PacedTaintRules are unknown beyond twenty pages, which are all that is read', async () => {
    willAnswer(servedHere, list([rule], { continue: 'next' }));
    const found = await createLiveCluster(client).pacedRules();
    expect(found).toMatchObject({ kind: 'RetryLater', why: expect.stringContaining('more than 10000') });
    expect(server.asked).toHaveLength(21);
  });

  it('PacedTaintRules are unknown if two of their pages are of different versions', async () => {
    const later: Answer = { status: 200, body: { kind: 'List', metadata: { resourceVersion: '78' }, items: [] } };
    willAnswer(servedHere, list([rule], { continue: 'next' }), later);
    expect(await createLiveCluster(client).pacedRules()).toMatchObject({ kind: 'RetryLater' });
  });
});

describe('EvictionStops', () => {
  it('an EvictionStop has the author and the creation time that the API server recorded', async () => {
    const managedFields = [
      { manager: 'kubectl-create', operation: 'Update', fieldsV1: { 'f:spec': { 'f:reason': {} } } },
    ];
    const metadata = { ...meta('incident'), creationTimestamp: '2026-01-02T03:04:05Z', managedFields };
    willAnswer(served('evictionstops'), list([{ metadata, spec: { reason: 'disks fail' } }]));
    expect(await createLiveCluster(client).stops()).toEqual({
      kind: 'Listed',
      stops: [
        {
          name: 'incident',
          uid: 'uid-incident',
          reason: 'disks fail',
          by: 'kubectl-create',
          since: Date.parse('2026-01-02T03:04:05Z'),
        },
      ],
    });
  });

  const stop = { metadata: meta('incident'), spec: { reason: 'disks fail' } };
  const cut = '{"kind":"APIResourceList","groupVersion":"sluice.dev/v1alpha1","resources":[{"na';
  const signIn = '<html>sign in</html>';

  it.each<[string, Answer]>([
    ['is cut short', { status: 200, body: cut }],
    ['is the page of a proxy', { status: 200, body: signIn }],
    ['is empty', { status: 200, body: '' }],
    ['is of another kind', { status: 200, body: { kind: 'Status', status: 'Failure', code: 500 } }],
    ['is about another group', resourceList('apps/v1', 'evictionstops')],
    ['is a 404 of a proxy', { status: 404, body: signIn }],
    ['is a 404 without a body', { status: 404, body: '' }],
  ])('EvictionStops are unknown if the discovery answer %s', async (_, answer) => {
    willAnswer(answer, list([stop]));
    expect(await createLiveCluster(client).stops()).toMatchObject({ kind: 'RetryLater' });
  });

  it('EvictionStops are unknown if a proxy answers the list with a 404 of its own', async () => {
    willAnswer(served('evictionstops'), { status: 404, body: signIn });
    expect(await createLiveCluster(client).stops()).toMatchObject({ kind: 'RetryLater' });
  });

  it.each<[string, Answer]>([
    ['has no such path', { status: 404, body: '404 page not found\n' }],
    ['knows no such resource', status(404, 'NotFound', 'the server could not find the requested resource')],
  ])('EvictionStops are not installed if the API server %s', async (_, answer) => {
    willAnswer(answer);
    expect(await createLiveCluster(client).stops()).toMatchObject({ kind: 'NotServed' });
  });
});
