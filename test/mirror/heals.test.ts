// After each of these histories the mirror equals the cluster, without manual intervention.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { ObjectKind, ObjectProjection } from '../../lib/model/projection.ts';
import { aClaim, aPod, aSlice, aTaintSlice } from '../support/objects.ts';
import { type Cluster, createCluster, createHistory, mixed, start, Watcher } from './history.ts';
import { anObjectOfEachKind, changed, eachKind } from './kinds.ts';

const taint = { key: 'example.com/xid', value: '79', effect: 'NoExecute', timeAdded: start - 1000 };

async function aWatchedCluster(objects: readonly ObjectProjection[] = anObjectOfEachKind()) {
  const cluster = createCluster();
  for (const object of objects) cluster.put(object);
  const history = createHistory(cluster);
  const watcher = new Watcher(cluster);
  const first = watcher.list();
  await history.deliver(first);
  return { cluster, history, watcher, first };
}

const liveOf = (cluster: Cluster, { kind, name }: ObjectProjection) => {
  const found = [...cluster.objects.values()].find((one) => one.kind === kind && one.name === name);
  if (!found) throw new Error(`${kind} ${name} is not there`);
  return found;
};

describe('duplicates and redrives', () => {
  it.each([1, 2, 3])(
    'duplicates of a first list change nothing after a second watcher has listed (order %i)',
    async (seed) => {
      const { cluster, history, first } = await aWatchedCluster();
      const second = new Watcher(cluster);
      await history.deliver([...second.list(), ...second.round()]);
      expect(history.differences()).toEqual([]);
      await history.deliver(mixed([...first, ...first], seed));
      expect(history.differences()).toEqual([]);
    },
  );

  it('a dead-letter queue redriven out of order a week later restores and removes no object', async () => {
    const { cluster, history, watcher, first } = await aWatchedCluster();
    const old = [...first, ...watcher.round()];
    for (const object of anObjectOfEachKind().slice(3, 7)) cluster.put(changed(liveOf(cluster, object)));
    const [pod] = [...cluster.objects.values()].filter(({ kind }) => kind === 'Pod');
    if (pod) cluster.remove(pod);
    old.push(...watcher.watch());
    await history.deliver(old.slice(first.length));
    await history.live(watcher, 2);
    expect(history.differences()).toEqual([]);
    history.world.setNow(history.world.now() + 7 * 24 * 3600_000);
    await history.deliver(mixed(old, 5, 100));
    expect(history.differences()).toEqual([]);
  });
});

describe('a manifest that comes before its objects', () => {
  it.each(eachKind)(
    'a %s listed by a manifest before its own message arrives is live once that message arrives',
    async (_, object) => {
      const { cluster, history } = await aWatchedCluster([]);
      cluster.put(object);
      const watcher = new Watcher(cluster);
      const objects = watcher.list();
      await history.deliver(watcher.round());
      expect(history.differences()).not.toEqual([]);
      await history.deliver(objects);
      expect(history.differences()).toEqual([]);
    },
  );
});

describe('an object created again under its name', () => {
  it.each(
    eachKind.flatMap(([kind, object]) =>
      (['object first', 'manifest first'] as const).map((order) => [kind, order, object] as const),
    ),
  )('%s, %s: the mirror has the object with the new UID', async (_, order, object) => {
    const { cluster, history } = await aWatchedCluster();
    cluster.remove(liveOf(cluster, object));
    cluster.put({ ...object, uid: 'made-again' });
    const watcher = new Watcher(cluster);
    const [objects, manifests] = [watcher.list(), watcher.round()];
    for (const changes of order === 'object first' ? [objects, manifests] : [manifests, objects])
      await history.deliver(changes);
    expect(history.differences()).toEqual([]);
  });
});

describe('concurrent watchers', () => {
  it.each([1, 2, 3, 4, 5])(
    'two watchers that list at the same time leave every object live (order %i)',
    async (seed) => {
      const pods = Array.from({ length: 50 }, (_, i) => [aClaim(`p${i}`, `gpu-${i}`), aPod(`p${i}`)]).flat();
      const { cluster, history } = await aWatchedCluster([]);
      for (const object of [...pods, aSlice('s')]) cluster.put(object);
      const watchers = [new Watcher(cluster), new Watcher(cluster)];
      const messages = watchers.flatMap((watcher) => [...watcher.list(), ...watcher.round()]);
      await history.deliver(mixed(messages, seed, messages.length));
      await history.live(watchers[0] ?? new Watcher(cluster), 2);
      expect(history.differences()).toEqual([]);
    },
  );
});

