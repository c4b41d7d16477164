// A limiter with many listed pods is spread over sixteen partitions; a short list has one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemory } from '../../lib/memory.ts';
import type { Ledger } from '../../lib/model/eviction.ts';
import { openPage, seePage } from '../../lib/stages/evict/page.ts';
import { limiterControlKey } from '../../lib/state/keys.ts';
import { postponeLimiter } from '../../lib/state/limiterRows.ts';
import { countListed } from '../../lib/state/listedCounts.ts';
import { listPartition } from '../../lib/state/listKeys.ts';
import { hasPending, readDue, readPending } from '../../lib/state/pendingRows.ts';
import { readPod } from '../../lib/state/podRows.ts';
import { registerLimiters, spreadSetting } from '../../lib/state/spreadList.ts';
import type { State } from '../../lib/state/state.ts';
import type { Row } from '../../lib/table.ts';
import { aroundCalls } from '../support/around.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';
import { readLimiters } from '../support/limiters.ts';
import {
  cluster,
  ledgerOf,
  limiter,
  list,
  listings,
  longList,
  marks,
  nameOf,
  now,
  pendingOf,
  processOn,
  stored,
  unlist,
  write,
} from '../support/longLists.ts';
import { createWorld } from '../support/world.ts';

const hour = 3_600_000;

