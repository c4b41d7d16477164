// The watcher over a simulated cluster that refuses requests, closes watches, compacts and recovers: no change is lost.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { deviceTaintRule, pod } from '../../lib/local/cluster/builders.ts';
import { type Cluster, startCluster } from '../../lib/local/cluster/cluster.ts';
import type { Fault } from '../../lib/local/cluster/faults.ts';
import { tokenOf } from '../support/clusterUnderTest.ts';
import { eventually, type Followed, follow } from './follow.ts';

let cluster: Cluster;
let followed: Followed | undefined;
beforeEach(async () => {
  cluster = await startCluster({ claimController: false });
});
afterEach(async () => {
  await followed?.stop();
  followed = undefined;
  await cluster.close();
});

function clientOf(token = cluster.token): ApiClient {
  return createApiClient({ endpoint: cluster.url, certificateAuthority: cluster.ca }, tokenOf(token));
}

function start(client = clientOf(), bound?: { changes: number; bytes: number }): Followed {
  followed = follow(client, bound ? { bound } : {});
  return followed;
}

const addPod = (name: string) => cluster.seed(pod({ name, namespace: 'default', node: 'n', claim: `claim-${name}` }));
const addRule = (name: string) =>
  cluster.seed(deviceTaintRule({ name, taint: { key: 'example.com/bad', effect: 'NoExecute' } }));
const removePod = (name: string) => {
  const object = cluster.store.get(cluster.resource('pods'), `default/${name}`);
  if (object) cluster.store.remove(cluster.resource('pods'), object);
};
const onPods = (verb: string): Required<Pick<Fault, 'when'>> => ({
  when: ({ request }) => request.resource.plural === 'pods' && request.verb === verb,
});
const podState = (of: Followed) => of.watcher.kinds.find((kind) => kind.kind === 'Pod');
const ready = (of: Followed) => eventually(() => expect(of.watcher.isReady()).toBe(true));

describe('following EvictionStops', () => {
  const stopsOf = (of: Followed) =>
    of
      .changes()
      .flatMap((one) => (one.type === 'Heartbeat' ? [one.stops?.map(({ name, reason }) => `${name}: ${reason}`)] : []));
  const addStop = () =>
    cluster.seed({
      apiVersion: 'sluice.dev/v1alpha1',
      kind: 'EvictionStop',
      metadata: { name: 'incident' },
      spec: { reason: 'disks fail' },
    });

  it('the watcher sends a heartbeat as soon as an EvictionStop is created or deleted', async () => {
    const of = start();
    await eventually(() => expect(stopsOf(of).at(-1)).toEqual([]));
    addStop();
    await eventually(() => expect(stopsOf(of).at(-1)).toEqual(['incident: disks fail']));
    const resource = cluster.resource('evictionstops');
    const stop = cluster.store.get(resource, 'incident');
    if (stop) cluster.store.remove(resource, stop);
    await eventually(() => expect(stopsOf(of).at(-1)).toEqual([]));
  });

  it('a watcher that knows an EvictionStop does not tell of its end because the kind is not served for once', async () => {
    addStop();
    const of = start();
    await eventually(() => expect(stopsOf(of).at(-1)).toEqual(['incident: disks fail']));
    cluster.faults.add({ when: ({ request }) => request.resource.plural === 'evictionstops', status: 404 });
    cluster.breakWatches('expired');
    await eventually(() => expect(stopsOf(of).at(-1)).toBeUndefined());
    expect(stopsOf(of)).not.toContainEqual([]);
  });

  it('a watcher that may not list EvictionStops sends heartbeats without them', async () => {
    cluster.faults.add({
      when: ({ request }) => request.resource.plural === 'evictionstops',
      status: 403,
    });
    const of = start();
    await eventually(() => expect(of.heartbeats()).toBeGreaterThan(0));
    expect(stopsOf(of)).toEqual([undefined]);
    expect(of.logged.join('\n')).toMatch(/EvictionStop: GET list of EvictionStops: 403/);
  });
});

