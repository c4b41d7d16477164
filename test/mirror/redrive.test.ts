// Dead letters may be redriven at any time and in any order; the sending watcher and its clock do not matter.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { createCluster, createHistory, mixed, Watcher } from './history.ts';
import { anObjectOfEachKind, changed, eachKind } from './kinds.ts';

const hour = 3600_000;

/** A cluster whose objects were changed, deleted and created again, and every message that its two watchers sent. */
function aLife(): { readonly cluster: ReturnType<typeof createCluster>; readonly messages: readonly Change[] } {
  const cluster = createCluster();
  const watchers = [new Watcher(cluster), new Watcher(cluster)] as const;
  const messages: Change[] = [];
  const tell = () => messages.push(...watchers[0].watch(), ...watchers[0].round());
  for (const object of anObjectOfEachKind()) cluster.put(object);
  messages.push(...watchers[0].list());
  for (const object of anObjectOfEachKind()) cluster.put(changed(object));
  tell();
  for (const object of anObjectOfEachKind().slice(0, 5)) cluster.remove(object);
  messages.push(...watchers[1].list());
  tell();
  for (const object of anObjectOfEachKind().slice(0, 3)) cluster.put({ ...object, uid: 'made-again' });
  tell();
  messages.push(...watchers[1].watch(), ...watchers[1].round());
  return { cluster, messages };
}

describe('dead letters', () => {
  it('dead letters redriven a week later change nothing, in any order', async () => {
    const { messages } = aLife();
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...messages.keys()], { minLength: 1 }), async (order) => {
        const { cluster, messages: sent } = aLife();
        const history = createHistory(cluster);
        await history.deliver(sent);
        expect(history.differences()).toEqual([]);
        history.world.setNow(history.world.now() + 7 * 24 * hour);
        for (const i of order) await history.deliver(sent.slice(i, i + 1));
        expect(history.differences()).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it('a mirror that received only dead letters, in any order, equals the cluster after one round', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { cluster, messages } = aLife();
        const history = createHistory(cluster);
        await history.deliver(mixed(messages, seed, messages.length));
        const watcher = new Watcher(cluster);
        watcher.list();
        await history.live(watcher, 3);
        expect(history.differences()).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});

describe('concurrent leaders', () => {
  it.each(eachKind)(
    'two leaders, one of which lags behind, leave the %s as it is in the cluster',
    async (_, object) => {
      const { cluster, messages } = aLife();
      const history = createHistory(cluster);
      await history.deliver(messages);
      // Its Lease was deleted, it has not noticed yet, and its watch no longer receives events.
      const late = new Watcher(cluster);
      late.list();
      const leader = new Watcher(cluster);
      leader.list();
      const present = [...cluster.objects.values()].find(({ kind }) => kind === object.kind);
      if (present) cluster.remove(present);
      cluster.put({ ...changed(object), uid: 'of-the-next' } as ObjectProjection);
      const news = leader.watch();
      for (let seed = 1; seed < 6; seed++)
        await history.deliver(mixed([...news, ...late.round(), ...leader.round(), ...late.round()], seed, 100));
      await history.live(leader, 3);
      expect(history.differences()).toEqual([]);
    },
  );
});

describe.each([
  ['slow', -hour],
  ['fast', hour],
] as const)('a watcher whose clock is an hour %s', (_, skew) => {
  it.each(eachKind)(
    'a lost change of a %s is repaired within eleven minutes, although the clock of the watcher is an hour off',
    async (__, object) => {
      const cluster = createCluster();
      for (const one of anObjectOfEachKind()) cluster.put(one);
      const history = createHistory(cluster);
      const watcher = new Watcher(cluster);
      await history.deliver(watcher.list());
      cluster.put(changed(object));
      watcher.watch();
      const { world } = history;
      for (let minute = 0; minute < 11; minute++) {
        await history.heartbeat({ at: world.now() + skew });
        if (minute === 1) await history.deliver(watcher.round());
        await world.runUntil(world.now() + 60_000);
        await history.deliver(watcher.answer(world.requested.splice(0)));
      }
      expect(history.differences()).toEqual([]);
    },
  );
});
