// A cluster created again under its name, or with a restored etcd: every incarnation has a mirror of its own.
import { describe, expect, it } from 'vitest';
import { clusterIdOf, clusterNameOf } from '../../lib/model/identity.ts';
import { sweepCluster } from '../../lib/stages/sweep/index.ts';
import { currentState, readIncarnations } from '../../lib/state/incarnationRows.ts';
import { firstReleaseHeartbeatKey } from '../../lib/state/keys.ts';
import { readPauses, setPause } from '../../lib/state/pauseRows.ts';
import { aClaim, aPod, aRule, aSlice } from '../support/objects.ts';
import { createCluster, createHistory, type History, mixed, Watcher } from './history.ts';

const objects = (suffix: string) => [
  aSlice('slice', { uid: `uid-slice-${suffix}` }),
  aClaim('pod', 'gpu-0', { uid: `uid-claim-${suffix}` }),
  aPod('pod', { uid: `uid-pod-${suffix}` }),
  aRule('broken', 0, { uid: `uid-rule-${suffix}`, taint: { key: 'e.com/x', effect: 'None' } }),
];

function aCluster(version: number, suffix: string) {
  const cluster = createCluster(version);
  for (const object of objects(suffix)) cluster.put(object);
  return cluster;
}

async function watched(version = 5000) {
  const cluster = aCluster(version, 'old');
  const history = createHistory(cluster);
  const watcher = new Watcher(cluster);
  const first = watcher.list();
  await history.deliver(first);
  await history.live(watcher, 2);
  return { cluster, history, watcher, first };
}

const metric = ({ world }: History, name: string) => world.metrics.get(name) ?? 0;
const nameOf = ({ world }: History) => clusterNameOf(world.cluster);

describe('a cluster created again under its name, with lower versions', () => {
  it('a cluster created again is mirrored from its first list, with its own objects only', async () => {
    const { history } = await watched();
    const next = aCluster(10, 'new');
    const again = history.become(next, 'uid-of-the-next');
    const watcher = new Watcher(next);
    await again.deliver(watcher.list());
    await again.live(watcher, 1);
    expect(again.differences()).toEqual([]);
    const { cluster } = await currentState(history.world.table, nameOf(history));
    expect(cluster).toBe(clusterIdOf(nameOf(history), 'uid-of-the-next'));
  });

  it.each([1, 2, 3])(
    'dead letters of the previous incarnation change and evict nothing a week later (order %i)',
    async (seed) => {
      const { history, first } = await watched();
      const next = aCluster(10, 'new');
      const again = history.become(next, 'uid-of-the-next');
      const watcher = new Watcher(next);
      await again.deliver(watcher.list());
      await again.live(watcher, 1);
      history.world.setNow(history.world.now() + 7 * 86_400_000);
      await again.heartbeat();
      await history.deliver(mixed([...first, ...first], seed));
      expect(again.differences()).toEqual([]);
      expect(history.world.api.deletes).toEqual([]);
    },
  );

  it('a cluster created again keeps the pauses of its name', async () => {
    const { history } = await watched();
    const { table, cluster } = history.world;
    await setPause({ table, cluster: nameOf(history) }, { name: 'incident', why: 'looking', since: 0 });
    expect((await readPauses({ table, cluster })).map(({ name }) => name)).toEqual(['incident']);
    const next = { table, cluster: clusterIdOf(nameOf(history), 'uid-of-the-next') };
    expect((await readPauses(next)).map(({ name }) => name)).toEqual(['incident']);
  });

  it('two incarnations under one name are counted when both send a heartbeat within five minutes, and not later', async () => {
    const { history } = await watched();
    const again = history.become(aCluster(10, 'new'), 'uid-of-the-next');
    await again.heartbeat();
    expect(metric(history, 'ClustersUnderOneName')).toBe(1);
    history.world.setNow(history.world.now() + 6 * 60_000);
    await again.heartbeat();
    expect(metric(history, 'ClustersUnderOneName')).toBe(1);
  });

  it('an old heartbeat of the previous incarnation does not replace the current one', async () => {
    const { history } = await watched();
    const then = history.world.now();
    const again = history.become(aCluster(10, 'new'), 'uid-of-the-next');
    history.world.setNow(then + 86_400_000);
    await again.heartbeat();
    await history.heartbeat({ at: then });
    const { cluster } = await currentState(history.world.table, nameOf(history));
    expect(cluster).toBe(clusterIdOf(nameOf(history), 'uid-of-the-next'));
  });
});

describe('etcd that is restored from a backup', () => {
  async function restored() {
    const { history } = await watched();
    const cluster = aCluster(100, 'old');
    const watcher = new Watcher(cluster);
    await history.deliver(watcher.list());
    return { history, cluster, watcher };
  }

  it('a restored etcd is reported after two rounds below the versions of the table', async () => {
    const { history, cluster, watcher } = await restored();
    await history.deliver(watcher.round());
    expect(metric(history, 'RevisionWentBack')).toBe(0);
    history.world.setNow(history.world.now() + 9 * 60_000);
    cluster.put(aPod('later'));
    watcher.watch();
    watcher.list();
    await history.deliver(watcher.round());
    expect(metric(history, 'RevisionWentBack')).toBeGreaterThan(0);
  });

  it('a restored etcd is counted with every heartbeat in which the watcher reports it', async () => {
    const { history } = await restored();
    await history.heartbeat({ wentBack: ['Pod'] });
    expect(metric(history, 'RevisionWentBack')).toBe(1);
    await history.heartbeat({ wentBack: ['Pod', 'Namespace'] });
    expect(metric(history, 'RevisionWentBack')).toBe(2);
    await history.heartbeat();
    expect(metric(history, 'RevisionWentBack')).toBe(2);
  });

  it('a restored cluster is mirrored completely under a new incarnation, and does not count as two clusters', async () => {
    const { history, cluster } = await restored();
    const again = history.become(cluster, `${history.world.api.live.uid}.restored-1`);
    const watcher = new Watcher(cluster);
    await again.deliver(watcher.list());
    await again.live(watcher, 1);
    expect(again.differences()).toEqual([]);
    expect(metric(history, 'ClustersUnderOneName')).toBe(0);
  });

  it('duplicates of old manifests do not count as a restored etcd while newer rounds arrive', async () => {
    const { history, watcher } = await watched();
    const old = watcher.round();
    const cluster = history.cluster;
    for (let round = 0; round < 4; round++) {
      cluster.put(aPod(`p${round}`));
      await history.deliver([...watcher.watch(), ...watcher.list(), ...watcher.round()]);
      await history.deliver(old);
      history.world.setNow(history.world.now() + 9 * 60_000);
    }
    expect(metric(history, 'RevisionWentBack')).toBe(0);
  });
});

describe('a table of release 0.1', () => {
  it('ingest, sweep and readers refuse a table of release 0.1, name the remedy and write nothing', async () => {
    const history = createHistory(aCluster(10, 'new'));
    const { table, deps } = history.world;
    await table.write({ kind: 'Put', row: { ...firstReleaseHeartbeatKey(nameOf(history)), at: 1 } });
    const refused = /rows of release 0\.1 for cluster .*deploy a stack with a table of its own/;
    await expect(history.heartbeat()).rejects.toThrow(refused);
    await expect(sweepCluster(deps, nameOf(history))).rejects.toThrow(refused);
    await expect(readIncarnations(table, nameOf(history))).rejects.toThrow(refused);
    expect(table.rows()).toHaveLength(1);
  });
});