describe('following a cluster', () => {
  it('the watcher sends a change as soon as it sees it', async () => {
    const of = start();
    await eventually(() => expect(of.heartbeats()).toBe(1));
    addPod('a');
    await eventually(() => expect(of.names('Upserted')).toEqual(['a']));
    removePod('a');
    await eventually(() => expect(of.names('Deleted')).toEqual(['a']));
  });

  it('the watcher packs the objects of a first list into few messages', async () => {
    for (let i = 0; i < 1000; i++) addPod(`p${i}`);
    const of = start();
    await eventually(() => expect(of.names('Upserted')).toHaveLength(1000));
    const withPods = of.queue.bodies.filter((body) => body.includes('"kind":"Pod"'));
    expect(withPods.length).toBeLessThanOrEqual(10);
  });

  it('the watcher sends changes that arrive together in batches', async () => {
    const of = start();
    await ready(of);
    for (let i = 0; i < 100; i++) addPod(`p${i}`);
    await eventually(() => expect(of.names('Upserted')).toHaveLength(100));
    expect(Math.max(...of.queue.requests)).toBeGreaterThan(1);
  });

  it('the watcher lists page by page, and then sends manifests of all objects', async () => {
    for (let i = 0; i < 1203; i++) addPod(`p${i}`);
    const of = start();
    await ready(of);
    const said = () => new Set(of.manifests('Pod').flatMap(({ entries }) => entries.map(({ key }) => key)));
    await eventually(() => expect(said().size).toBe(1203));
    expect(new Set(of.names('Upserted')).size).toBe(1203);
    const pages = cluster.calls.filter((call) => call.resource === 'pods' && call.verb === 'list');
    expect(pages).toHaveLength(5);
  });

  it('heartbeats contain the watched kinds and the clock offset', async () => {
    const of = start();
    await eventually(() => expect(of.heartbeats()).toBeGreaterThan(2));
    const heartbeat = of.changes().findLast((change) => change.type === 'Heartbeat');
    expect(heartbeat).toMatchObject({
      watched: {
        Pod: 'v1',
        ResourceClaim: 'v1',
        ResourceSlice: 'v1',
        DeviceTaintRule: 'v1',
        DeviceClass: 'v1',
        Namespace: 'v1',
        PacedTaintRule: 'v1alpha1',
        DeviceTaintSlice: 'v1alpha1',
        EvictionPolicy: 'v1alpha1',
      },
    });
    expect(Math.abs((heartbeat?.type === 'Heartbeat' && heartbeat.clockOffset) || 0)).toBeLessThan(1000);
  });
});