describe('a spread list', () => {
  it('a list of 402 pods is spread over sixteen partitions of at most 50 pods each', async () => {
    const { table } = await longList(402);
    const sizes = new Map<string, number>();
    for (const { pk } of listings(table)) sizes.set(pk, (sizes.get(pk) ?? 0) + 1);
    expect(sizes.size).toBe(16);
    expect(Math.max(...sizes.values())).toBeLessThanOrEqual(50);
  });

  it('a long list is read in the order of eviction, a page at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (orders, limit) => {
          const { state } = await longList(orders.length, (i) => ({ order: String(orders[i]) }));
          const found = await pendingOf(state, limit);
          expect(new Set(found).size).toBe(orders.length);
          const places = found.map((pod) => orders[Number(pod.slice('default/p'.length))] ?? -1);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('reading a long list takes at most one query per partition and one per fifty pods', async () => {
    const { table } = await longList(200);
    let queries = 0;
    const counting: State = {
      cluster,
      table: aroundCalls(table, (name, call) => {
        if (name === 'query') queries++;
        return call();
      }),
    };
    expect(await pendingOf(counting, 50)).toHaveLength(200);
    expect(queries).toBeLessThanOrEqual(16 + Math.ceil(200 / 50));
  });

  it('a long list keeps a pod in its partition until the pod is deleted, and has no row of it afterwards', async () => {
    const { table, state } = await longList(40, () => ({ dueAt: now + 1000 }));
    const of = async (name: string) => (await readPod(state, `default/${name}`))?.listed.map(({ shard }) => shard);
    for (const name of [0, 1, 7, 39].map(nameOf)) {
      const before = await of(name);
      // Another process, which does not know that the list is spread.
      const other: State = { table, cluster };
      await write(other, name, (uid) => ledgerOf(uid, { dueAt: now + 1000 }), now + 2000);
      expect(await of(name)).toEqual(before);
      await write(
        other,
        name,
        (uid) => ({ ...ledgerOf(uid), state: 'Deleting', leaseUntil: now }) as Ledger,
        now + 2000,
      );
      expect(await of(name)).toEqual(before);
      await unlist(other, name);
      expect(listings(table).filter(({ pod }) => pod === `default/${name}`)).toEqual([]);
    }
  });

  it('a list whose pods are removed again is not spread, however many it listed in total', async () => {
    const table = createInMemoryTable();
    const state = processOn(table, 3);
    await stored(table, 30);
    for (let i = 0; i < 30; i++) {
      await list(state, nameOf(i));
      await unlist(state, nameOf(i));
    }
    expect(marks(table)).toEqual([]);
  });

  it('a pod in any partition of a long list counts as listed, and as pending once it is due', async () => {
    for (const [dueAt, may] of [
      [now, true],
      [now + hour, false],
    ] as const) {
      const { table, state } = await longList(12, () => ({ dueAt }));
      const inFirst = listPartition(cluster, limiter);
      const [last] = listings(table).filter(({ pk }) => pk !== inFirst);
      for (const { pod } of listings(table))
        if (pod !== last?.pod) await unlist(state, String(pod).slice('default/'.length));
      expect(listings(table)).toEqual([last]);
      expect(await hasPending(state, limiter)).toBe(may);
      expect(await countListed(state, [limiter])).toEqual({ pods: 1, namespaces: 1 });
      expect(await postponeLimiter(state, limiter, now)).toBe(may ? 'PodsDue' : 'NobodyDue');
      // Idle for an hour, and not forgotten.
      expect(await postponeLimiter(state, limiter, now + 2 * hour)).toBe('PodsDue');
      expect(await readLimiters(state)).toEqual([limiter]);
    }
  });

  it('a forgotten list keeps its marks for two weeks, so that the pods which a late step lists are found', async () => {
    const { table, state } = await longList(4);
    for (let i = 0; i < 4; i++) await unlist(state, nameOf(i));
    expect(marks(table).map(({ ttl }) => ttl)).toEqual([undefined, undefined]);
    await postponeLimiter(state, limiter, now + 2 * hour);
    expect(await readLimiters(state)).toEqual([]);
    for (const { ttl } of marks(table)) expect(ttl).toBeGreaterThan((now + 14 * 24 * hour) / 1000);
    for (let i = 0; i < 4; i++) await write(state, nameOf(i), (uid) => ledgerOf(uid));
    expect(new Set(listings(table).map(({ pk }) => pk)).size).toBeGreaterThan(1);
    expect(await pendingOf({ table, cluster })).toHaveLength(4);
  });

  it('a forgotten list that becomes long again keeps its marks without expiry', async () => {
    const { table, state } = await longList(4);
    for (let i = 0; i < 4; i++) await unlist(state, nameOf(i));
    await postponeLimiter(state, limiter, now + 2 * hour);
    const again = processOn(table);
    for (let i = 0; i < 4; i++) await list(again, nameOf(i));
    expect(marks(table).map(({ ttl }) => ttl)).toEqual([undefined, undefined]);
    expect((await table.get(limiterControlKey(cluster, limiter)))?.shards).toBe(16);
  });

  it('a listing that its pod does not name is removed from its partition', async () => {
    const { table, state } = await longList(4);
    const { deps } = createWorld({ start: now });
    const row = listings(table).find(({ pod }) => pod === `default/${nameOf(0)}`) as Row;
    await table.write({ kind: 'Put', row: { ...row, pk: listPartition(cluster, limiter, 9) } });
    const seen = await seePage(deps, state, { limiter, after: undefined });
    await openPage(deps, state, seen);
    expect(listings(table).filter(({ pod }) => pod === `default/${nameOf(0)}`)).toEqual([row]);
  });
});

describe('the calls of a short list', () => {
  async function calls(pods: number, above: number): Promise<Readonly<Record<string, number>>> {
    const table = createInMemoryTable();
    await stored(table, pods);
    const counts: Record<string, number> = {};
    let what = '';
    const counting = aroundCalls(table, (_, call) => {
      counts[what] = (counts[what] ?? 0) + 1;
      return call();
    });
    const memory = createMemory();
    spreadSetting(memory, () => ({ above, noted: 100 }));
    const state: State = { table: counting, cluster, memory };
    for (let i = 0; i < pods; i++) {
      what = 'register';
      await registerLimiters(state, [limiter], now);
      what = 'list';
      await write(state, nameOf(i), (uid) => ledgerOf(uid));
    }
    what = 'page';
    await readPending(state, limiter, { limit: 50 });
    what = 'due';
    await readDue(state, limiter, { now, limit: 100 });
    what = 'waits';
    await hasPending(state, limiter);
    what = 'sweep';
    await postponeLimiter(state, limiter, now);
    what = 'count';
    await countListed(state, [limiter]);
    return counts;
  }

  it('a short list costs only the calls of one partition', async () => {
    const one = { page: 1, due: 1, waits: 1, sweep: 3, count: 1 };
    expect(await calls(10, 2000)).toEqual({ register: 1, list: 20, ...one });
    expect(await calls(1000, 2000)).toEqual({ register: 10, list: 2000, ...one });
  });
});
