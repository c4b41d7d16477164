// What the simulated cluster offers beyond the API: addresses, faults, observers, access rules, expiry, custom resources.
import { X509Certificate } from 'node:crypto';
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';
import { afterEach, describe, expect, it } from 'vitest';
import { pod } from '../../lib/local/cluster/builders.ts';
import { type ApiClient, createApiClient } from '../../lib/local/cluster/client.ts';
import { type Cluster, type ClusterOptions, startCluster } from '../../lib/local/cluster/cluster.ts';
import type { ResourceType } from '../../lib/local/cluster/resources.ts';

const pods = '/api/v1/namespaces/default/pods';
const open: { cluster: Cluster; client: ApiClient }[] = [];

async function start(options: ClusterOptions = {}) {
  const cluster = await startCluster(options);
  const client = createApiClient(cluster);
  open.push({ cluster, client });
  return { cluster, client };
}

afterEach(async () => {
  for (const { cluster, client } of open.splice(0)) {
    client.close();
    await cluster.close();
  }
});

const seedPod = (cluster: Cluster, name: string) => cluster.seed(pod({ name, namespace: 'default', node: 'node-a' }));

describe('the certificate', () => {
  it('the certificate of the simulated cluster names every loopback address, and is its own CA', async () => {
    const { cluster, client } = await start();
    const certificate = new X509Certificate(cluster.ca);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('127.0.0.2')).toBe('127.0.0.2');
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect((await client.call('GET', '/readyz')).status).toBe(200);
  });

  it('a client that does not have the CA does not trust the simulated cluster', async () => {
    const { cluster } = await start();
    await expect(fetch(`${cluster.url}/readyz`)).rejects.toThrow();
  });
});

describe('the address', () => {
  it('the simulated cluster listens on 127.0.0.1 if the requested address cannot be bound', async () => {
    const { cluster, client } = await start({ host: '203.0.113.7' });
    expect(new URL(cluster.url).hostname).toBe('127.0.0.1');
    expect((await client.call('GET', '/readyz')).status).toBe(200);
  });
});

describe('the kubeconfig', () => {
  it('the kubeconfig is enough for the official client to list and to watch', async () => {
    const { cluster } = await start();
    seedPod(cluster, 'one');
    const config = new KubeConfig();
    config.loadFromString(cluster.kubeconfigYaml);
    const list = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace: 'default' });
    expect(list.items.map((item) => item.metadata?.name)).toEqual(['one']);
    const resourceVersion = list.metadata?.resourceVersion ?? '';
    const seen = new Promise((resolve, reject) => {
      const done = (error: unknown) => reject(error ?? new Error('the watch ended'));
      new Watch(config)
        .watch(pods, { resourceVersion }, (type, object) => resolve([type, object.metadata.name]), done)
        .then(() => seedPod(cluster, 'two'), reject);
    });
    expect(await seen).toEqual(['ADDED', 'two']);
  });
});