describe('a restored etcd', () => {
  /** While `version` is set, the next `answers` lists of pods have that version, as from a restored etcd. */
  function restorable(client = clientOf()) {
    const etcd = {
      version: undefined as string | undefined,
      answers: Number.POSITIVE_INFINITY,
      isSilent: false,
      unanswered: 0,
    };
    const send: ApiClient['send'] = async (request) => {
      const answer = await client.send(request);
      if (etcd.version === undefined || answer.kind !== 'Answer' || !request.path.startsWith('/api/v1/pods?'))
        return answer;
      if (etcd.answers === 0 && etcd.isSilent) {
        etcd.unanswered++;
        return { kind: 'Failed', why: 'no answer within 5 s' };
      }
      if (etcd.answers === 0) return answer;
      etcd.answers--;
      return { ...answer, body: { ...answer.body, metadata: { resourceVersion: etcd.version } } };
    };
    return { etcd, client: { ...client, send } };
  }
  const wentBack = (of: Followed) => {
    const last = of.changes().findLast((change) => change.type === 'Heartbeat');
    return last?.type === 'Heartbeat' ? (last.wentBack ?? []) : [];
  };

  it.each(['closed', 'expired'] as const)(
    'heartbeats report a restored etcd once a watch has ended (%s) and lists are older than what was watched',
    async (how) => {
      const { etcd, client } = restorable();
      addPod('before');
      const of = start(client);
      await ready(of);
      await eventually(() => expect(of.heartbeats()).toBeGreaterThan(0));
      expect(wentBack(of)).toEqual([]);
      etcd.version = '1';
      cluster.breakWatches(how);
      await eventually(() => expect(wentBack(of)).toEqual(['Pod']));
      expect(podState(of)?.lists).toBeGreaterThan(1);
      expect(of.logged).toContainEqual(expect.stringContaining('resourceVersions went back'));
    },
  );

  it('heartbeats report no restored etcd when only one list is older, as from an API server under load', async () => {
    const { etcd, client } = restorable();
    addPod('before');
    const of = start(client);
    await ready(of);
    [etcd.version, etcd.answers] = ['1', 1];
    cluster.breakWatches('closed');
    addPod('meanwhile');
    await eventually(() => expect(of.names('Upserted')).toContain('meanwhile'));
    expect(etcd.answers).toBe(0);
    expect(wentBack(of)).toEqual([]);
    expect(podState(of)?.lists).toBe(1);
    expect(of.logged).not.toContainEqual(expect.stringContaining('resourceVersions went back'));
  });

  it('heartbeats report no restored etcd when a watch continues with events older than a list read in the meantime', async () => {
    addPod('before');
    const of = start(restorable().client);
    await ready(of);
    cluster.breakWatches('closed');
    for (const name of ['first', 'second']) addPod(name);
    await eventually(() => expect(of.names('Upserted')).toContain('second'));
    expect(of.names('Upserted')).toContain('first');
    expect(wentBack(of)).toEqual([]);
    expect(of.logged).not.toContainEqual(expect.stringContaining('resourceVersions went back'));
  });

  it('heartbeats report no restored etcd when the lists that would confirm it fail', async () => {
    const { etcd, client } = restorable();
    addPod('before');
    const of = start(client);
    await ready(of);
    [etcd.version, etcd.answers, etcd.isSilent] = ['1', 1, true];
    cluster.breakWatches('closed');
    await eventually(() => expect(etcd.unanswered).toBeGreaterThan(2));
    expect(wentBack(of)).toEqual([]);
    expect(of.logged).not.toContainEqual(expect.stringContaining('resourceVersions went back'));
    etcd.isSilent = false;
    addPod('later');
    await eventually(() => expect(of.names('Upserted')).toContain('later'));
  });

  it('heartbeats no longer report a restored etcd once its versions have passed what was watched', async () => {
    const { etcd, client } = restorable();
    addPod('before');
    const of = start(client);
    await ready(of);
    etcd.version = '1';
    cluster.breakWatches('closed');
    await eventually(() => expect(wentBack(of)).toEqual(['Pod']));
    etcd.version = undefined;
    addPod('later');
    cluster.breakWatches('expired');
    await eventually(() => expect(wentBack(of)).toEqual([]));
  });
});

