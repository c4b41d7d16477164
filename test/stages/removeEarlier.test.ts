// Rows of an earlier incarnation are removed, a bounded number per minute; records of evictions stay.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { Ledger } from '../../lib/model/eviction.ts';
import { type ClusterId, clusterIdOf, clusterNameOf } from '../../lib/model/identity.ts';
import { sweepCluster } from '../../lib/stages/sweep/index.ts';
import { kindOfDue } from '../../lib/state/dueIndex.ts';
import { readIncarnations } from '../../lib/state/incarnationRows.ts';
import { readRecord } from '../../lib/state/readRecord.ts';
import { recentWrite } from '../../lib/state/recentRows.ts';
import { openRecord, tallyWrites } from '../../lib/state/recordRows.ts';
import { explainRecords, readWhy } from '../../lib/view/why.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;
const hour = 3_600_000;
const day = 24 * hour;
const tableCalls = ['get', 'getMany', 'query', 'queryDue', 'queryHeads', 'write', 'transact'];

interface Replaced {
  readonly world: World;
  readonly earlier: ClusterId;
  readonly current: ClusterId;
  /** Calls of the table so far. */
  readonly calls: { count: number };
  hear(cluster: ClusterId): Promise<void>;
  /** Runs so many minutes, each with a heartbeat of the current cluster and a sweep. */
  sweeps(minutes: number): Promise<void>;
  /** Rows of the earlier incarnation without a TTL. */
  left(): readonly string[];
}

/** A cluster in which two pods were evicted and the others are pending, and which was then created again. */
async function replaced({ pods = 8 } = {}): Promise<Replaced> {
  const calls = { count: 0 };
  const world = createWorld({
    start,
    around: (name, call) => {
      if (tableCalls.includes(name)) calls.count++;
      return call();
    },
  });
  const { cluster: earlier } = world;
  const ingest = (cluster: ClusterId, ...body: readonly Change[]) =>
    world.deliver({ stage: 'ingest', at: world.now(), cluster, body });
  const names = Array.from({ length: pods }, (_, i) => `pod-${i}`);
  await ingest(earlier, aHeartbeat(start), upserted(aSlice('slice')));
  const annotations = { 'sluice.dev/evictions-per-second': '0.02', 'sluice.dev/burst': '1' };
  const rule = aRule('bad', start, { annotations });
  const plan = aRule('plan', start, { taint: { key: 'example.com/plan', effect: 'None' } });
  for (const one of [rule, plan]) world.api.rules.set(one.name, { rule: one, conditions: [] });
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  const objects = [rule, plan, ...names.flatMap((name) => [aClaim(name, 'gpu-0'), aPod(name)])];
  for (let i = 0; i < objects.length; i += 10) await ingest(earlier, ...objects.slice(i, i + 10).map(upserted));
  for (let i = 0; i < 3; i++) {
    await world.runUntil(world.now() + 30_000);
    await ingest(earlier, aHeartbeat(world.now()));
  }
  world.messages.splice(0);
  const current = clusterIdOf(clusterNameOf(earlier), 'uid-of-the-next');
  world.api.live.uid = 'uid-of-the-next';
  const hear = async (cluster: ClusterId) => {
    await ingest(cluster, aHeartbeat(world.now()));
    world.messages.splice(0);
  };
  return {
    world,
    earlier,
    current,
    calls,
    hear,
    async sweeps(minutes) {
      for (let i = 0; i < minutes; i++) {
        world.setNow(world.now() + 60_000);
        await hear(current);
        await sweepCluster(world.deps, clusterNameOf(current));
        world.messages.splice(0);
      }
    },
    left: () =>
      world.table
        .rows()
        .filter(({ pk, ttl }) => pk.startsWith(`${earlier}#`) && ttl === undefined)
        .map(({ pk, sk }) => `${pk} ${sk}`),
  };
}

const rowsOf = ({ table }: World, cluster: ClusterId) => table.rows().filter(({ pk }) => pk.startsWith(`${cluster}#`));

async function aDayLater(by: Parameters<typeof replaced>[0] = {}): Promise<Replaced> {
  const one = await replaced(by);
  await one.hear(one.current);
  one.world.setNow(one.world.now() + day);
  return one;
}

