// The reads of a round do not grow with the number of unchanged objects.
import { expect, it } from 'vitest';
import { aPod, aSlice } from '../support/objects.ts';
import { createCluster, createHistory, Watcher } from './history.ts';

it('a round over 2,000 unchanged pods makes at most 20 reads besides those of row heads, and requests no object', async () => {
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
