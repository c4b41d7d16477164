// Forged messages with a resourceVersion that the cluster has not reached: later manifests correct the mirror.
import { describe, expect, it } from 'vitest';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { aClass } from '../support/objects.ts';
import { type Cluster, createCluster, createHistory, type History, Watcher } from './history.ts';
import { anObjectOfEachKind, changed, eachKind } from './kinds.ts';

const greatest = '9223372036854775807';

async function aWatchedCluster() {
  const cluster = createCluster();
  for (const object of anObjectOfEachKind()) cluster.put(object);
  const history = createHistory(cluster);
  const watcher = new Watcher(cluster);
  await history.deliver(watcher.list());
  await history.live(watcher, 1);
  expect(history.differences()).toEqual([]);
  return { cluster, history, watcher };
}

const liveOf = (cluster: Cluster, { kind, name }: ObjectProjection) => {
  const found = [...cluster.objects.values()].find((one) => one.kind === kind && one.name === name);
  if (!found) throw new Error(`${kind} ${name} is not there`);
  return found;
};

/** Runs rounds of ten minutes; the versions of every kind grow between them. */
async function rounds({ cluster, history, watcher }: Awaited<ReturnType<typeof aWatchedCluster>>, count: number) {
  for (let round = 0; round < count; round++) {
    cluster.put(aClass(`c${history.world.now()}`, []));
    await history.deliver(watcher.list());
    await history.live(watcher, 10);
  }
}

const drift = ({ world }: History) => world.metrics.get('MirrorDrift') ?? 0;

describe('a forged message with the greatest version', () => {
  it.each(eachKind)(
    'a %s that a forged message deletes is mirrored again within three rounds and counts as drift',
    async (_, object) => {
      const life = await aWatchedCluster();
      const forged = { ...liveOf(life.cluster, object), resourceVersion: greatest };
      await life.history.deliver([{ type: 'Deleted', object: forged }]);
      expect(life.history.differences()).toHaveLength(1);
      await rounds(life, 3);
      expect(life.history.differences()).toEqual([]);
      expect(drift(life.history)).toBeGreaterThan(0);
    },
  );

  it.each(eachKind)(
    'forged content of a %s is replaced by the content of the cluster within three rounds',
    async (_, object) => {
      const life = await aWatchedCluster();
      const forged = { ...changed(liveOf(life.cluster, object)), resourceVersion: greatest };
      await life.history.deliver([{ type: 'Upserted', object: forged }]);
      expect(life.history.differences()).toHaveLength(1);
      await rounds(life, 3);
      expect(life.history.differences()).toEqual([]);
    },
  );

  it.each(eachKind)('a %s that only a forged message shows is gone within three rounds', async (_, object) => {
    const life = await aWatchedCluster();
    life.cluster.remove(liveOf(life.cluster, object));
    await life.history.deliver(life.watcher.watch());
    await life.history.deliver([{ type: 'Upserted', object: { ...object, uid: 'forged', resourceVersion: greatest } }]);
    expect(life.history.differences()).toHaveLength(1);
    await rounds(life, 3);
    expect(life.history.differences()).toEqual([]);
  });
});

describe('a message that overtook a manifest', () => {
  it('a row newer than a manifest does not count as drift, even when the manifest is delivered again 15 minutes later', async () => {
    const life = await aWatchedCluster();
    const { cluster, history, watcher } = life;
    const before = watcher.round();
    const [first] = anObjectOfEachKind();
    if (!first) throw new Error('no object');
    cluster.put(changed(liveOf(cluster, first)));
    await history.deliver(watcher.watch());
    await history.deliver(before);
    history.world.setNow(history.world.now() + 15 * 60_000);
    await history.deliver(before);
    expect(history.differences()).toEqual([]);
    expect(drift(history)).toBe(0);
  });
});