describe('a watch that ends', () => {
  it('a closed watch is resumed from its last version, without a list, a loss or a duplicate', async () => {
    const of = start();
    addPod('before');
    await ready(of);
    await eventually(() => expect(of.names('Upserted')).toEqual(['before']));
    cluster.breakWatches('closed');
    addPod('meanwhile');
    addRule('rule');
    await eventually(() => expect([...of.names('Upserted')].sort()).toEqual(['before', 'meanwhile', 'rule']));
    addPod('after');
    await eventually(() => expect([...of.names('Upserted')].sort()).toEqual(['after', 'before', 'meanwhile', 'rule']));
    expect(of.watcher.kinds.map((kind) => kind.lists)).toEqual(of.watcher.kinds.map(() => 1));
  });

  it.each(['an ERROR event', 'the status'])(
    'a watch whose version has expired, reported by %s, is followed by a list',
    async (how) => {
      const of = start();
      addPod('stays');
      addPod('goes');
      await ready(of);
      await eventually(() => expect(of.names('Upserted')).toHaveLength(2));
      if (how === 'the status') cluster.faults.add({ ...onPods('watch'), status: 410, times: 1 });
      cluster.faults.add({ ...onPods('list'), latency: 50, times: 1 });
      cluster.breakWatches(how === 'the status' ? 'closed' : 'expired');
      removePod('goes');
      const absent = () => of.changes().filter((change) => change.type === 'Absent');
      await eventually(() => expect(absent()).toMatchObject([{ kind: 'Pod', key: 'default/goes' }]));
      await ready(of);
      await eventually(() =>
        expect(
          of
            .manifests('Pod')
            .at(-1)
            ?.entries.map(({ key }) => key),
        ).toEqual(['default/stays']),
      );
      expect(of.names('Upserted').toSorted()).toEqual(['goes', 'stays']);
    },
  );

  it('a watch that ends while the API server compacts its events is followed by a list', async () => {
    const of = start();
    await ready(of);
    cluster.faults.add({ ...onPods('watch'), status: 503, times: 1 });
    cluster.breakWatches('closed');
    addPod('unseen');
    cluster.compact();
    await eventually(() => expect(of.names('Upserted')).toEqual(['unseen']));
    await eventually(() => expect(podState(of)?.lists).toBe(2));
  });
});

describe('a failed list', () => {
  it.each([410, 500, 429] as const)(
    'a list that fails half way with %i is restarted, with complete manifests and no duplicates',
    async (status) => {
      for (let i = 0; i < 700; i++) addPod(`p${i}`);
      const secondPage: Fault['when'] = ({ request }) =>
        request.resource.plural === 'pods' && request.query.has('continue');
      cluster.faults.add({ when: secondPage, status, times: 1 });
      const of = start();
      await ready(of);
      await eventually(() => expect(of.manifests('Pod').at(0)?.to).toBeDefined());
      const whole = () => new Set(of.manifests('Pod').flatMap(({ entries }) => entries.map(({ key }) => key)));
      await eventually(() => expect(whole().size).toBe(700));
      expect(of.names('Upserted')).toHaveLength(700);
    },
  );
});

describe('an API server that refuses', () => {
  it.each([
    [401, /credentials are refused/],
    [403, /forbidden.*grant the missing right/],
    [500, /not well/],
  ] as const)(
    'a list refused with %i is logged once, keeps the watcher from being ready, and is retried',
    async (status, says) => {
      const restore = cluster.faults.add({ ...onPods('list'), status });
      const of = start();
      await eventually(() =>
        expect(podState(of)).toMatchObject({ phase: 'Waiting', problem: expect.stringMatching(says) }),
      );
      await eventually(() => expect(of.watcher.kinds.filter((kind) => kind.phase === 'Watching')).toHaveLength(8));
      expect(podState(of)?.problem).toContain('list of /api/v1/pods');
      expect(of.watcher.isReady()).toBe(false);
      expect(of.heartbeats()).toBe(0);
      expect(of.logged.filter((message) => says.test(message))).toHaveLength(1);
      restore();
      await eventually(() => expect(of.heartbeats()).toBeGreaterThan(0));
      expect(of.watcher.isReady()).toBe(true);
    },
  );

  it('the watcher is not ready while the API server refuses to watch, and needs no second list afterwards', async () => {
    addPod('a');
    const restore = cluster.faults.add({ ...onPods('watch'), status: 403 });
    const of = start();
    await eventually(() => expect(podState(of)?.problem).toContain('watch of /api/v1/pods'));
    expect(of.watcher.isReady()).toBe(false);
    restore();
    await ready(of);
    expect(podState(of)?.lists).toBe(1);
  });

  it('the watcher waits for an API server that refuses connections, and sends nothing', async () => {
    const nowhere = createApiClient({ endpoint: 'https://127.0.0.1:1' }, tokenOf('t'));
    const of = start(nowhere);
    await eventually(() => expect(of.watcher.kinds.every((kind) => kind.phase === 'Waiting')).toBe(true));
    expect(of.logged.join('\n')).toMatch(/ECONNREFUSED.*nothing listens there/);
    expect(of.changes()).toEqual([]);
  });

  it('heartbeats stop while the API server is unreachable, even if no watch has noticed', async () => {
    let isAway = false;
    const inner = clientOf();
    const of = start({
      ...inner,
      send: async (request) => (isAway ? { kind: 'Failed', why: 'the API server is away' } : inner.send(request)),
    });
    await eventually(() => expect(of.heartbeats()).toBeGreaterThan(1));
    isAway = true;
    await eventually(() => expect(of.logged).toContain('no heartbeat: the API server is away'));
    const before = of.heartbeats();
    isAway = false;
    await eventually(() => expect(of.heartbeats()).toBeGreaterThan(before));
  });
});

