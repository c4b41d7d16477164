// What a round reads does not grow with the objects that it shows unchanged.
import { expect, it } from 'vitest';
import { aPod, aSlice } from '../support/objects.ts';
import { createCluster, createHistory, Watcher } from './history.ts';

it('a round over 2,000 unchanged pods reads a row for each 16 ranges, and two for each 1,000 pods beside the heads', async () => {
  let reads = 0;
  const beforeCall = async (call: string) => {
    if (['get', 'getMany', 'query'].includes(call)) reads++;
  };
  const cluster = createCluster();
  for (let i = 0; i < 2000; i++) cluster.put(aPod(`pod-${i}`));
  const history = createHistory(cluster, { beforeCall });
  const watcher = new Watcher(cluster);
  await history.deliver(watcher.list(['Pod']));
  cluster.put(aSlice('moves-the-version'));
  const again = new Watcher(cluster);
  again.list(['Pod']);
  reads = 0;
  await history.deliver(again.round());
  expect(reads).toBeLessThanOrEqual(16 + 2 * 2);
  expect(history.world.requested).toEqual([]);
});
