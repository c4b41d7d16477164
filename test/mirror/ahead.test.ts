// Messages with a version that the cluster has not reached yet: rounds that pass below it bring the mirror back.
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

/** Rounds of ten minutes, between which versions of every kind grow. */
async function rounds({ cluster, history, watcher }: Awaited<ReturnType<typeof aWatchedCluster>>, count: number) {
  for (let round = 0; round < count; round++) {
    cluster.put(aClass(`c${history.world.now()}`, []));
    await history.deliver(watcher.list());
    await history.live(watcher, 10);
  }
}

const drift = ({ world }: History) => world.metrics.get('MirrorDrift') ?? 0;

describe('a message with the greatest version', () => {
  it.each(eachKind)('that a %s is deleted, which is there: it is there again after two rounds', async (_, object) => {
    const life = await aWatchedCluster();
    const forged = { ...liveOf(life.cluster, object), resourceVersion: greatest };
    await life.history.deliver([{ type: 'Deleted', object: forged }]);
    expect(life.history.differences()).toHaveLength(1);
    await rounds(life, 3);
    expect(life.history.differences()).toEqual([]);
    expect(drift(life.history)).toBeGreaterThan(0);
  });

  it.each(eachKind)('with another content of a %s: what the cluster has takes its place', async (_, object) => {
    const life = await aWatchedCluster();
    const forged = { ...changed(liveOf(life.cluster, object)), resourceVersion: greatest };
    await life.history.deliver([{ type: 'Upserted', object: forged }]);
    expect(life.history.differences()).toHaveLength(1);
    await rounds(life, 3);
    expect(life.history.differences()).toEqual([]);
  });

  it.each(eachKind)('of a %s that is not there: it is gone after two rounds', async (_, object) => {
    const life = await aWatchedCluster();
    life.cluster.remove(liveOf(life.cluster, object));
    await life.history.deliver(life.watcher.watch());
    await life.history.deliver([{ type: 'Upserted', object: { ...object, uid: 'forged', resourceVersion: greatest } }]);
    expect(life.history.differences()).toHaveLength(1);
    await rounds(life, 3);
    expect(life.history.differences()).toEqual([]);
  });
});

describe('a row above a manifest, as a message that overtook it leaves one,', () => {
  it('is not requested for that, nor for duplicates of the manifest a quarter of an hour later', async () => {
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