describe('an API that is only discovered', () => {
  it('heartbeats contain an API that is only discovered, when it is served', async () => {
    const inner = clientOf();
    const of = start({
      ...inner,
      async send(request) {
        if (request.path === '/apis/scheduling.k8s.io/v1beta1')
          return {
            kind: 'Answer',
            status: 200,
            date: undefined,
            retryAfter: undefined,
            body: {
              kind: 'APIResourceList',
              groupVersion: 'scheduling.k8s.io/v1beta1',
              resources: [{ name: 'podgroups' }],
            },
          } as never;
        return inner.send(request);
      },
    });
    await eventually(() => expect(of.heartbeats()).toBeGreaterThan(0));
    const heartbeat = of.changes().find((change) => change.type === 'Heartbeat');
    expect(heartbeat?.type === 'Heartbeat' && heartbeat.watched.PodGroup).toBe('v1beta1');
  });
});

describe('an API that is not served', () => {
  it.each(['list', 'watch'])('an API that is not served for one %s loses no object and no change', async (verb) => {
    addPod('before');
    const of = start();
    await ready(of);
    await eventually(() => expect(of.names('Upserted')).toEqual(['before']));
    cluster.faults.add({ ...onPods(verb), status: 404, times: 1 });
    cluster.breakWatches(verb === 'list' ? 'expired' : 'closed');
    addPod('after');
    await eventually(() => expect(of.names('Upserted')).toEqual(['before', 'after']));
    await ready(of);
    const ends = of.changes().filter(({ type }) => type === 'Deleted' || type === 'Absent');
    expect(ends).toEqual([]);
    await eventually(() =>
      expect(
        of
          .manifests('Pod')
          .at(-1)
          ?.entries.map(({ key }) => key)
          .toSorted(),
      ).toEqual(['default/after', 'default/before']),
    );
  });

  it('an API that is not served is logged once, and the other kinds are followed', async () => {
    const inner = clientOf();
    const rules = 'devicetaintrules';
    const of = start({
      ...inner,
      async send(request) {
        const answer = await inner.send(request);
        if (answer.kind !== 'Answer' || !Array.isArray(answer.body.resources)) return answer;
        const resources = answer.body.resources.filter((one: { name: string }) => !one.name.startsWith(rules));
        return { ...answer, body: { ...answer.body, resources } };
      },
    });
    await eventually(() => expect(of.heartbeats()).toBeGreaterThan(0));
    expect(of.watcher.kinds.find((kind) => kind.kind === 'DeviceTaintRule')).toMatchObject({
      phase: 'NotServed',
      version: undefined,
    });
    const heartbeat = of.changes().find((change) => change.type === 'Heartbeat');
    expect(heartbeat?.type === 'Heartbeat' && Object.keys(heartbeat.watched).sort()).toEqual([
      'DeviceClass',
      'DeviceTaintSlice',
      'EvictionPolicy',
      'Namespace',
      'PacedTaintRule',
      'Pod',
      'ResourceClaim',
      'ResourceSlice',
    ]);
    expect(of.logged.filter((message) => message.includes(`${rules} are not served`))).toHaveLength(1);
  });
});

