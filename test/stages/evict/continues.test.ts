// After a failure a backlog continues soon after the failed calls work again, without waiting for the next sweep.
import { describe, expect, it } from 'vitest';
import { allOwned } from '../../../lib/model/ownership.ts';
import type { ObjectKind } from '../../../lib/model/projection.ts';
import type { Around } from '../../support/around.ts';
import { aPacedRule } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld, start } from '../../support/pacedWorld.ts';

const pods = 60;
const taints = [{ key: 'example.com/bad', effect: 'NoExecute' as const, evictionsPerSecond: 10, burst: 1 }];
const tableCalls = new Set(['get', 'getMany', 'query', 'write', 'transact']);
const names = Array.from({ length: pods }, (_, i) => `p${i}`);

/** A step that fails is run again a second later, when its message is visible again. */
async function backlog(around: Around = (_, call) => call()): Promise<PacedWorld> {
  const paced = await pacedWorld(Object.fromEntries(names.map((name) => [name, {}])), {}, () => allOwned, 0, around);
  // A sweep has just run: the next one is almost a minute away.
  await paced.run(62);
  await paced.write(aPacedRule('r', { taints }));
  return paced;
}

const secondsUntilAllAreGone = async (paced: PacedWorld) => {
  for (let seconds = 0; seconds < 50; seconds++) {
    if (paced.gone().length === pods) return seconds;
    await paced.run(1);
  }
  return Number.POSITIVE_INFINITY;
};

describe('a backlog after a failure', () => {
  it('a backlog continues within seconds after every table call has failed for three seconds', async () => {
    const failing = { until: 0 };
    const of: { paced?: PacedWorld } = {};
    const paced = await backlog(async (name, call) => {
      if ((of.paced?.world.now() ?? failing.until) < failing.until && tableCalls.has(name))
        throw new Error('table: no answer within 5 s');
      return call();
    });
    of.paced = paced;
    await paced.run(2);
    failing.until = paced.world.now() + 3000;
    await paced.run(4);
    expect(paced.gone().length).toBeLessThan(30);
    expect(await secondsUntilAllAreGone(paced)).toBeLessThan(12);
  });

  it.each<ObjectKind>(['Pod', 'ResourceSlice', 'EvictionPolicy'])(
    'a backlog continues soon after reads of %s have failed for twenty seconds',
    async (kind) => {
      const paced = await backlog();
      await paced.run(2);
      const { failing } = paced.world.api.live;
      failing.set(kind, { kind: 'RetryLater', after: 1000, why: 'no answer within 5 s' });
      await paced.run(20);
      expect(paced.gone().length).toBeLessThan(40);
      failing.delete(kind);
      expect(await secondsUntilAllAreGone(paced)).toBeLessThan(30);
    },
  );

  it('a backlog continues soon after reads of EvictionStops have failed for twenty seconds', async () => {
    const paced = await backlog();
    await paced.run(2);
    const { live } = paced.world.api;
    live.stopObjects = { kind: 'RetryLater', after: 1000, why: 'no answer within 5 s' };
    await paced.run(20);
    expect(paced.gone().length).toBeLessThan(40);
    live.stopObjects = [];
    expect(await secondsUntilAllAreGone(paced)).toBeLessThan(30);
  });

  it('a backlog continues soon after DELETEs have been answered with 429 for twenty seconds', async () => {
    const paced = await backlog();
    await paced.run(2);
    const { evictor } = paced.world.api;
    const works = evictor.delete;
    evictor.delete = async () => ({ kind: 'RetryLater', after: 1000, why: 'too many requests', status: 429 });
    await paced.run(20);
    evictor.delete = works;
    expect(await secondsUntilAllAreGone(paced)).toBeLessThan(30);
  });
});

it('a rule whose window opens between two sweeps evicts within a second', async () => {
  const failing = { until: 0 };
  const of: { paced?: PacedWorld } = {};
  // A sweep that fails is run again a second later: from now on they are ten seconds after the full minute.
  const paced = await pacedWorld(
    { a: {}, b: {} },
    {},
    () => allOwned,
    0,
    async (name, call) => {
      const now = of.paced?.world.now() ?? 0;
      if (now >= start + 60_000 && now < failing.until && tableCalls.has(name)) throw new Error('table: no answer');
      return call();
    },
  );
  of.paced = paced;
  failing.until = start + 69_500;
  // Heartbeats come with every tenth second of a run, and none while the table fails.
  for (const seconds of [55, 9, 9]) await paced.run(seconds);
  // `start` is 2027-01-15T08:00:00Z.
  await paced.ask(evictionPolicy({ windows: [{ schedule: '2 8 * * *', duration: 3_600_000 }] }));
  await paced.write(aPacedRule('r', { taints }));
  await paced.run(46);
  expect(paced.gone()).toEqual([]);
  await paced.run(2);
  expect(paced.gone()).toEqual(['a', 'b']);
});