describe('a lost message', () => {
  it.each(eachKind)('a %s whose change was lost is requested after the next round and arrives', async (_, object) => {
    const { cluster, history, watcher } = await aWatchedCluster();
    cluster.put(changed(liveOf(cluster, object)));
    watcher.watch();
    expect(history.differences()).toHaveLength(1);
    await history.live(watcher, 3);
    expect(history.differences()).toEqual([]);
  });

  it.each(eachKind)(
    'a new %s whose message was lost is requested after the next round and arrives',
    async (_, object) => {
      const { cluster, history, watcher } = await aWatchedCluster([]);
      cluster.put(object);
      watcher.watch();
      await history.live(watcher, 3);
      expect(history.differences()).toEqual([]);
    },
  );

  it.each(eachKind)('a %s whose deletion was lost is gone after the next round', async (_, object) => {
    const { cluster, history, watcher } = await aWatchedCluster();
    cluster.remove(liveOf(cluster, object));
    watcher.watch();
    expect(history.differences()).toHaveLength(1);
    await history.live(watcher, 1);
    expect(history.differences()).toEqual([]);
  });

  it('a first list whose messages were all lost is requested again, also when the first answers are lost', async () => {
    const cluster = createCluster();
    for (const object of anObjectOfEachKind()) cluster.put(object);
    const history = createHistory(cluster);
    const watcher = new Watcher(cluster);
    watcher.list();
    await history.deliver(watcher.round());
    history.world.setNow(start + 1000);
    await history.heartbeat();
    await history.world.runUntil(history.world.now() + 120_000);
    expect(history.world.requested.splice(0).length).toBeGreaterThan(0);
    await history.live(watcher, 12);
    expect(history.differences()).toEqual([]);
  });

  it('an object deleted before it is requested is gone from the mirror', async () => {
    const { cluster, history, watcher } = await aWatchedCluster();
    const pod = cluster.put(aPod('short-lived'));
    watcher.watch();
    await history.deliver(watcher.round());
    cluster.remove(pod);
    watcher.watch();
    await history.heartbeat();
    await history.live(watcher, 3);
    expect(history.differences()).toEqual([]);
  });

  it('a ResourceSlice whose lifted taint was lost in a message is correct within eleven minutes', async () => {
    const { cluster, history, watcher } = await aWatchedCluster([
      aSlice('s', { devices: [{ name: 'gpu-0', taints: [taint] }] }),
    ]);
    cluster.put({ ...(liveOf(cluster, aSlice('s')) as ReturnType<typeof aSlice>), devices: [{ name: 'gpu-0' }] });
    watcher.watch();
    await history.live(watcher, 11);
    expect(history.differences()).toEqual([]);
  });
});

describe('a pod without a verdict while an object is expected', () => {
  const objects = [aSlice('s'), aTaintSlice('agent', { taints: [] }), aClaim('pod', 'gpu-0'), aPod('pod')];
  const other = { device: 'gpu-1', taint: { ...taint, effect: 'None' } };
  const reservedFor = ['pod', 'another'].map((name) => ({ resource: 'pods', name, uid: `uid-${name}` }));
  /** Changes that do not alter the verdict on the pod. */
  const edited = [
    aSlice('s', { devices: [{ name: 'gpu-0' }, { name: 'gpu-1', taints: [other.taint] }] }),
    aTaintSlice('agent', { taints: [other] }),
    aClaim('pod', 'gpu-0', { reservedFor }),
    aPod('pod', { nodeName: 'node-2' }),
  ];

  it.each(edited.map((object) => [object.kind, object] as const))(
    'a pod without a verdict because its %s is expected is deleted once that object arrives',
    async (_, object) => {
      const { cluster, history, watcher } = await aWatchedCluster(objects);
      const { world } = history;
      world.api.pods.set('default/pod', { uid: 'uid-pod', terminating: false, marked: false });
      await history.heartbeat();
      cluster.put(object);
      watcher.watch();
      await history.deliver(watcher.round());
      const { key, effect, timeAdded } = taint;
      const seen = [{ device: 'gpu-0', key, effect, timeAdded, specTimeAdded: timeAdded }];
      cluster.put(aTaintSlice('xid', { taints: [{ device: 'gpu-0', taint }], seen }));
      await history.deliver(watcher.watch());
      await world.runUntil(world.now() + 5000);
      expect(world.api.deletes).toEqual([]);
      await history.live(watcher, 3);
      expect(world.api.deletes).toHaveLength(1);
    },
  );
});