describe('a fault', () => {
  it.each([401, 403, 404, 409, 410, 422, 429, 500, 503, 504] as const)(
    'a fault refuses with %i as often as asked, then no more',
    async (status) => {
      const { cluster, client } = await start();
      cluster.faults.add({ when: ({ request }) => request.verb === 'list', times: 2, status });
      const statuses = [];
      for (let i = 0; i < 3; i += 1) statuses.push((await client.call('GET', pods)).status);
      expect(statuses).toEqual([status, status, 200]);
      expect((await client.call('GET', '/readyz')).status).toBe(200);
    },
  );

  it('a fault with 429 says how long to wait, in header and body', async () => {
    const { cluster, client } = await start();
    cluster.faults.add({ status: 429, retryAfterSeconds: 7 });
    const answer = await client.call('GET', pods);
    expect(answer.headers['retry-after']).toBe('7');
    expect(answer.body).toMatchObject({ reason: 'TooManyRequests', code: 429, details: { retryAfterSeconds: 7 } });
  });

  it('a fault that drops the answer loses only the answer, and one that drops the request loses the deletion too', async () => {
    const { cluster, client } = await start();
    for (const name of ['answer', 'request']) seedPod(cluster, name);
    const body = { gracePeriodSeconds: 0 };
    const isDelete = (name: string) => (subject: { request: { name: string; verb: string } }) =>
      subject.request.name === name && subject.request.verb === 'delete';
    cluster.faults.add({ when: isDelete('answer'), drop: 'after' });
    cluster.faults.add({ when: isDelete('request'), drop: 'before' });
    await expect(client.call('DELETE', `${pods}/answer`, { body })).rejects.toThrow();
    await expect(client.call('DELETE', `${pods}/request`, { body })).rejects.toThrow();
    const left = [
      (await client.call('GET', `${pods}/answer`)).status,
      (await client.call('GET', `${pods}/request`)).status,
    ];
    expect(left).toEqual([404, 200]);
    expect(cluster.calls.filter((call) => call.verb === 'delete').map((call) => call.status)).toEqual([0, 0]);
  });

  it('a fault can hold a request back until it is released', async () => {
    const { cluster, client } = await start();
    const order: string[] = [];
    let letGo: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    cluster.faults.add({ when: ({ request }) => request.name === 'held', until });
    const held = client.call('GET', `${pods}/held`).then(() => order.push('held'));
    await client.call('GET', `${pods}/other`).then(() => order.push('other'));
    letGo();
    await held;
    expect(order).toEqual(['other', 'held']);
  });

  it('a fault ends when it is removed', async () => {
    const { cluster, client } = await start();
    const takeAway = cluster.faults.add({ status: 500 });
    expect((await client.call('GET', pods)).status).toBe(500);
    takeAway();
    expect((await client.call('GET', pods)).status).toBe(200);
  });
});

describe('observers', () => {
  it('observers see verb, object, UID precondition, status and times of every request, even of refused ones', async () => {
    const { cluster, client } = await start();
    const { uid } = seedPod(cluster, 'one').metadata;
    const seen: unknown[] = [];
    const stop = cluster.observe((call) => seen.push(call));
    await client.call('DELETE', `${pods}/one`, { body: { preconditions: { uid: 'other' } } });
    await client.call('DELETE', `${pods}/one`, { body: { preconditions: { uid } } });
    stop();
    await client.call('GET', `${pods}/one`);
    const common = {
      verb: 'delete',
      resource: 'pods',
      namespace: 'default',
      name: 'one',
      user: 'admin',
      userAgent: 'sluice-local',
    };
    expect(seen).toEqual([
      expect.objectContaining({ ...common, status: 409, uidPrecondition: 'other' }),
      expect.objectContaining({ ...common, status: 200, uidPrecondition: uid, uid }),
    ]);
    expect(cluster.calls).toHaveLength(3);
    for (const call of cluster.calls) {
      expect(call.answeredAt).toBeGreaterThanOrEqual(call.receivedAt);
      expect(call.answeredEpoch).toBeGreaterThanOrEqual(call.receivedEpoch);
    }
  });

  it('observers see an open watch, and the name of a created object', async () => {
    const { cluster, client } = await start();
    const stream = client.watch(`${pods}?watch=1`);
    const first = stream.next();
    await client.call('POST', pods, { body: pod({ name: 'made', namespace: 'default' }) });
    await first;
    await stream.return();
    expect(cluster.calls.map(({ verb, name, status }) => ({ verb, name, status }))).toEqual(
      expect.arrayContaining([
        { verb: 'watch', name: '', status: 200 },
        { verb: 'create', name: 'made', status: 201 },
      ]),
    );
  });
});

