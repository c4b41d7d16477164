// Each of these histories ends in a mirror equal to the cluster, without help.
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
    'of every message of a first list, after a second watcher listed, change nothing (order %i)',
    async (seed) => {
      const { cluster, history, first } = await aWatchedCluster();
      const second = new Watcher(cluster);
      await history.deliver([...second.list(), ...second.round()]);
      expect(history.differences()).toEqual([]);
      await history.deliver(mixed([...first, ...first], seed));
      expect(history.differences()).toEqual([]);
    },
  );

  it('of a dead-letter queue sent back a week later, in any order, bring nothing back and take nothing away', async () => {
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
  it.each(eachKind)('is filled by the message of a %s that follows', async (_, object) => {
    const { cluster, history } = await aWatchedCluster([]);
    cluster.put(object);
    const watcher = new Watcher(cluster);
    const objects = watcher.list();
    await history.deliver(watcher.round());
    expect(history.differences()).not.toEqual([]);
    await history.deliver(objects);
    expect(history.differences()).toEqual([]);
  });
});

describe('an object made again under its name', () => {
  it.each(
    eachKind.flatMap(([kind, object]) =>
      (['object first', 'manifest first'] as const).map((order) => [kind, order, object] as const),
    ),
  )('%s, %s: the new one is there', async (_, order, object) => {
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

describe('two watchers that list at the same time', () => {
  it.each([1, 2, 3, 4, 5])('leave every object of a cluster live (order %i)', async (seed) => {
    const pods = Array.from({ length: 50 }, (_, i) => [aClaim(`p${i}`, `gpu-${i}`), aPod(`p${i}`)]).flat();
    const { cluster, history } = await aWatchedCluster([]);
    for (const object of [...pods, aSlice('s')]) cluster.put(object);
    const watchers = [new Watcher(cluster), new Watcher(cluster)];
    const messages = watchers.flatMap((watcher) => [...watcher.list(), ...watcher.round()]);
    await history.deliver(mixed(messages, seed, messages.length));
    await history.live(watchers[0] ?? new Watcher(cluster), 2);
    expect(history.differences()).toEqual([]);
  });
});

describe('a lost message', () => {
  it.each(eachKind)('with a change of a %s is requested after the next round, and arrives', async (_, object) => {
    const { cluster, history, watcher } = await aWatchedCluster();
    cluster.put(changed(liveOf(cluster, object)));
    watcher.watch();
    expect(history.differences()).toHaveLength(1);
    await history.live(watcher, 3);
    expect(history.differences()).toEqual([]);
  });

  it.each(eachKind)('with a new %s is requested after the next round, and arrives', async (_, object) => {
    const { cluster, history, watcher } = await aWatchedCluster([]);
    cluster.put(object);
    watcher.watch();
    await history.live(watcher, 3);
    expect(history.differences()).toEqual([]);
  });

  it.each(eachKind)('with the end of a %s is made good by the next round', async (_, object) => {
    const { cluster, history, watcher } = await aWatchedCluster();
    cluster.remove(liveOf(cluster, object));
    watcher.watch();
    expect(history.differences()).toHaveLength(1);
    await history.live(watcher, 1);
    expect(history.differences()).toEqual([]);
  });

  it('of every message of a first list is made good, and the answers too that are lost', async () => {
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

  it('of an object that is gone before it is requested is answered with its absence', async () => {
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

  it('that lifts a taint keeps no pod on the healed device in danger: the slice is right within a round', async () => {
    const { cluster, history, watcher } = await aWatchedCluster([
      aSlice('s', { devices: [{ name: 'gpu-0', taints: [taint] }] }),
    ]);
    cluster.put({ ...(liveOf(cluster, aSlice('s')) as ReturnType<typeof aSlice>), devices: [{ name: 'gpu-0' }] });
    watcher.watch();
    await history.live(watcher, 11);
    expect(history.differences()).toEqual([]);
  });
});

describe('a pod that is undecided while an object is expected', () => {
  const objects = [aSlice('s'), aTaintSlice('agent', { taints: [] }), aClaim('pod', 'gpu-0'), aPod('pod')];
  const other = { device: 'gpu-1', taint: { ...taint, effect: 'None' } };
  const reservedFor = ['pod', 'another'].map((name) => ({ resource: 'pods', name, uid: `uid-${name}` }));
  /** Changes that say nothing new of the pod. */
  const edited = [
    aSlice('s', { devices: [{ name: 'gpu-0' }, { name: 'gpu-1', taints: [other.taint] }] }),
    aTaintSlice('agent', { taints: [other] }),
    aClaim('pod', 'gpu-0', { reservedFor }),
    aPod('pod', { nodeName: 'node-2' }),
  ];

  it.each(edited.map((object) => [object.kind, object] as const))(
    'is deleted once the %s arrives, whatever has changed in it',
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

describe('a watcher that lost its watch', () => {
  it('says what its next list lacks, and sends nothing again that is known', async () => {
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

  /** Says that kinds are not served. The pods are not the API server's: an eviction, which would find that out first, is left out. */
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

  it('leaves its rows as they are and makes the pods that depend on them unknown meanwhile', async () => {
    expect(await unserve(['ResourceSlice'])).toBeGreaterThan(0);
  });

  it('keeps no pod where the cluster never had an object of that kind', async () => {
    expect(await unserve(['DeviceTaintSlice', 'EvictionPolicy', 'PacedTaintRule'])).toBe(0);
  });
});

describe('a kind that is served again', () => {
  it('lets its pods continue although the first heartbeats that say so fail half way', async () => {
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

describe('ingest that is throttled eight times in a row', () => {
  it.each(eachKind)('after it stored a %s leaves nothing dirty forever', async (_, object) => {
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
  });
});

describe('a table restored to yesterday', () => {
  it('becomes equal to the cluster within a round', async () => {
    const { cluster, history, watcher } = await aWatchedCluster();
    const yesterday = structuredClone(history.world.table.rows());
    for (const object of anObjectOfEachKind().slice(0, 5)) cluster.put(changed(liveOf(cluster, object)));
    cluster.remove(liveOf(cluster, aPod('pod')));
    await history.deliver(watcher.watch());
    await history.live(watcher, 2);
    for (const { pk, sk } of history.world.table.rows())
      await history.world.table.write({ kind: 'Delete', key: { pk, sk } });
    for (const row of yesterday) await history.world.table.write({ kind: 'Put', row });
    expect(history.differences().length).toBeGreaterThan(0);
    await history.live(watcher, 13);
    expect(history.differences()).toEqual([]);
  });
});