describe('removal of earlier incarnations', () => {
  it('rows of an earlier incarnation stay until it has been silent for a day, and are removed afterwards', async () => {
    const { world, sweeps, left, earlier, current, hear } = await replaced();
    await hear(current);
    const before = left();
    expect(before.length).toBeGreaterThan(30);
    world.setNow(world.now() + 23 * hour);
    await sweeps(10);
    expect(left()).toEqual(before);
    world.setNow(world.now() + hour);
    await sweeps(3);
    expect(left()).toEqual([]);
    expect(rowsOf(world, earlier).filter(({ due }) => due !== undefined)).toEqual([]);
    expect(rowsOf(world, current).length).toBeGreaterThan(0);
  });

  it('rows that arrive before any heartbeat of their incarnation stay for a day, and are removed afterwards', async () => {
    const { world, current, hear, sweeps } = await replaced();
    await hear(current);
    const third = clusterIdOf(clusterNameOf(current), 'uid-of-a-third');
    await world.deliver({ stage: 'ingest', at: world.now(), cluster: third, body: [upserted(aPod('early'))] });
    world.messages.splice(0);
    const before = rowsOf(world, third);
    await sweeps(10);
    expect(rowsOf(world, third)).toEqual(before);
    world.setNow(world.now() + day);
    await sweeps(10);
    expect(rowsOf(world, third)).toEqual([]);
  });

  it('a sweep of a cluster from which no message has arrived writes no row', async () => {
    const { deps, table, cluster } = createWorld({ start, modes: () => ({ native: 'shadow', paced: 'own' }) });
    await sweepCluster(deps, clusterNameOf(cluster));
    expect(table.rows()).toEqual([]);
  });

  it('rows of a silent incarnation stay while no other incarnation sends heartbeats', async () => {
    const { world, left } = await aDayLater();
    const before = left();
    for (let minute = 0; minute < 10; minute++) {
      world.setNow(world.now() + 60_000);
      await sweepCluster(world.deps, clusterNameOf(world.cluster));
    }
    expect(left()).toEqual(before);
  });

  it('rows of an incarnation that sends heartbeats again stay, and are removed after another day of silence', {
    timeout: 240_000,
  }, async () => {
    const { world, earlier, hear, sweeps, left, current } = await aDayLater({ pods: 250 });
    await sweeps(1);
    const half = left().length;
    expect(half).toBeGreaterThan(100);
    await hear(earlier);
    await world.deliver({ stage: 'ingest', at: world.now(), cluster: earlier, body: [upserted(aPod('again'))] });
    world.messages.splice(0);
    await sweeps(10);
    expect(left().length).toBeGreaterThanOrEqual(half);
    await hear(current);
    world.setNow(world.now() + day);
    await sweeps(10);
    expect(left()).toEqual([]);
  });

  it('rows that dead letters restore are removed a day later, and the incarnation expires with its records', async () => {
    const { world, earlier, sweeps, left } = await aDayLater();
    await sweeps(3);
    for (let days = 1; days < 15; days++) {
      await world.deliver({
        stage: 'ingest',
        at: world.now(),
        cluster: earlier,
        body: [upserted(aPod(`late-${days}`))],
      });
      world.messages.splice(0);
      expect(left().length, `day ${days}`).toBeGreaterThan(0);
      world.setNow(world.now() + day);
      await sweeps(3);
      expect(left(), `day ${days}`).toEqual([]);
    }
    const [row] = world.table.rows().filter(({ pk, sk }) => pk.startsWith('INCARNATIONS#') && earlier.endsWith(sk));
    expect(row?.ttl).toBe(Math.floor(world.now() / 1000) - 120 + 90 * 86_400);
  });

  it('records of evictions stay, and are found by pod, UID, rule and device', async () => {
    const { world, current, sweeps } = await aDayLater();
    const state = { table: world.table, cluster: current };
    const evicted = rowsOf(world, world.cluster).filter((row) => kindOfDue(row) === 'RECORD');
    expect(evicted).toHaveLength(2);
    await sweeps(3);
    const [{ name, uid } = { name: '', uid: '' }] = evicted.map(({ pod }) => pod as { name: string; uid: string });
    expect((await readWhy(state, `default/${name}`, world.now())).records).toMatchObject([{ outcome: 'Evicted' }]);
    expect((await readWhy(state, uid, world.now())).records).toMatchObject([{ outcome: 'Evicted' }]);
    const device = { driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' };
    for (const of of [{ kind: 'Rule', rule: 'bad' } as const, { kind: 'Device', device } as const])
      expect((await explainRecords(state, of, 20)).filter((line) => line.includes(uid))).not.toEqual([]);
  });

  it('rows of an eviction in progress are removed once its record has the outcome OutcomeUnknown', async () => {
    const { world, earlier, sweeps, left } = await aDayLater();
    const state = { table: world.table, cluster: earlier };
    const pod = { namespace: 'default', name: 'open', uid: 'uid-open' };
    const ledger = { podUid: pod.uid, state: 'Deleting', because: [], listings: [] } as never;
    await world.table.transact(openRecord(state, pod, { ledger, grounds: {} as never, now: start, days: 90 }));
    await sweeps(3);
    expect(await readRecord(state, pod.uid)).toMatchObject({
      outcome: 'OutcomeUnknown',
      why: expect.stringContaining('created again or restored'),
    });
    expect(left()).toEqual([]);
  });

  it('eviction counts of a taint at which no pod was listed are removed', async () => {
    const { world, earlier, sweeps, left } = await aDayLater();
    const state = { table: world.table, cluster: earlier };
    const pod = { namespace: 'default', name: 'late', uid: 'uid-late' };
    const reasons = ['a', 'b', 'c', 'd'].map((key) => ({
      origin: { kind: 'Slice' as const, name: 'slice', generation: 1 },
      taint: { key, effect: 'NoExecute' },
      device: { driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' },
    })) as unknown as Ledger['because'];
    const closed = { ledger: { because: reasons }, outcome: 'Evicted', now: start, days: 90 } as const;
    await world.table.transact([recentWrite(state, pod, closed), ...tallyWrites(state, [{ pod, because: reasons }])]);
    await sweeps(3);
    expect(left()).toEqual([]);
  });

  it('rows of an earlier incarnation cost a sweep a bounded number of calls, and few once they are removed', {
    timeout: 240_000,
  }, async () => {
    const callsOf = async ({ sweeps, calls }: Replaced) => {
      const before = calls.count;
      await sweeps(1);
      return calls.count - before;
    };
    const [small, large] = [await aDayLater({ pods: 200 }), await aDayLater({ pods: 500 })];
    const rounds: number[] = [];
    for (const one of [small, large]) {
      const first = await callsOf(one);
      expect(first).toBeLessThan(2500);
      rounds.push(first);
      for (let minute = 0; one.left().length > 0 && minute < 30; minute++) await one.sweeps(1);
      expect(one.left()).toEqual([]);
    }
    expect(rounds[1]).toBeLessThan((rounds[0] ?? 0) * 1.1);
    await small.sweeps(3);
    expect(await callsOf(small)).toBeLessThan(60);
    expect((await readIncarnations(small.world.table, clusterNameOf(small.current))).length).toBe(2);
  });
});