describe('access rules', () => {
  it('access rules give each token its user, and each user what the rule allows', async () => {
    const { cluster } = await start({
      users: new Map([['reader-token', { name: 'reader', groups: [] }]]),
      authorize: (user, request) => user.name === 'admin' || ['get', 'list', 'watch'].includes(request.verb),
    });
    seedPod(cluster, 'one');
    const reader = createApiClient({ ...cluster, token: 'reader-token' });
    const reading = await reader.call('GET', `${pods}/one`);
    const patching = await reader.call('PATCH', `${pods}/one/status`, {
      body: {},
      contentType: 'application/merge-patch+json',
    });
    reader.close();
    expect([reading.status, patching.status]).toEqual([200, 403]);
    expect(patching.body.message).toBe(
      'pods "one" is forbidden: User "reader" cannot patch resource "pods/status" in API group "" in the namespace "default"',
    );
  });
});

describe('history', () => {
  it('the history is bounded: a watch from before it ends with 410', async () => {
    const { cluster, client } = await start({ historyLimit: 4 });
    for (let i = 0; i < 10; i += 1) seedPod(cluster, `pod-${i}`);
    const events = [];
    for await (const event of client.watch(`${pods}?watch=1&resourceVersion=2&timeoutSeconds=5`)) events.push(event);
    expect(events).toEqual([{ type: 'ERROR', object: expect.objectContaining({ code: 410, reason: 'Expired' }) }]);
  });

  it('compacting the history leaves open watches running', async () => {
    const { cluster, client } = await start();
    const stream = client.watch(`${pods}?watch=1&timeoutSeconds=20`);
    const first = stream.next();
    seedPod(cluster, 'one');
    await first;
    cluster.compact();
    const second = stream.next();
    seedPod(cluster, 'two');
    expect((await second).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'two' } } });
    await stream.return();
  });
});

describe('open watches', () => {
  it('an open watch that is expired receives one ERROR event with 410, then ends', async () => {
    const { cluster, client } = await start();
    seedPod(cluster, 'one');
    const stream = client.watch(`${pods}?watch=1`);
    await stream.next();
    cluster.breakWatches('expired');
    expect((await stream.next()).value).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expect((await stream.next()).done).toBe(true);
  });

  it('an open watch that is cut off ends', async () => {
    const { cluster, client } = await start();
    seedPod(cluster, 'one');
    const stream = client.watch(`${pods}?watch=1`);
    await stream.next();
    cluster.breakWatches('closed');
    const next = await stream.next().catch(() => ({ done: true }));
    expect(next.done).toBe(true);
  });
});

describe('a custom resource', () => {
  const gadgets: ResourceType = {
    group: 'example.com',
    versions: ['v1alpha1'],
    plural: 'gadgets',
    singular: 'gadget',
    kind: 'Gadget',
    namespaced: false,
    subresources: ['status'],
    hasGeneration: true,
  };

  it('a custom resource is served and discovered after one more row in the table of resources', async () => {
    const { client } = await start({ resources: [gadgets] });
    const path = '/apis/example.com/v1alpha1';
    const body = { apiVersion: 'example.com/v1alpha1', kind: 'Gadget', metadata: { name: 'one' }, spec: { size: 1 } };
    expect((await client.call('POST', `${path}/gadgets`, { body })).body).toMatchObject({
      metadata: { generation: 1 },
    });
    const condition = {
      type: 'T',
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const apply = { ...body, spec: undefined, status: { conditions: [condition] } };
    const applied = await client.call('PATCH', `${path}/gadgets/one/status?fieldManager=sluice&force=true`, {
      body: apply,
      contentType: 'application/apply-patch+yaml',
    });
    expect(applied.body).toMatchObject({ spec: { size: 1 }, status: { conditions: [condition] } });
    const discovered = await client.call('GET', path);
    expect(discovered.body).toMatchObject({
      groupVersion: 'example.com/v1alpha1',
      resources: [{ name: 'gadgets' }, { name: 'gadgets/status' }],
    });
  });
});