describe('unreadable objects', () => {
  it('an unreadable object is logged and sent as a placeholder that evicts no pod; the others are followed', async () => {
    const broken = deviceTaintRule({ name: 'broken', taint: { key: 'k', effect: 'NoExecute' } });
    cluster.seed({
      ...broken,
      spec: { taint: { key: 'k', effect: 'NoExecute' }, deviceSelector: { deviceClassName: 'gpu' } },
    });
    const of = start();
    addRule('fine');
    await eventually(() => expect([...of.names('Upserted')].sort()).toEqual(['broken', 'fine']));
    const sent = of.changes().find((change) => change.type === 'Upserted' && change.object.name === 'broken');
    expect(sent).toMatchObject({ object: { taint: { effect: 'None' } } });
    expect(of.logged.join('\n')).toMatch(/DeviceTaintRule broken cannot be read: .*deviceClassName/);
    expect(of.watcher.kinds.find((kind) => kind.kind === 'DeviceTaintRule')?.unreadable).toBe(1);
  });
});

describe('a queue that refuses changes', () => {
  it('a queue that recovers receives every change once; until then the watcher is not ready', async () => {
    const of = start();
    await eventually(() => expect(of.heartbeats()).toBeGreaterThan(0));
    of.queue.failure = new Error('no such queue');
    for (let i = 0; i < 30; i++) addPod(`p${i}`);
    await eventually(() =>
      expect(of.outbox.state.problem).toMatch(/cannot be reached .*no such queue.*sqs:SendMessage/),
    );
    expect(of.watcher.isReady()).toBe(false);
    const before = of.heartbeats();
    of.queue.failure = undefined;
    await eventually(() => expect(new Set(of.names('Upserted')).size).toBe(30));
    expect(of.names('Upserted')).toHaveLength(30);
    await eventually(() => expect(of.heartbeats()).toBeGreaterThan(before + 1));
    await ready(of);
  });

  it('the watcher stops reading while its outbox is full, and loses no change', async () => {
    for (let i = 0; i < 2000; i++) addPod(`old${i}`);
    const of = start(clientOf(), { changes: 50, bytes: 1_000_000 });
    of.queue.failure = new Error('closed');
    await eventually(() => expect(of.outbox.state.waiting).toBeGreaterThanOrEqual(50));
    for (let i = 0; i < 500; i++) addPod(`new${i}`);
    expect(of.outbox.state.waiting).toBeLessThan(50 + 500 + 10);
    of.queue.failure = undefined;
    await eventually(() => expect(new Set(of.names('Upserted')).size).toBe(2500));
    await ready(of);
  });

  it.each([1000, 3000])(
    'the outbox holds at most a page of the objects that a list no longer shows, of %i',
    async (count) => {
      for (let i = 0; i < count; i++) addPod(`p${i}`);
      const of = start(clientOf(), { changes: 50, bytes: 10_000_000 });
      await ready(of);
      await eventually(() => expect(of.names('Upserted')).toHaveLength(count));
      cluster.faults.add({ ...onPods('watch'), status: 503, times: 1 });
      cluster.breakWatches('closed');
      for (let i = 0; i < count; i++) removePod(`p${i}`);
      let most = 0;
      const { send } = of.queue.client;
      of.queue.client.send = async (command: never) => {
        most = Math.max(most, of.outbox.state.waiting);
        return send(command);
      };
      cluster.compact();
      const absent = () => of.changes().filter((change) => change.type === 'Absent' && change.kind === 'Pod');
      await eventually(() => expect(absent()).toHaveLength(count));
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(50 + 250 + 50);
      await ready(of);
    },
  );
});