describe('a list after a lost watch', () => {
  it('a watcher that lost its watch sends only the absence of objects that its next list lacks', async () => {
    const { cluster, history, watcher, first } = await aWatchedCluster();
    const pod = liveOf(cluster, aPod('pod'));
    cluster.remove(pod);
    const changes = watcher.list();
    expect(first.length).toBeGreaterThan(5);
    expect(changes.map(({ type }) => type)).toEqual(['Absent']);
    await history.deliver(changes);
    expect(history.differences()).toEqual([]);
  });
});

describe('a kind that is not served for a while', () => {
  const objects = [aSlice('s', { devices: [{ name: 'gpu-0', taints: [taint] }] }), aClaim('pod', 'gpu-0'), aPod('pod')];

  /** Sends a heartbeat that names kinds as not served. Evict messages are dropped: the API server has none of these pods. */
  async function unserve(notServed: readonly ObjectKind[]) {
    const { history } = await aWatchedCluster(objects);
    const { world } = history;
    world.messages.length = 0;
    await history.heartbeat({ notServed });
    world.messages.splice(0, Number.POSITIVE_INFINITY, ...world.messages.filter(({ stage }) => stage !== 'evict'));
    await world.runUntil(world.now() + 1000);
    expect(history.differences()).toEqual([]);
    return world.metrics.get('VerdictsUnknown') ?? 0;
  }

  it('a kind that is not served keeps its rows, and pods that depend on it have no verdict', async () => {
    expect(await unserve(['ResourceSlice'])).toBeGreaterThan(0);
  });

  it('a kind without any object leaves no pod without a verdict when it is not served', async () => {
    expect(await unserve(['DeviceTaintSlice', 'EvictionPolicy', 'PacedTaintRule'])).toBe(0);
  });
});

describe('a kind that is served again', () => {
  it('a pod is evicted once a missing kind is served again, although the first heartbeats that report it fail half way', async () => {
    const objects = [
      aSlice('s', { devices: [{ name: 'gpu-0', taints: [taint] }] }),
      aClaim('pod', 'gpu-0'),
      aPod('pod'),
    ];
    const cluster = createCluster();
    for (const object of objects) cluster.put(object);
    let isThrottled = false;
    const beforeCall = async (call: string) => {
      if (isThrottled && call === 'query') throw new Error('throttled');
    };
    const history = createHistory(cluster, { beforeCall });
    history.world.api.pods.set('default/pod', { uid: 'uid-pod', terminating: false, marked: false });
    const notServed = ['ResourceSlice'];
    await history.heartbeat({ notServed });
    await history.deliver(new Watcher(cluster).list());
    await history.world.runUntil(history.world.now() + 5000);
    expect(history.world.api.deletes).toEqual([]);
    isThrottled = true;
    for (let i = 0; i < 3; i++) await history.heartbeat().catch(() => undefined);
    isThrottled = false;
    await history.heartbeat();
    await history.world.runUntil(history.world.now() + 60_000);
    expect(history.world.api.deletes).toHaveLength(1);
  });
});

describe('a throttled ingest', () => {
  it.each(eachKind)(
    'no row stays dirty when ingest is throttled eight times after it stored a %s',
    async (_, object) => {
      const cluster = createCluster();
      let broken = false;
      const beforeCall = async (call: string) => {
        if (broken && (call === 'query' || call === 'getMany')) throw new Error('throttled');
      };
      const history = createHistory(cluster, { beforeCall });
      const watcher = new Watcher(cluster);
      await history.deliver(watcher.list());
      for (const one of anObjectOfEachKind()) if (one.kind !== object.kind) cluster.put(one);
      await history.deliver(watcher.watch());
      cluster.put(object);
      const changes: readonly Change[] = watcher.watch();
      broken = true;
      for (let i = 0; i < 8; i++) await history.deliver(changes).catch(() => undefined);
      broken = false;
      await history.live(watcher, 15);
      expect(history.differences()).toEqual([]);
      const dirty = history.world.table.rows().filter((row) => row.due !== undefined);
      expect(dirty.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
    },
  );
});

describe('a table restored from a backup', () => {
  it('a table restored to an earlier state equals the cluster within 13 minutes', async () => {
    const { cluster, history, watcher } = await aWatchedCluster();
    const yesterday = structuredClone(history.world.table.rows());
    for (const object of anObjectOfEachKind().slice(0, 5)) cluster.put(changed(liveOf(cluster, object)));
    cluster.remove(liveOf(cluster, aPod('pod')));
    await history.deliver(watcher.watch());
    await history.live(watcher, 2);
    history.world.table.replaceAll(yesterday);
    expect(history.differences().length).toBeGreaterThan(0);
    await history.live(watcher, 13);
    expect(history.differences()).toEqual([]);
  });
});
